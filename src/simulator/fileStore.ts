import { copyFile, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { FileMetadata } from '@anthropic-ai/sdk/resources/files';

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

  async upload(filename: string, mimeType: string, content: Buffer): Promise<FileMetadata> {
    const id = newId();
    await mkdir(this.#directory, { recursive: true });
    await writeFile(this.pathOf(id), content);
    return this.#add({ id, filename, mime_type: mimeType, size_bytes: content.length, downloadable: false });
  }

  /** Copies a file that a command made. `filename` is served as it is, however odd. */
  async capture(source: string, filename: string): Promise<FileMetadata> {
    const id = newId();
    await mkdir(this.#directory, { recursive: true });
    await copyFile(source, this.pathOf(id));
    const { size } = await stat(source);
    return this.#add({ id, filename, mime_type: mimeTypeOf(source), size_bytes: size, downloadable: true });
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

  #add(file: Omit<FileMetadata, 'type' | 'created_at' | 'expires_at'>): FileMetadata {
    const metadata = {
      type: 'file',
      created_at: new Date().toISOString(),
      expires_at: null,
      ...file,
    } satisfies FileMetadata;
    this.#files.set(metadata.id, metadata);
    return metadata;
  }
}

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
