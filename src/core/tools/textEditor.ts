import * as l10n from '@vscode/l10n';
import { stringAt } from '../base/json.ts';
import type { EditPort } from '../ports.ts';
import { plainTextEditor } from './plainTools.ts';
import { prepareCreate, prepareInsert, prepareReplace, textNow } from './textEditorEdit.ts';
import { textEditorInput, type TextEditorInput } from './textEditorInput.ts';
import { showPath } from './textEditorText.ts';
import { prepareView } from './textEditorView.ts';
import type { ClientTool } from './tool.ts';

export interface TextEditorOptions {
  /** Where a view is cut, in UTF-16 units. Told to the model where the tool's version has a place for it. */
  readonly maxCharacters?: number;
}

export const DEFAULT_MAX_CHARACTERS = 100_000;

/** `str_replace_based_edit_tool`: views and edits the user's files through the editor's own documents. */
export function textEditorTool(port: EditPort, options: TextEditorOptions = {}): ClientTool<TextEditorInput> {
  const maxCharacters = options.maxCharacters ?? DEFAULT_MAX_CHARACTERS;
  return {
    kind: 'client',
    name: 'str_replace_based_edit_tool',
    versions: ['text_editor_20250728', 'text_editor_20250429'],
    declare: (version) =>
      version === 'text_editor_20250429'
        ? { type: 'text_editor_20250429', name: 'str_replace_based_edit_tool' }
        : { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: maxCharacters },
    plain: () => plainTextEditor,
    input: textEditorInput,
    readOnly: ({ command }) => command === 'view',
    title: titleOf,
    textNow: (input) => textNow(port, stringAt(input, 'path')),
    prepare(input, signal) {
      switch (input.command) {
        case 'view':
          return prepareView(port, input, { signal, maxCharacters });
        case 'create':
          return prepareCreate(port, input, signal);
        case 'str_replace':
          return prepareReplace(port, input, signal);
        case 'insert':
          return prepareInsert(port, input, signal);
      }
    },
  };
}

function titleOf(input: unknown): string {
  const path = showPath(stringAt(input, 'path') ?? '…');
  switch (stringAt(input, 'command')) {
    case 'view':
      return l10n.t('Read {0}', path);
    case 'create':
      return l10n.t('Create {0}', path);
    case 'str_replace':
    case 'insert':
      return l10n.t('Edit {0}', path);
    default:
      return l10n.t('Edit file');
  }
}
