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

/** `loopdock-attachment:/<hash>/<name>?<session>&<file id>`; the name is the tab's title. */
export function previewUri({ hash = '', name, sessionId, fileId }: LoggedFile): vscode.Uri {
  const query = new URLSearchParams({ session: sessionId, file: fileId }).toString();
  return vscode.Uri.from({ scheme: ATTACHMENT_SCHEME, path: `/${hash}/${sanitizeFileName(name)}`, query });
}

export function addressOf(uri: vscode.Uri): Addressed {
  const [, hash = '', ...name] = uri.path.split('/');
  const query = new URLSearchParams(uri.query);
  return { hash, name: name.join('/'), sessionId: query.get('session') ?? '', fileId: query.get('file') ?? '' };
}
