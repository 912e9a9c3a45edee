import * as vscode from 'vscode';
import type { LoggedFile } from '../../node/attachments/inventory.ts';
import { sanitizeFileName } from '../../node/attachments/fileName.ts';

export const ATTACHMENT_SCHEME = 'loopdock-attachment';

/** What an address names: a content, under a name, and whose file it is. */
export interface Addressed {
  readonly hash: string;
  readonly name: string;
  readonly sessionId: string;
  readonly fileId: string;
}

/** `loopdock-attachment:/<name>?hash=…&session=…&file=…`: the path is what the tab and the breadcrumbs show. */
export function previewUri({ hash = '', name, sessionId, fileId }: LoggedFile): vscode.Uri {
  const query = new URLSearchParams({ hash, session: sessionId, file: fileId }).toString();
  return vscode.Uri.from({ scheme: ATTACHMENT_SCHEME, path: `/${sanitizeFileName(name)}`, query });
}

export function addressOf(uri: vscode.Uri): Addressed {
  const query = new URLSearchParams(uri.query);
  const [hash, sessionId, fileId] = ['hash', 'session', 'file'].map((key) => query.get(key) ?? '');
  return { hash: hash ?? '', name: uri.path.slice(1), sessionId: sessionId ?? '', fileId: fileId ?? '' };
}
