import type {
  ContentBlock,
  ContentBlockParam,
  TextBlockParam,
  ToolResultBlockParam,
  ToolUnion,
} from '@anthropic-ai/sdk/resources/messages/messages';
import type { InputUse } from '../../protocol/inputs.ts';
import type { ToolBody } from '../../protocol/rows.ts';
import type { ApiFailure } from '../errors.ts';
import type { AsideAsked, Compacted, ToolsChanged } from './contextEntries.ts';
import type { EntryBase, UnfinishedUse, Usage } from './entryBase.ts';

/**
 * The session log: JSON Lines, append only. The first line is the header, every further line one entry. Entries are
 * never changed; everything else (requests, transcript, cost) is a fold or a projection of them. An entry whose `type`
 * is not known here is kept and skipped.
 */
export const LOG_VERSION = 1;

export interface SessionHeader {
  readonly type: 'session';
  readonly v: number;
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly created: string;
  /** Workspace folder URIs at the session's start. */
  readonly folders: readonly string[];
  /** The session that this one began as a copy of, up to that entry. */
  readonly origin?: { readonly session: string; readonly entry: string };
}

/** What a request's prefix is made of, fixed until the next such entry. */
export interface EpochStarted extends EntryBase {
  readonly type: 'epochStarted';
  readonly model: string;
  readonly maxTokens: number;
  readonly system: readonly TextBlockParam[];
  readonly tools: readonly ToolUnion[];
  /** Sent as it is; absent means that the request has no `thinking`. */
  readonly thinking?: unknown;
  /** `output_config.effort`; absent leaves it to the model. */
  readonly effort?: string;
  /** `context_management`, sent as it is; absent means that the API clears nothing. */
  readonly contextManagement?: unknown;
  readonly betas: readonly string[];
  /** `container.skills`: what they say of themselves is part of the prompt. Absent: none. */
  readonly skills?: readonly ChosenSkill[];
  /**
   * Why a new epoch began: the first one, another model, other tools, other skills, other thinking, other edits of
   * the context, an older tool version, a refused binding, a repair of what was sent.
   */
  readonly reason:
    'first' | 'model' | 'tools' | 'skills' | 'thinking' | 'context' | 'toolVersion' | 'binding' | 'repair';
}

/** A skill as requests name it. Without a version the newest one is used. */
export interface SkillRef {
  readonly type: 'anthropic' | 'custom';
  readonly skill_id: string;
  readonly version?: string;
}

export interface ChosenSkill extends SkillRef {
  /** As it was shown when it was chosen. */
  readonly name: string;
}

export interface UserMessage extends EntryBase {
  readonly type: 'userMessage';
  readonly content: readonly ContentBlockParam[];
  /** What the user typed, where `content` holds more than that (context notes, files). */
  readonly text: string;
  /** The files that `content` holds or names. */
  readonly files?: readonly SentFile[];
}

/** A file of the user's in a message. */
export interface SentFile {
  readonly use: InputUse;
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
  /** SHA-256, hex: the key in the attachment store, from which it can be sent again. */
  readonly hash: string;
  /** Where it was on this computer. */
  readonly uri?: string;
  /** Its id at Anthropic, where it was uploaded. */
  readonly fileId?: string;
}

/** A file of the user's is at Anthropic. The newest one for a name and content counts. */
export interface FileUploaded extends EntryBase {
  readonly type: 'fileUploaded';
  readonly fileId: string;
  readonly hash: string;
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
}

/** Facts of the editor that Claude was told before a message, because they were new or had changed. */
export interface ContextNoted extends EntryBase {
  readonly type: 'contextNoted';
  /** English: Claude reads it. */
  readonly content: readonly TextBlockParam[];
  /** What Claude knows from this on, by the name of the fact; '' is a fact that no longer holds. */
  readonly facts: Readonly<Record<string, string>>;
  /** The rules files among it. */
  readonly rules?: readonly NotedRules[];
  /** The workspace is not trusted, so its rules were not read. */
  readonly rulesWithheld?: true;
}

export interface NotedRules {
  /** As it is shown: relative to its workspace folder. */
  readonly path: string;
  readonly uri: string;
  readonly change: 'loaded' | 'changed' | 'gone';
  /** Only its beginning was sent. */
  readonly truncated?: true;
}

export interface TurnStarted extends EntryBase {
  readonly type: 'turnStarted';
  readonly turnId: string;
}

/** One finished block of an answer; the message counts as sent back only when its `messageFinished` follows. */
export interface AssistantBlock extends EntryBase {
  readonly type: 'assistantBlock';
  readonly messageId: string;
  readonly index: number;
  /** Verbatim, blocks of unknown type included. A `tool_use` whose input could not be parsed has `{}` here and `invalidInput`. */
  readonly block: ContentBlock;
  /** The raw text of a tool input that is not a JSON object. Such a call is answered with an error and never run. */
  readonly invalidInput?: string;
}

export interface MessageFinished extends EntryBase {
  readonly type: 'messageFinished';
  readonly messageId: string;
  /** The API's own id, `msg_…`. `messageId` is ours, because an answer may break before it has one. */
  readonly apiMessageId?: string;
  readonly model: string;
  readonly stopReason: string | null;
  readonly stopSequence?: string | null;
  readonly stopDetails?: unknown;
  readonly container?: { readonly id: string; readonly expires_at: string } | null;
  readonly usage?: Usage;
  readonly requestId?: string;
  /** What the API says about its cache: `{ cache_miss_reason }`, null while it does not know yet. */
  readonly diagnostics?: unknown;
  /** What the API cleared or summarised of the request: `{ applied_edits }`. */
  readonly contextManagement?: unknown;
  /** What the API did to the request by itself, such as thinking that it dropped: a list. */
  readonly inputTransformations?: unknown;
  /** The answer came from another address than Anthropic's: its list prices say nothing about it. */
  readonly elsewhere?: true;
}

/** A request that ended before its answer began: nothing of it is in the conversation. The inspector lists it. */
export interface RequestFailed extends EntryBase, UnfinishedUse {
  readonly type: 'requestFailed';
  /** Our id of the answer that did not come. */
  readonly messageId: string;
  readonly failure: ApiFailure;
}

/** The blocks of this message are shown, and never sent to Claude again. */
export interface MessageDiscarded extends EntryBase, UnfinishedUse {
  readonly type: 'messageDiscarded';
  readonly messageId: string;
  readonly reason: 'refusal' | 'retry' | 'cutToolCall';
  /** `max_tokens` of the request that comes in its place, where it is another one. */
  readonly repeatMaxTokens?: number;
}

/** The answer stopped before `messageFinished`; its finished text blocks stay in the conversation. */
export interface MessageInterrupted extends EntryBase, UnfinishedUse {
  readonly type: 'messageInterrupted';
  readonly messageId: string;
  readonly reason: 'cancelled' | 'failed' | 'hostStopped';
  /** Text shown after the last finished block, *not sent to Claude*. */
  readonly unsentText?: string;
}

export interface ApprovalDecided extends EntryBase {
  readonly type: 'approvalDecided';
  readonly callId: string;
  readonly decision: 'allow' | 'deny';
  /** Which rule decided, or which one made it ask. */
  readonly rule: string;
  readonly by: 'rule' | 'user';
  readonly message?: string;
}

/** Written before a call's effects begin: the ledger that keeps a side effect from happening twice. */
export interface ToolStarted extends EntryBase {
  readonly type: 'toolStarted';
  readonly callId: string;
  /** Of an edit: SHA-256 of the file's text before and after, line ends as LF. Tells later whether it took effect. */
  readonly edit?: { readonly before: string; readonly after: string };
}

export interface ToolFinished extends EntryBase {
  readonly type: 'toolFinished';
  readonly callId: string;
  readonly content: NonNullable<ToolResultBlockParam['content']>;
  readonly isError: boolean;
  readonly status: 'done' | 'error' | 'denied' | 'cancelled';
  /** What the card shows. */
  readonly title: string;
  readonly body: ToolBody;
}

/** A file made by a server tool, after the attempt to fetch it. Later entries for the same `fileId` replace earlier ones. */
export interface AttachmentStored extends EntryBase {
  readonly type: 'attachmentStored';
  readonly callId: string;
  readonly fileId: string;
  /** As the server named it: data only, never a path. */
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
  /** SHA-256, hex: the key in the attachment store. Absent while the download has failed. */
  readonly hash?: string;
  readonly failure?: string;
  /** The user deleted it: on this computer only, or at Anthropic too. It then has no `hash`. */
  readonly deleted?: 'here' | 'everywhere';
}

/** The API refused this container: files in it are gone, and requests no longer name it. */
export interface ContainerLost extends EntryBase {
  readonly type: 'containerLost';
  readonly containerId: string;
}

/** The user wants the next requests to use this container, or a new one. */
export interface ContainerChosen extends EntryBase {
  readonly type: 'containerChosen';
  readonly container: { readonly id: string; readonly expires_at: string } | null;
}

/** The skills that the user wants from the next turn on; the epoch that has them may never begin. */
export interface SkillsChosen extends EntryBase {
  readonly type: 'skillsChosen';
  readonly skills: readonly ChosenSkill[];
}

/** Files of the user's were put into the container once more. */
export interface InputsSent extends EntryBase {
  readonly type: 'inputsSent';
  /** Another container has none of them; `missing`: a listing did not show them. */
  readonly reason: 'container' | 'missing';
  readonly files: readonly SentFile[];
  /** Names of those that could not be had any more. */
  readonly failed: readonly string[];
  /** English: Claude reads it. */
  readonly content: readonly ContentBlockParam[];
}

export interface TurnEnded extends EntryBase {
  readonly type: 'turnEnded';
  readonly turnId: string;
  readonly outcome: TurnOutcome;
  readonly failure?: ApiFailure;
  /** The context window is full: the answer was cut, or with the outcome `limit`, nothing was sent. */
  readonly overflow?: boolean;
  /** Nothing was interrupted: the session began as a copy of another one, up to a request in the middle of a turn. */
  readonly branched?: true;
  /** The stop reason or the explanation behind the outcome. */
  readonly detail?: string;
}

export type TurnOutcome =
  'done' | 'truncated' | 'refused' | 'cancelled' | 'failed' | 'interrupted' | 'limit' | 'unknownStop';

/** The user let the session go on above a cap of the settings. The newest one per cap counts, also after a restart. */
export interface BudgetRaised extends EntryBase {
  readonly type: 'budgetRaised';
  readonly cap: 'cost' | 'requests' | 'tokens';
  /** The new cap: US dollars, requests or tokens. */
  readonly to: number;
}

/** Where an item is in the log: an entry, and where its content is a list, the place in it. */
export interface ItemRef {
  readonly entry: string;
  readonly block?: number;
}

/**
 * What is sent of an item from now on: nothing, a text in its place, an image under the type that its bytes have, or a file
 * under its new id.
 */
export type ItemChange =
  | { readonly kind: 'drop' }
  /** The user's wish: a note stands in its place; a block of Claude's is just gone. */
  | { readonly kind: 'remove' }
  /** English: Claude reads it. */
  | { readonly kind: 'replace'; readonly text: string }
  | { readonly kind: 'mediaType'; readonly mediaType: string }
  /** The same file, uploaded again. */
  | { readonly kind: 'fileId'; readonly fileId: string };

/** What the API would have refused was mended before it was sent. Projections apply it for ever; the items stay in the log. */
export interface Repaired extends EntryBase {
  readonly type: 'repaired';
  readonly repairs: readonly { readonly target: ItemRef; readonly change: ItemChange }[];
  /** What was changed and why, in the user's language. */
  readonly note: string;
  /** Something that Claude had answered is no longer sent as it was: the cached prefix ends there. */
  readonly prefixChanged: boolean;
}

/** The user took an item out of the conversation. It stays in the log and on screen. */
export interface ItemRemoved extends EntryBase {
  readonly type: 'itemRemoved';
  readonly target: ItemRef;
  /** The item as it was named to the user. */
  readonly name: string;
  /** As in `Repaired`. */
  readonly prefixChanged: boolean;
}

export interface TitleSet extends EntryBase {
  readonly type: 'titleSet';
  readonly title: string;
}

export type LogEntry =
  | EpochStarted
  | ToolsChanged
  | UserMessage
  | FileUploaded
  | ContextNoted
  | Compacted
  | AsideAsked
  | TurnStarted
  | AssistantBlock
  | MessageFinished
  | RequestFailed
  | MessageDiscarded
  | MessageInterrupted
  | ApprovalDecided
  | ToolStarted
  | ToolFinished
  | AttachmentStored
  | ContainerLost
  | ContainerChosen
  | SkillsChosen
  | InputsSent
  | TurnEnded
  | BudgetRaised
  | Repaired
  | ItemRemoved
  | TitleSet;

/** An entry before the log gave it its identity and time. */
export type NewEntry = LogEntry extends infer E ? (E extends LogEntry ? Omit<E, keyof EntryBase> : never) : never;
