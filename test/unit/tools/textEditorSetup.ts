import assert from 'node:assert/strict';
import { ToolError } from '../../../src/core/errors.ts';
import { textEditorTool } from '../../../src/core/tools/textEditor.ts';
import type { PreparedCall, ToolRun } from '../../../src/core/tools/tool.ts';
import type { ToolBody } from '../../../src/protocol/rows.ts';
import { fakeEditPort, type FakeEditPort, type FakeFile } from '../../support/fakeEditPort.ts';

export const never = new AbortController().signal;

export function setupEditor(files: Readonly<Record<string, string | FakeFile>>, maxCharacters?: number) {
  const port = fakeEditPort(files);
  return { port, tool: textEditorTool(port, maxCharacters === undefined ? {} : { maxCharacters }) };
}

export type Setup = ReturnType<typeof setupEditor>;

export function prepare({ tool }: Setup, input: Readonly<Record<string, unknown>>): Promise<PreparedCall> {
  return tool.prepare(tool.input.parse(input), never);
}

export interface TextOutcome {
  readonly content: string;
  readonly isError: boolean;
  readonly title?: string;
  readonly body: ToolBody;
}

export async function invoke(call: PreparedCall, run: Partial<ToolRun> = {}): Promise<TextOutcome> {
  const outcome = await call.invoke({ signal: never, progress: () => undefined, ...run });
  assert.ok(outcome !== 'stale' && typeof outcome.content === 'string');
  return { ...outcome, content: outcome.content };
}

export async function run(context: Setup, input: Readonly<Record<string, unknown>>): Promise<string> {
  return (await invoke(await prepare(context, input))).content;
}

/** The text of the error that the model gets, wherever in the call it arises. */
export async function failure(context: Setup, input: Readonly<Record<string, unknown>>): Promise<string> {
  try {
    await run(context, input);
  } catch (error) {
    if (error instanceof ToolError) return error.message;
    throw error;
  }
  throw new Error('The call did not fail');
}

export function unchanged(port: FakeEditPort, path: string, text: string): void {
  assert.deepEqual([port.writes, port.text(path)], [[], text]);
}
