/** Every interface that the core needs from outside. The pure core ends here: no vscode, no node, no clock, no randomness. */
import type {
  ContentBlock,
  MessageParam,
  TextBlockParam,
  ToolUnion,
} from '@anthropic-ai/sdk/resources/messages/messages';
import type { PathFacts } from './approval/effects.ts';
import type { Disposable } from './base/disposable.ts';
import type { ImageType } from './base/image.ts';
import type { Event } from './base/event.ts';
import type { OffsetEdit } from './edit/offsetEdit.ts';
import type { ApiFailure } from './errors.ts';
import type { LogEntry, NewEntry, SessionHeader, SkillRef } from './session/entries.ts';
import type { UnfinishedUse, Usage } from './session/entryBase.ts';
import type { SessionSummary } from '../protocol/messages.ts';
import type { DiffPreview } from './tools/tool.ts';

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`; rejects with `CancelledError` when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls back once after `ms` unless disposed before. */
  timer(ms: number, run: () => void): Disposable;
}

export interface Ids {
  /** Unguessable, URL-safe, at least 96 bits. */
  random(): string;
  /** SHA-256 of the UTF-8 text, hex. */
  hash(text: string): string;
}

export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  /** `error` is logged with its stack; credentials are redacted by the adapter. */
  error(message: string, error?: unknown): void;
  trace(message: string): void;
}

// --- The model -------------------------------------------------------------------------------------------------------

export interface ModelRequest {
  readonly model: string;
  readonly maxTokens: number;
  readonly system: readonly TextBlockParam[];
  readonly tools: readonly ToolUnion[];
  readonly messages: readonly MessageParam[];
  readonly thinking?: unknown;
  /** `output_config.effort`. */
  readonly effort?: string;
  readonly container?: string;
  readonly skills?: readonly SkillRef[];
  readonly betas: readonly string[];
  /** `context_management`: what the API clears of the request by itself, before the model reads it. */
  readonly contextManagement?: unknown;
  /** `compaction`: the answer is a summary of the conversation, one block, and nothing else. */
  readonly compaction?: unknown;
  /** Asks why the cache was missed: the id of the answer before this one, null for the first. Absent: not asked. */
  readonly previousMessageId?: string | null;
}

/** Stream events, delivered synchronously and in order. */
export type ModelEvent =
  | { readonly type: 'messageStart'; readonly apiMessageId: string; readonly model: string }
  | { readonly type: 'blockStart'; readonly index: number; readonly block: ContentBlock }
  /** `text`, `thinking` and tool `input` (raw JSON text) as they arrive. */
  | {
      readonly type: 'blockDelta';
      readonly index: number;
      readonly field: 'text' | 'thinking' | 'input';
      readonly text: string;
    }
  /** The block is complete. `invalidInput` is the raw text of a tool input that is not one JSON object. */
  | { readonly type: 'blockStop'; readonly index: number; readonly block: ContentBlock; readonly invalidInput?: string }
  | { readonly type: 'ping' };

export type ModelOutcome =
  | {
      readonly kind: 'finished';
      readonly apiMessageId: string;
      readonly model: string;
      readonly stopReason: string | null;
      readonly stopSequence: string | null;
      readonly stopDetails?: unknown;
      readonly container: { readonly id: string; readonly expires_at: string } | null;
      readonly usage: Usage;
      readonly requestId?: string;
      /** `diagnostics`, `context_management` and `input_transformations` of the answer, as they came. */
      readonly diagnostics?: unknown;
      readonly contextManagement?: unknown;
      readonly inputTransformations?: unknown;
    }
  /** `used`: the last counters, where the answer had begun. */
  | { readonly kind: 'failed'; readonly failure: ApiFailure; readonly used?: UnfinishedUse }
  | { readonly kind: 'cancelled'; readonly used?: UnfinishedUse };

/** What a model can do, from the Models API; null or missing means unknown, and unknown means try. */
export interface ModelInfo {
  readonly id: string;
  readonly label: string;
  readonly maxInputTokens: number | null;
  readonly maxTokens: number | null;
  /** `capabilities.server_tools.<name>.supported`; missing keys are unknown. */
  readonly serverTools: Readonly<Record<string, boolean | undefined>>;
  /** `capabilities.code_execution.supported`: code in the container may call tools of the request. */
  readonly programmatic?: boolean;
  /** `capabilities.thinking.types.<type>.supported`. */
  readonly thinkingTypes: Readonly<Record<string, boolean | undefined>>;
  /** `capabilities.effort.<level>.supported`. */
  readonly effort: Readonly<Record<string, boolean | undefined>>;
  /** `capabilities.context_management.<edit>.supported`. */
  readonly contextEdits?: Readonly<Record<string, boolean | undefined>>;
  /** `capabilities.compaction.<type>.supported`. */
  readonly compaction?: Readonly<Record<string, boolean | undefined>>;
}

export interface ModelPort {
  /**
   * One request and its stream. Never throws and never rejects: whatever goes wrong is the outcome. No event is
   * delivered after the promise has resolved. On abort the outcome is `cancelled`, within one tick of the abort.
   * It does not retry: the loop has the one retry policy.
   */
  stream(request: ModelRequest, signal: AbortSignal, onEvent: (event: ModelEvent) => void): Promise<ModelOutcome>;
  /** Throws `ApiError`. Cached by the adapter; `refresh` asks again. */
  models(signal: AbortSignal, refresh?: boolean): Promise<readonly ModelInfo[]>;
  /**
   * The input tokens that the request would have, by the server's own count; undefined where the address has no
   * `count_tokens`, which is then not asked again. Free of charge, but limited in rate. Throws `ApiError`.
   */
  countTokens(request: ModelRequest, signal: AbortSignal): Promise<number | undefined>;
}

export interface RemoteFile {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
  readonly downloadable: boolean;
  /** ISO 8601; absent where it does not expire. What is past it can't be used any more. */
  readonly expiresAt?: string;
}

/** What is uploaded. */
export interface UploadSource {
  /** 1 to 255 characters, none of `< > : " | ? * \ /` and no control characters (Files API). */
  readonly name: string;
  readonly mimeType: string;
  /** Bytes that `read` yields. */
  readonly size: number;
  /** Called once. What it throws ends the upload, and nothing of it stays at Anthropic. */
  read(): AsyncIterable<Uint8Array>;
}

export interface FilesPort {
  /** Throws `ApiError`. */
  metadata(fileId: string, signal: AbortSignal): Promise<RemoteFile>;
  /**
   * Sends a file chunk by chunk, never whole in memory. `onSent` hears how many bytes have gone out. Throws `ApiError` (kind
   * `too-large` above 500 MB, code `storage_quota_exceeded`, …), `CancelledError`, or what the source throws.
   */
  upload(source: UploadSource, signal: AbortSignal, onSent?: (bytes: number) => void): Promise<RemoteFile>;
  /** The bytes, chunk by chunk and never whole in memory. Throws `ApiError`, also in the middle. */
  content(fileId: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Deletes the file at Anthropic; one that is gone already is no failure. Throws `ApiError`. */
  remove(fileId: string, signal: AbortSignal): Promise<void>;
}

// --- Files of the user -----------------------------------------------------------------------------------------------

/** A text as the editor has it now, unsaved changes included. */
export interface TextSnapshot {
  readonly path: PathFacts;
  /** EOLs as they are in the document. No BOM. Empty when the file does not exist. */
  readonly text: string;
  readonly eol: '\n' | '\r\n';
  /** VS Code's encoding name, such as `utf8bom`. */
  readonly encoding: string;
  readonly dirty: boolean;
  /** SHA-256 of the bytes on disk; null when there is no file. */
  readonly diskHash: string | null;
  /** Version of the document, to see whether the user typed since. */
  readonly version: number;
  /** Why an edit through the document would change more than the edit (mixed line ends, undecodable bytes, …); absent when it is faithful. */
  readonly unfaithful?: string;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  /** Bytes; 0 for directories. */
  readonly size: number;
}

export type PathKind = 'missing' | 'file' | 'directory' | 'other';

export interface EditPort {
  /** Canonicalises and judges containment. Never throws for a well-formed string; throws `ToolError` for NUL, empty or over-long paths. */
  resolve(path: string): Promise<PathFacts & { readonly type: PathKind; /** Bytes. */ readonly size: number }>;
  /** Throws `ToolError`: not a regular file, binary, larger than `maxBytes`. */
  readText(path: PathFacts, maxBytes: number): Promise<TextSnapshot>;
  /** Two levels at most is the tool's business; this lists one. */
  list(path: PathFacts): Promise<readonly DirectoryEntry[]>;
  /**
   * Writes `after` where the document still is what `snapshot` says, as one undo step, and saves when the setting says
   * so. `edits` are offsets into `snapshot.text`, sorted and not overlapping. Returns 'stale' when the document, the
   * disk or the file's existence changed meanwhile: nothing was written. Throws `ToolError` when it could not be
   * written faithfully (read-only, encoding, refused by VS Code); the document is then as it was.
   */
  apply(snapshot: TextSnapshot, edits: readonly OffsetEdit[], signal: AbortSignal): Promise<AppliedEdit | 'stale'>;
  /** Creates the file with parents, or replaces its whole text when it exists (then through `apply`'s checks). */
  create(path: PathFacts, text: string, signal: AbortSignal): Promise<AppliedEdit | 'stale'>;
}

export interface AppliedEdit {
  /** The document's text after the edit and, when saved, after every save participant (formatter, …). */
  readonly text: string;
  readonly saved: boolean;
  /** Save participants changed the text beyond the edit. */
  readonly changedOnSave: boolean;
}

// --- What the editor shows ---------------------------------------------------------------------------------------------

/** A file with rules of the user for a project. */
export interface RulesFile {
  /** Relative to its workspace folder, which it names where there are several. */
  readonly path: string;
  readonly uri: string;
  readonly text: string;
  /** The file is longer than what is read of it. */
  readonly truncated: boolean;
}

/** The editor as it is when a message is sent. What is undefined is switched off or not to be had. */
export interface EditorContext {
  /** The local date, such as `Tuesday, 2026-12-01`. */
  readonly date?: string;
  readonly editor?: {
    readonly active?: { readonly path: string; /** 1-based. */ readonly selection?: readonly [number, number] };
    /** The other files in view. */
    readonly visible: readonly string[];
  };
  /** Errors of files that are open or were edited. */
  readonly problems?: {
    readonly list: readonly {
      readonly path: string;
      /** 1-based. */ readonly line: number;
      readonly message: string;
    }[];
    /** How many there are; `list` may be cut. */
    readonly count: number;
  };
  /** Nearest first. `untrusted`: the workspace is not trusted, so none were read. */
  readonly rules?: readonly RulesFile[] | 'untrusted';
}

export interface ContextPort {
  /**
   * `touched` are paths that tools worked on, as the tools were given them: rules of their directories hold, too.
   * `known` are URIs of rules files that were read before; one that is gone comes back without text. Never rejects, and
   * answers within seconds: a message waits for it.
   */
  read(asked: { readonly touched: readonly string[]; readonly known: readonly string[] }): Promise<EditorContext>;
}

// --- The shell -------------------------------------------------------------------------------------------------------

export type ShellEnd =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'timeout'; readonly afterMs: number }
  | { readonly kind: 'interrupted' }
  /** The shell itself ended (`exit 3`, `exec`, kill): a new one is started for the next command. */
  | { readonly kind: 'shellEnded'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'terminalClosed' };

export interface ShellResult {
  readonly end: ShellEnd;
  /** Decoded, ANSI stripped, CR progress folded, cut in the middle to the model's limit. */
  readonly output: string;
  /** Bytes that the command wrote. */
  readonly totalBytes: number;
  readonly truncated: boolean;
  /** Where the whole output is kept, when it was cut. */
  readonly fullOutputPath?: string;
  readonly cwd: string;
  readonly durationMs: number;
}

/** One persistent shell per session, shown in the integrated terminal. Commands queue; one runs at a time. */
export interface TerminalPort {
  /** The working directory that the next command would run in. */
  cwd(): string;
  /** Never rejects but with `CancelledError` before the command began, or `ToolError` when no shell can be had. Abort interrupts the command (kind `interrupted`). */
  run(command: string, signal: AbortSignal, onOutput: (chunk: string) => void): Promise<ShellResult>;
  restart(signal: AbortSignal): Promise<void>;
}

// --- Previews ---------------------------------------------------------------------------------------------------------

/** The native diff of an edit that waits for its decision. Cosmetic: when it can't be shown, the card still decides. */
export interface PreviewHandle extends Disposable {
  /** Shows the diff (again), without taking the focus. */
  show(): Promise<void>;
  /** The right side as the user left it; undefined when it is as it was proposed. */
  revised(): string | undefined;
  /** The user decided in the diff editor itself. */
  readonly onDecision: Event<'allow' | 'deny'>;
}

export interface PreviewPort {
  /** Never throws and never blocks the approval: a stalled diff editor must not stall the turn. */
  open(callId: string, diff: DiffPreview): PreviewHandle;
}

// --- Storage ---------------------------------------------------------------------------------------------------------

export interface SessionLog extends Disposable {
  readonly header: SessionHeader;
  /** What is wrong with the file, where something was (torn tail, unreadable line); shown once. */
  readonly repairs: readonly string[];
  readonly readOnly: boolean;
  entries(): readonly LogEntry[];
  /** Durable (fdatasync) when it resolves. Entries are written in the order of the calls. Throws `UserError` when the disk refuses; the file is then as before. */
  append(entry: NewEntry): Promise<LogEntry>;
}

export interface LogStorePort {
  create(folders: readonly string[]): Promise<SessionLog>;
  /** Takes the writer lock; `readOnly` when another live window holds it. Throws `UserError` when there is no such session. */
  open(id: string): Promise<SessionLog>;
  /** The last entries of a large session, without reading the rest; empty where opening it is as fast. Never rejects. */
  tail(id: string): Promise<readonly LogEntry[]>;
  /** Writes a new session that begins with these entries of another one; returns its id. Throws `UserError`. */
  branch(origin: SessionHeader, entries: readonly LogEntry[]): Promise<string>;
  /** Newest first, rebuilt from the files. */
  list(): Promise<readonly SessionSummary[]>;
}

export interface StoredFile {
  /** SHA-256 of the content, hex. */
  readonly hash: string;
  readonly size: number;
  /** Type of the first bytes where it is one of the safe image formats; otherwise null. */
  readonly imageType: ImageType | null;
  /** Absolute path of the blob in the store. */
  readonly path: string;
}

export interface AttachmentPort {
  /** Streams to disk; under its final name only when complete. Throws `UserError` (limit, disk) or what the source throws. */
  store(content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<StoredFile>;
  find(hash: string): Promise<StoredFile | undefined>;
}
