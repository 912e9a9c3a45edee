import * as vscode from 'vscode';
import type { PreviewStrings } from '../../protocol/preview.ts';

/** The page's texts in the user's language; `{0}` and `{1}` are filled in there. */
export function previewStrings(): PreviewStrings {
  return {
    saveAs: vscode.l10n.t('Save As…'),
    addToWorkspace: vscode.l10n.t('Add to Workspace'),
    openOutside: vscode.l10n.t('Open in the System’s Viewer'),
    openText: vscode.l10n.t('Open as Text'),
    beginning: vscode.l10n.t('Only the beginning is shown.'),
    reveal: vscode.l10n.t('Show in File Manager'),
    loading: vscode.l10n.t('Loading…'),
    missing: vscode.l10n.t('This file is not on this computer. Download it again in the Attachments view.'),
    failed: vscode.l10n.t('The file can’t be shown: {0}'),
    noPreview: vscode.l10n.t('There is no preview for files of this kind.'),
    pdf: vscode.l10n.t('This is a PDF document. Your system has a viewer for it.'),
    imageTooLarge: vscode.l10n.t('This image is too large to be shown here. Save it to look at it.'),
    imageOf: vscode.l10n.t('The image {0}'),
    pixels: vscode.l10n.t('{0} × {1} pixels'),
    fit: vscode.l10n.t('Fit to Window'),
    fullSize: vscode.l10n.t('Full Size'),
    copyImage: vscode.l10n.t('Copy Image'),
    copied: vscode.l10n.t('Copied.'),
    notCopied: vscode.l10n.t('The image could not be copied here. Save it instead.'),
    table: vscode.l10n.t('Table of {0}'),
    allRows: vscode.l10n.t('All {0} rows.'),
    firstRows: vscode.l10n.t('The first {0} rows. Save the file to see all of it.'),
    moreColumns: vscode.l10n.t('{0} more columns are not shown.'),
    sheet: vscode.l10n.t('Sheet'),
    emptyTable: vscode.l10n.t('The table is empty.'),
    cell: vscode.l10n.t('{0}, row {1}:'),
    notSpreadsheet: vscode.l10n.t('This is no workbook that can be shown. It may be damaged.'),
    zipTooMany: vscode.l10n.t('This workbook has too many parts to be shown safely.'),
    zipBomb: vscode.l10n.t('This workbook unfolds to far more than its size. It was not read any further.'),
    zipEncrypted: vscode.l10n.t('This workbook is protected by a password.'),
    tableTooLarge: vscode.l10n.t('The first rows of this table are too large to be shown. Save the file to read it.'),
    credentials: vscode.l10n.t('Content Credentials, not verified'),
    credentialsBy: vscode.l10n.t('signed by {0}'),
    credentialsAt: vscode.l10n.t('on {0}'),
    credentialsNote: vscode.l10n.t(
      'The file says where it comes from (C2PA). Loopdock shows what it says and has not checked the signature.',
    ),
  };
}
