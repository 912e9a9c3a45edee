import type { Disposable } from '../base/disposable.ts';
import type { Event } from '../base/event.ts';
import type { Budget } from '../cost/budget.ts';
import type { OwnPrices } from '../cost/prices.ts';
import type { InputPort } from '../inputPort.ts';
import type {
  AttachmentPort,
  Clock,
  ContextPort,
  FilesPort,
  Ids,
  LogStorePort,
  Logger,
  ModelPort,
  PreviewPort,
  SessionLog,
} from '../ports.ts';
import type { AdvisorWish } from '../tools/advisorWish.ts';
import type { McpWish } from '../tools/mcp.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { WebWish } from '../tools/webWish.ts';
import type { AttachmentStored, ChosenSkill } from '../session/entries.ts';
import type { ThinkingWish } from './thinking.ts';
import type { SessionContainers } from './containers.ts';
import type { Offered } from './outbox.ts';
import type { Tray } from './tray.ts';
import type { Mode, Op, SessionSummary } from '../../protocol/messages.ts';
import type { ViewModel } from '../../protocol/applyOps.ts';

/** What the user chose; read anew whenever a turn starts. */
export interface AgentConfig {
  /** A model id, or '' for the first that the Models API lists. */
  readonly model: string;
  readonly mode: Mode;
  readonly thinking: ThinkingWish;
  /** Percent of the model's window above which the conversation is summarised; 0 for never. */
  readonly compactAt: number;
  /** Who summarises: the API where the model has that, or always a request of our own. */
  readonly compactBy: 'api' | 'own';
  /** The API leaves old tool results out of what the model reads, where the model has that. */
  readonly clearOldResults: boolean;
  /** Tool name → version that the user pinned. */
  readonly toolVersions: Readonly<Record<string, string>>;
  /** Workspace folder URIs. */
  readonly folders: readonly string[];
  /** Facts for the system prompt: roots as paths, platform, shell. Fixed for a session's first epoch. */
  readonly environment: string;
  readonly trusted: boolean;
  readonly hasKey: boolean;
  readonly simulated: boolean;
  readonly suggestedPrompt: string;
  /** Where requests go, for the memory of refused tool versions. */
  readonly baseUrl: string;
  /** The user's own prices, by model. */
  readonly prices: OwnPrices;
  readonly budget: Budget;
  readonly web: WebWish;
  /** Servers of the MCP connector. */
  readonly mcp: readonly McpWish[];
  readonly advisor: AdvisorWish;
  /** Code in the container may read the workspace. */
  readonly readWorkspace: boolean;
}

export interface ControllerDeps {
  readonly model: ModelPort;
  readonly files: FilesPort;
  readonly attachments: AttachmentPort;
  readonly inputs: InputPort;
  readonly logs: LogStorePort;
  readonly previews: PreviewPort;
  readonly editorContext: ContextPort;
  /** The tools of one session. Called once per session, so that each has its own shell; dispose ends it. */
  readonly createTools: (sessionId: string) => { readonly tools: readonly AnyTool[] } & Disposable;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly config: () => Promise<AgentConfig>;
  /** A thumbnail (data: URI) of a stored image, or undefined when it is none or too large. */
  readonly thumbnail: (hash: string) => Promise<string | undefined>;
}

/** The files that server tools made in the session that is shown now. */
export interface SessionFiles {
  /** The newest state of a file; undefined for an id that this session never had. */
  find(fileId: string): AttachmentStored | undefined;
  /**
   * Fetches a file again that is not here. Does nothing for files that are there, that nobody knows, that are gone for
   * good, or that are being fetched. Throws `UserError` where this window may not write the session or the log can't
   * be written.
   */
  retry(fileId: string): Promise<void>;
  /** Records that the user deleted a file. Throws `UserError`. */
  forget(fileId: string, deleted: NonNullable<AttachmentStored['deleted']>): Promise<void>;
}

/** The skills of the session that is shown. */
export interface SkillChoice {
  current(): readonly ChosenSkill[];
  /**
   * From the next turn on. Another list than the one the conversation has begins a new epoch: the cache is lost, and the
   * transcript says so. The same skills in another order are the same list. Resolves when it is in the log. Throws
   * `UserError`.
   */
  choose(skills: readonly ChosenSkill[]): Promise<void>;
}

/** The one stateful object of the agent: a session, its turn, its view model. Nothing in it throws into the void. */
export interface SessionController extends Disposable {
  readonly onPatch: Event<{ readonly rev: number; readonly ops: readonly Op[] }>;
  /** Short sentences for screen readers. */
  readonly onAnnounce: Event<string>;
  /** An approval began to wait; the host decides whether to notify. */
  readonly onAttention: Event<{ readonly callId: string; readonly title: string }>;
  snapshot(): ViewModel & { readonly rev: number };
  /**
   * Sends what was typed with the files of the tray (or with `files`, and leaves the tray alone), or queues it while a turn runs. Resolves when the message is in the log
   * or the queue.
   */
  submit(text: string, files?: readonly Offered[]): Promise<void>;
  /** The text in the composer, for the forecast of what it would cost. */
  composerChanged(text: string): void;
  /** `edit`: its files come back for the next message. */
  unqueue(index: number, edit: boolean): void;
  /** The files that go with the next message. */
  readonly tray: Tray;
  readonly containers: SessionContainers;
  /** Stops the running turn; resolves when it has ended. */
  stop(): Promise<void>;
  /** Summarises the conversation so far. Does nothing while a turn runs. */
  compact(): Promise<void>;
  /** Goes on after an interrupted, failed or truncated turn. */
  continueTurn(): Promise<void>;
  newSession(): Promise<void>;
  /** The log of the session that is shown; undefined before its first message. */
  log(): SessionLog | undefined;
  openSession(id: string): Promise<void>;
  sessions(): Promise<readonly SessionSummary[]>;
  /** Answers a waiting approval. Unknown, used or not-live ids are ignored and logged. */
  answerApproval(id: string, choice: 'allow' | 'deny', message?: string): void;
  /** Shows the native diff of a waiting approval again. */
  openDiff(id: string): void;
  /** The files that server tools made in the session that is shown. */
  readonly files: SessionFiles;
  readonly skills: SkillChoice;
  noticeAction(id: string, action: string): void;
  /** Re-reads the configuration (trust, key, model) into the view. */
  refresh(): Promise<void>;
}
