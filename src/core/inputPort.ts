/** The files of the user's computer that may go into a message, as the core needs them. Types only, like ports.ts. */
import type { StoredFile } from './ports.ts';

/** A file of the user's as it was when it was looked at. Nothing of it has been sent. */
export interface LocalFile {
  readonly uri: string;
  /** As it is shown: relative to its workspace folder, or where it is. */
  readonly path: string;
  /** A name that the Files API takes. */
  readonly name: string;
  readonly size: number;
  /** By its first bytes and its name. */
  readonly mimeType: string;
  readonly content: 'image' | 'pdf' | 'text' | 'binary';
  /** What tells it from another state of the file. */
  readonly stamp: string;
  /** Why it may not be meant to leave this computer. */
  readonly caution?: 'secret' | 'ignored';
}

/** Files of this computer that may go into a message. */
export interface InputPort {
  /** Throws `UserError` for what can't be sent: a folder, a pipe or a device, what is not there or can't be read. */
  look(uri: string): Promise<LocalFile>;
  /**
   * The bytes, chunk by chunk; each chunk holds until the next one is asked for. Throws `UserError` when the file is not
   * what was looked at any more, also at the end: then it changed while it was read.
   */
  read(file: LocalFile): AsyncIterable<Uint8Array>;
  /** The bytes of a blob. */
  readStored(file: StoredFile): AsyncIterable<Uint8Array>;
  /** The id under which this was uploaded before, by whatever session; the file may be gone there by now. Never rejects. */
  knownUpload(key: UploadKey): Promise<string | undefined>;
  /** Never rejects. */
  noteUpload(key: UploadKey, fileId: string): Promise<void>;
}

/** Two uploads with the same key are the same. */
export interface UploadKey {
  /** Where it was uploaded to. */
  readonly baseUrl: string;
  /** SHA-256 of the content, hex. */
  readonly hash: string;
  /** The container has it under this name. */
  readonly name: string;
}
