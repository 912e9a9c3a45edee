import { open } from 'node:fs/promises';
import * as vscode from 'vscode';
import { fileKind, KIND_BYTES } from '../../core/base/fileKind.ts';
import { imageSize, isSafeToDecode } from '../../core/base/image.ts';
import { UserError } from '../../core/errors.ts';
import type { AttachmentPort, StoredFile } from '../../core/ports.ts';
import type { LoggedFile } from '../../node/attachments/inventory.ts';
import { readCredentials } from '../../node/attachments/contentCredentials.ts';
import { beginningOf, readPiece } from '../../node/attachments/readPiece.ts';
import { parseFromPreview, type FromPreview, type PreviewFile, type ToPreview } from '../../protocol/preview.ts';
import type { AttachmentActions } from '../attachments/attachmentActions.ts';
import type { Library } from '../attachments/library.ts';
import { openLink } from '../chat/links.ts';
import { webviewPage } from '../webviewPage.ts';
import type { Guard } from '../guard.ts';
import type { Log } from '../log.ts';
import type { Previewer } from './previewEditor.ts';
import { previewStrings } from './previewStrings.ts';
import { addressOf, type Addressed } from './previewUri.ts';

export interface PreviewerDeps {
  readonly extensionUri: vscode.Uri;
  readonly store: Pick<AttachmentPort, 'find'>;
  readonly library: Pick<Library, 'find'>;
  readonly actions: AttachmentActions;
  readonly guard: Guard;
  readonly log: Log;
}

/** A JPEG says its size late, behind what cameras put before it. */
const IMAGE_HEAD_BYTES = 512 * 1024;

/** Shows stored files in webviews that reach nothing: they ask for pieces of the one file that they were made for. */
export function createPreviewer(deps: PreviewerDeps): Previewer {
  return {
    async show(uri, panel) {
      const address = addressOf(uri);
      const dist = vscode.Uri.joinPath(deps.extensionUri, 'dist');
      panel.webview.options = { enableScripts: true, enableForms: false, localResourceRoots: [dist] };
      panel.webview.onDidReceiveMessage((raw: unknown) =>
        deps.guard('preview', () => receive(deps, address, panel.webview, raw)),
      );
      panel.webview.html = webviewPage(panel.webview, dist, {
        bundle: 'preview',
        title: address.name,
        strings: previewStrings(),
      });
    },
  };
}

async function receive(deps: PreviewerDeps, address: Addressed, webview: vscode.Webview, raw: unknown): Promise<void> {
  const message = parseFromPreview(raw);
  if (!message) return deps.log.warn('dropped a message of a preview that does not fit the protocol');
  if (message.type === 'log') return deps.log.error(`preview: ${message.text}`);
  if (message.type === 'link') return openLink(message.url);
  if (message.type === 'act') return act(deps, address, message.action);
  const blob = await deps.store.find(address.hash);
  const answer = message.type === 'ready' ? await describe(address, blob) : await piece(blob, message);
  await webview.postMessage(answer);
}

async function act({ library, actions }: PreviewerDeps, address: Addressed, action: string): Promise<void> {
  const file = await library.find(address.sessionId, address.fileId);
  if (!file) throw new UserError(vscode.l10n.t('No session has this file any more.'));
  // What the tab shows, also where the same file was fetched again since.
  const shown: LoggedFile = { ...file, hash: address.hash };
  if (action === 'saveAs') await actions.saveAs(shown);
  else if (action === 'addToWorkspace') await actions.addToWorkspace(shown);
  else if (action === 'openText') await actions.openText(shown);
  else if (action === 'openOutside') await actions.openOutside(shown);
  else await actions.reveal(shown);
}

async function describe({ name }: Addressed, blob: StoredFile | undefined): Promise<ToPreview> {
  if (!blob) return { type: 'missing' };
  const head = await beginningOf(blob.path, IMAGE_HEAD_BYTES);
  const kind = fileKind(name, head.subarray(0, KIND_BYTES));
  const pixels = kind === 'image' ? imageSize(head) : undefined;
  const credentials = await readCredentials(blob.path);
  const file: PreviewFile = {
    ...{ name, size: blob.size, kind, safe: kind === 'image' && isSafeToDecode(head) },
    ...(blob.imageType === null ? {} : { imageType: blob.imageType }),
    ...(pixels === undefined ? {} : { pixels }),
    ...(credentials === undefined ? {} : { credentials }),
  };
  return { type: 'file', file };
}

async function piece(blob: StoredFile | undefined, asked: Extract<FromPreview, { type: 'read' }>): Promise<ToPreview> {
  const { id, offset, length } = asked;
  try {
    if (!blob) throw new Error(vscode.l10n.t('The file is no longer on this computer.'));
    const file = await open(blob.path, 'r');
    try {
      return { type: 'bytes', id, bytes: await readPiece(file, offset, length) };
    } finally {
      await file.close();
    }
  } catch (error) {
    return { type: 'bytes', id, failure: error instanceof Error ? error.message : String(error) };
  }
}
