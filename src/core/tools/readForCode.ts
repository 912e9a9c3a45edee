import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { stringAt } from '../base/json.ts';
import { cutText } from '../base/text.ts';
import { ToolError } from '../errors.ts';
import type { EditPort } from '../ports.ts';
import { factsOf, NOT_FOUND, pathForModel, requireFile, showPath, showSize, throwIfAborted } from './textEditorText.ts';
import type { ClientTool } from './tool.ts';

/** What code gets of a file at once: the answer is one string in a request of 32 MB at most. */
const MAX_BYTES = 5_000_000;
const MAX_CARD = 4000;

const DESCRIPTION = `Reads a text file of the user's workspace, for code that runs in the container. Returns the whole text (at most 5 MB), with unsaved changes, exactly as it is; nothing of it enters the conversation unless the code prints it. Paths are relative to the workspace folder. Raises an error for what is no text file or may not be read. Use it to analyse data: open the text with io.StringIO.`;

/**
 * The one tool that code in the container may call. It only reads, by the same rules as a view, and where the rules ask the
 * user is asked; so whatever the code is told to do, it can change nothing here.
 */
export function readForCodeTool(port: EditPort): ClientTool<{ path: string }> {
  return {
    kind: 'client',
    name: 'read_workspace_file',
    versions: [],
    declare: (_version, { programmatic, readWorkspace }) =>
      programmatic && readWorkspace
        ? {
            name: 'read_workspace_file',
            description: DESCRIPTION,
            input_schema: {
              type: 'object',
              properties: { path: { type: 'string', description: 'Path of the file' } },
              required: ['path'],
            },
            allowed_callers: ['code_execution_20260120'],
          }
        : undefined,
    input: z.object({ path: z.string() }),
    readOnly: () => true,
    title: (input) => l10n.t('Read {0} into the sandbox', showPath(stringAt(input, 'path') ?? '…')),
    async prepare(input, signal) {
      const path = await port.resolve(input.path);
      throwIfAborted(signal);
      if (path.type === 'missing') throw new ToolError(NOT_FOUND);
      requireFile(path);
      if (path.size > MAX_BYTES) {
        throw new ToolError(`Error: ${pathForModel(path)} has ${showSize(path.size)}; at most 5 MB are read.`);
      }
      const facts = factsOf(path);
      return {
        title: l10n.t('Read {0} into the sandbox', showPath(path.display)),
        effects: [{ kind: 'read', path: facts }],
        preview: { kind: 'none' },
        async invoke({ signal: running }) {
          throwIfAborted(running);
          const { text } = await port.readText(facts, MAX_BYTES);
          const card = text.length > MAX_CARD ? `${cutText(text, MAX_CARD)}\n…` : text;
          return { content: text, isError: false, body: { kind: 'text', text: card } };
        },
      };
    },
  };
}
