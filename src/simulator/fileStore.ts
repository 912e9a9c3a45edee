import { copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { FileMetadata } from '@anthropic-ai/sdk/resources/files';
import { invalid, ProblemError } from './problem.ts';
import { isPng, withCredentials } from './contentCredentials.ts';

/** The files of the simulated workspace: uploads, and what commands left in `$OUTPUT_DIR`. Bytes are on disk. */
export class FileStore {
  readonly #directory: string;
  readonly #files = new Map<string, FileMetadata>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  get(id: string): FileMetadata | undefined {
    return this.#files.get(id);
  }

  /** Newest first. */
  list(): readonly FileMetadata[] {
    return [...this.#files.values()].reverse();
  }

  pathOf(id: string): string {
    return path.join(this.#directory, id);
  }

  /** Bytes that the organisation may keep; 1 TB, as in the API, when nothing is set. */
  quotaBytes = 2 ** 40;

  /** Throws a problem when the quota is used up. */
  async upload(upload: {
    readonly filename: string;
    readonly mimeType: string;
    readonly content: Buffer;
    readonly expiresInSeconds?: number | undefined;
  }): Promise<FileMetadata> {
    const { filename, mimeType, content, expiresInSeconds } = upload;
    if (this.#usedBytes() + content.length > this.quotaBytes) throw new ProblemError(quotaExceeded);
    const id = newId();
    await mkdir(this.#directory, { recursive: true });
    await writeFile(this.pathOf(id), content);
    const expires_at =
      expiresInSeconds === undefined ? null : new Date(Date.now() + expiresInSeconds * 1000).toISOString();
    const file = { id, filename, mime_type: mimeType, size_bytes: content.length, downloadable: false, expires_at };
    return this.#add(file);
  }

  /**
   * Copies a file that a command made; a PNG gets Content Credentials, as the API's do. `filename` is served as it is,
   * however odd.
   */
  async capture(source: string, filename: string): Promise<FileMetadata> {
    const id = newId();
    await mkdir(this.#directory, { recursive: true });
    await copyFile(source, this.pathOf(id));
    if (path.extname(source).toLowerCase() === '.png') await addCredentials(this.pathOf(id));
    const { size } = await stat(this.pathOf(id));
    return this.#add({
      id,
      filename,
      mime_type: mimeTypeOf(source),
      size_bytes: size,
      downloadable: true,
      expires_at: null,
    });
  }

  async delete(id: string): Promise<boolean> {
    if (!this.#files.delete(id)) return false;
    await rm(this.pathOf(id), { force: true });
    return true;
  }

  async dispose(): Promise<void> {
    this.#files.clear();
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 3 });
  }

  isExpired(id: string): boolean {
    const expires = this.#files.get(id)?.expires_at ?? null;
    return expires !== null && Date.parse(expires) <= Date.now();
  }

  /** Makes a file one that has expired: its metadata stay, its content is gone. */
  expire(id: string): void {
    const file = this.#files.get(id);
    if (file) this.#files.set(id, { ...file, expires_at: new Date(0).toISOString() });
  }

  /** What has expired takes no room any more. */
  #usedBytes(): number {
    const kept = [...this.#files.values()].filter(({ id }) => !this.isExpired(id));
    return kept.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  }

  #add(file: Omit<FileMetadata, 'type' | 'created_at'>): FileMetadata {
    const metadata = {
      type: 'file',
      created_at: new Date().toISOString(),
      ...file,
    } satisfies FileMetadata;
    this.#files.set(metadata.id, metadata);
    return metadata;
  }
}

const quotaExceeded = invalid('The file storage quota of the organization is exhausted.', {
  error_code: 'storage_quota_exceeded',
});

const mimeTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.svg': 'image/svg+xml',
  '.csv': 'text/csv',
  '.txt': 'text/plain',
  '.md': 'text/markdown',
  '.html': 'text/html',
  '.json': 'application/json',
  '.pdf': 'application/pdf',
};

export function mimeTypeOf(name: string): string {
  return mimeTypes[path.extname(name).toLowerCase()] ?? 'application/octet-stream';
}

function newId(): string {
  return `file_${randomBytes(12).toString('hex')}`;
}

async function addCredentials(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (isPng(bytes)) await writeFile(file, withCredentials(bytes));
}
