import * as vscode from 'vscode';
import type { StorageStrings } from '../../protocol/storage.ts';

/** The storage page's texts in the user's language; `{0}` and `{1}` are filled in there. */
export function storageStrings(): StorageStrings {
  return {
    page: 'storage',
    title: vscode.l10n.t('Attachment Storage'),
    used: vscode.l10n.t('{0} on this computer; there is no limit.'),
    usedOf: vscode.l10n.t('{0} of {1} on this computer.'),
    kept: vscode.l10n.t('Files are kept until you delete them.'),
    keptDays: vscode.l10n.t('Files that Claude made are kept for {0} days.'),
    unused: vscode.l10n.t('{0} belong to no session any more.'),
    clean: vscode.l10n.t('Clean Up'),
    settings: vscode.l10n.t('Change Limits'),
    session: vscode.l10n.t('Session'),
    files: vscode.l10n.t('Files'),
    size: vscode.l10n.t('Size'),
    pinned: vscode.l10n.t('Pinned'),
    pinnedNote: vscode.l10n.t(
      'Pinned are files that you gave to Claude: the conversation sends them again, so they stay for as long as it does.',
    ),
    deleteFiles: vscode.l10n.t('Delete Files…'),
    none: vscode.l10n.t('No session has files on this computer.'),
  };
}
