import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { DeletedFile, FileMetadata } from '@anthropic-ai/sdk/resources/files';
import type { Fault } from './faults.ts';
import type { FileStore } from './fileStore.ts';
import { mimeTypeOf } from './fileStore.ts';
import { fileLimit, headerOf, readBody, sendEdgePage, sendJson } from './http.ts';
import type { Exchange } from './http.ts';
import { parseMultipart } from './multipart.ts';
import { invalid, notFound, ProblemError } from './problem.ts';
import { pause } from './sse.ts';

/** `/v1/files` and below. `fault` may spoil the content. */
export async function handleFiles(exchange: Exchange, files: FileStore, fault: Fault | undefined): Promise<void> {
  const { request, url } = exchange;
  const [id, action] = url.pathname.slice('/v1/files'.length).split('/').filter(Boolean);
  if (id === undefined) {
    if (request.method === 'POST') return upload(exchange, files);
    return listFiles(exchange, files);
  }
  const file = files.get(decodeURIComponent(id));
  if (!file) throw new ProblemError(notFound(`File not found: ${id}`));
  if (action === 'content' && request.method === 'GET') return content(exchange, files, { file, fault });
  if (action !== undefined) throw new ProblemError(notFound('Not found'));
  if (request.method === 'DELETE') {
    await files.delete(file.id);
    sendJson(exchange, { id: file.id, type: 'file_deleted' } satisfies DeletedFile);
    return;
  }
  sendJson(exchange, file satisfies FileMetadata);
}

function listFiles(exchange: Exchange, files: FileStore): void {
  const query = exchange.url.searchParams;
  const ids = [...query.getAll('ids[]'), ...query.getAll('ids')];
  const all = files.list();
  if (ids.length > 0) {
    if (query.has('page') || query.has('limit')) {
      throw new ProblemError(invalid('ids: may not be combined with page or limit'));
    }
    if (ids.length > 100) throw new ProblemError(invalid('ids: List should have at most 100 items'));
    sendJson(exchange, { data: all.filter((file) => ids.includes(file.id)), next_page: null });
    return;
  }
  const limit = Number(query.get('limit') ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    throw new ProblemError(invalid('limit: Input should be between 1 and 1000'));
  }
  const start = Number(query.get('page') ?? 0) || 0;
  const next = start + limit < all.length ? String(start + limit) : null;
  sendJson(exchange, { data: all.slice(start, start + limit), next_page: next });
}

async function upload(exchange: Exchange, files: FileStore): Promise<void> {
  const body = await readBody(exchange, fileLimit);
  if (!body) return sendEdgePage(exchange, 413, 'Request Entity Too Large');
  const parts = parseMultipart(body, headerOf(exchange.request, 'content-type'));
  const part = parts?.find((item) => item.name === 'file');
  if (part?.filename === undefined) throw new ProblemError(invalid('file: Field required'));
  const expiresInSeconds = expiryOf(parts?.find((item) => item.name === 'expires_in_seconds')?.content.toString());
  const name = checkedName(part.filename);
  const mimeType = part.contentType ?? mimeTypeOf(name);
  const filename = name === '' ? 'unnamed.bin' : name;
  sendJson(exchange, await files.upload({ filename, mimeType, content: part.content, expiresInSeconds }));
}

function expiryOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (seconds >= 3_600 && seconds <= 7_776_000) return seconds;
  throw new ProblemError(invalid('expires_in_seconds: Input should be between 3600 and 7776000'));
}

/** The last component of a name, where the API takes it. */
function checkedName(filename: string): string {
  const name = filename.split('/').at(-1) ?? '';
  // eslint-disable-next-line no-control-regex -- the API's own rule for names
  if (name.length > 255 || name === '..' || /[<>:"|?*\\/\u0000-\u001f]/.test(name)) {
    throw new ProblemError(invalid('file: filename contains forbidden characters or is too long'));
  }
  return name;
}

interface ContentRequest {
  readonly file: FileMetadata;
  readonly fault: Fault | undefined;
}

async function content(exchange: Exchange, files: FileStore, { file, fault }: ContentRequest): Promise<void> {
  if (!file.downloadable) {
    throw new ProblemError(invalid(`File ${file.id} is not downloadable.`, { error_code: 'file_not_downloadable' }));
  }
  if (files.isExpired(file.id)) {
    throw new ProblemError(notFound(`File ${file.id} has expired.`, { error_code: 'file_expired' }));
  }
  const { response } = exchange;
  response.setHeader('content-type', file.mime_type);
  response.setHeader('content-length', file.size_bytes);
  if (fault?.kind === 'cut' || fault?.kind === 'end') {
    const half = createReadStream(files.pathOf(file.id), { end: Math.max(0, Math.floor(file.size_bytes / 2) - 1) });
    await pipeline(half, response, { end: false });
    await pause(20);
    response.destroy();
    return;
  }
  await pipeline(createReadStream(files.pathOf(file.id)), response);
}
