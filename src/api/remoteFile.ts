import { stringAt, type JsonObject } from '../core/base/json.ts';
import type { RemoteFile } from '../core/ports.ts';

/** Ids go into paths of ours, and they come from answers. */
export function isFileId(id: string): boolean {
  return /^file_[A-Za-z0-9_-]{1,200}$/.test(id);
}

/** The Files API's metadata; what is missing in it is unknown, not an error. */
export function toRemoteFile(id: string, body: JsonObject): RemoteFile {
  const size = body['size_bytes'];
  const expiresAt = stringAt(body, 'expires_at');
  return {
    id,
    name: stringAt(body, 'filename') ?? '',
    mimeType: stringAt(body, 'mime_type') ?? 'application/octet-stream',
    size: typeof size === 'number' && size >= 0 ? size : 0,
    // Only an explicit `false` is a no; gateways may leave it out.
    downloadable: body['downloadable'] !== false,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}
