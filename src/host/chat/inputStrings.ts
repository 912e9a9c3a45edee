import * as vscode from 'vscode';
import type { InputStrings } from '../../protocol/inputStrings.ts';

/** The texts of the files that go with a message, in the editor's language. */
export function inputStrings(): InputStrings {
  return {
    attach: vscode.l10n.t('Attach files'),
    attached: vscode.l10n.t('Files for the next message'),
    sentFiles: vscode.l10n.t('Files of this message'),
    inputUseOf: vscode.l10n.t('How {0} is sent'),
    removeInput: vscode.l10n.t('Remove {0}'),
    useMessage: vscode.l10n.t('in message'),
    useContainer: vscode.l10n.t('in container'),
    cautionSecret: vscode.l10n.t('It looks like it holds secrets.'),
    cautionIgnored: vscode.l10n.t('Git ignores it.'),
    cautionNoSandbox: vscode.l10n.t(
      'This model has no container. Send the file in the message, or choose another model.',
    ),
  };
}
