import type {
  ContentBlock,
  ContentBlockParam,
  MessageParam,
  ToolUnion,
} from '@anthropic-ai/sdk/resources/messages/messages';
import { isObject } from '../base/json.ts';
import { isBlock } from './blocks.ts';
import { changeMessage, tellsTools, withChange } from './toolChanges.ts';
import type { Compacted } from './contextEntries.ts';
import type { EpochStarted, ItemChange, ItemRef, LogEntry, ToolFinished, ToolStarted } from './entries.ts';
import { keyOf, noteOrigins, type Repairs } from './origin.ts';

/** An answer as the log has it so far. */
export interface AnswerPiece {
  readonly kind: 'answer';
  readonly messageId: string;
  readonly blocks: readonly ContentBlock[];
  /** `open`: neither finished nor ended otherwise, because it is still streaming or the host died. */
  readonly state: 'open' | 'finished' | 'discarded' | 'interrupted';
  readonly stopReason: string | null;
  /** Counts the epochs; thinking of an earlier epoch is bound to another prefix and stays out of requests. */
  readonly epoch: number;
}

export interface UserPiece {
  readonly kind: 'user';
  readonly content: readonly ContentBlockParam[];
  /** The API's own summary: for that model it stands in place of the content. */
  readonly signed?: { readonly model: string; readonly block: ContentBlock };
}

/** A message in the name of the system. */
export interface SystemPiece {
  readonly kind: 'system';
  readonly message: MessageParam;
  /** It holds for the prefix of its epoch. */
  readonly epoch: number;
}

export type Piece = AnswerPiece | UserPiece | SystemPiece;

/** What is known by the id of a call. */
export interface ByCall<T> {
  get(callId: string): T | undefined;
  has(callId: string): boolean;
}

/** What the projections are made of. */
export interface Conversation {
  readonly epoch: EpochStarted | undefined;
  /** The number of epochs so far; `AnswerPiece.epoch` of the current one. */
  readonly epochs: number;
  /** The tools in effect: those of the epoch, and what messages have changed of them. */
  readonly tools: readonly ToolUnion[];
  readonly pieces: readonly Piece[];
  readonly results: ByCall<ToolFinished>;
  /** The calls whose effects had begun, whether or not they have a result. */
  readonly begun: ByCall<ToolStarted>;
  /** The container of the newest answer that named one. */
  readonly container: { readonly id: string; readonly expires_at: string } | null;
  readonly repairs: Repairs;
  /** Entries are missing or out of order, and what follows was answered with them in sight. */
  readonly torn: boolean;
  /** The facts that Claude was told, by name; see `ContextNoted`. */
  readonly told: Readonly<Record<string, string>>;
}

/**
 * What only grows while a log does. An index says at which length of the log each of its facts came, so that one index
 * serves the conversation at every length.
 */
interface Lineage {
  /** The entries that were folded. */
  readonly entries: LogEntry[];
  /** The place of an answer in the pieces, by message id. */
  readonly answers: Map<string, number>;
  readonly results: Map<string, At<ToolFinished>>;
  readonly begun: Map<string, At<ToolStarted>>;
  /** Ids of the entries. */
  readonly ids: Set<string>;
  /** By `keyOf` the item, oldest first. */
  readonly repairs: Map<string, At<ItemChange>[]>;
  conversation: Conversation;
}

interface At<T> {
  readonly at: number;
  readonly value: T;
}

/** A conversation while entries are added to it. */
interface Draft {
  epoch: EpochStarted | undefined;
  epochs: number;
  tools: readonly ToolUnion[];
  readonly pieces: Piece[];
  container: Conversation['container'];
  told: Conversation['told'];
  /** Lists of blocks that no finished conversation holds yet: these may grow in place. */
  readonly own: Map<string, ContentBlock[]>;
  repairs: number;
  torn: boolean;
}

/** How far each log was folded, by its first entry. It holds nothing but entries that the log holds itself. */
const lineages = new WeakMap<LogEntry, Lineage>();

/**
 * Folds a log. Deterministic; unknown entry types are skipped. Goes on from where the last fold of the same log ended, so
 * that the work is linear in what was added; of what was folded before only the identity is compared. The same entries
 * give the same object.
 */
export function foldConversation(entries: readonly LogEntry[]): Conversation {
  const first = entries[0];
  if (first === undefined) return emptyLineage().conversation;
  const known = lineages.get(first);
  const lineage = known !== undefined && continues(known.entries, entries) ? known : emptyLineage();
  if (lineage !== known) lineages.set(first, lineage);
  if (lineage.entries.length < entries.length) extend(lineage, entries);
  return lineage.conversation;
}

function emptyLineage(): Lineage {
  const indexes = {
    answers: new Map(),
    results: new Map(),
    begun: new Map(),
    repairs: new Map(),
    ids: new Set<string>(),
  };
  const conversation: Conversation = {
    ...{ epoch: undefined, epochs: 0, tools: [], pieces: [], container: null, torn: false, told: {} },
    results: before(indexes.results, 0),
    begun: before(indexes.begun, 0),
    repairs: repairsBefore(indexes.repairs, 0, 0),
  };
  return { entries: [], ...indexes, conversation };
}

function continues(before: readonly LogEntry[], now: readonly LogEntry[]): boolean {
  return before.length <= now.length && before.every((entry, index) => entry === now[index]);
}

function extend(lineage: Lineage, entries: readonly LogEntry[]): void {
  const { epoch, epochs, tools, pieces, container, repairs, torn, told } = lineage.conversation;
  const draft: Draft = {
    ...{ epoch, epochs, tools, pieces: [...pieces], container, torn, told },
    ...{ own: new Map(), repairs: repairs.count },
  };
  for (const entry of entries.slice(lineage.entries.length)) {
    take(draft, lineage, entry);
    lineage.entries.push(entry);
  }
  lineage.conversation = {
    epoch: draft.epoch,
    epochs: draft.epochs,
    tools: draft.tools,
    pieces: draft.pieces,
    results: before(lineage.results, entries.length),
    begun: before(lineage.begun, entries.length),
    container: draft.container,
    torn: draft.torn,
    told: draft.told,
    repairs: repairsBefore(lineage.repairs, entries.length, draft.repairs),
  };
}

const ENDED = { messageDiscarded: 'discarded', messageInterrupted: 'interrupted' } as const;

function take(draft: Draft, lineage: Lineage, entry: LogEntry): void {
  noteOrigins(entry);
  if (entry.parentId !== null && !lineage.ids.has(entry.parentId)) draft.torn = true;
  lineage.ids.add(entry.id);
  switch (entry.type) {
    case 'epochStarted':
      draft.epoch = entry;
      draft.epochs += 1;
      draft.tools = entry.tools;
      break;
    case 'toolsChanged':
      draft.tools = withChange(draft.tools, entry);
      draft.pieces.push({ kind: 'system', message: changeMessage(entry), epoch: draft.epochs });
      break;
    case 'userMessage':
    case 'inputsSent':
      draft.pieces.push({ kind: 'user', content: entry.content.filter(isBlock) });
      break;
    case 'containerChosen':
      draft.container = entry.container ?? null;
      break;
    case 'contextNoted':
      draft.pieces.push({ kind: 'user', content: entry.content.filter(isBlock) });
      draft.told = { ...draft.told, ...entry.facts };
      break;
    case 'compacted':
      summarise(draft, lineage, entry);
      break;
    case 'assistantBlock':
      if (isBlock(entry.block)) addBlock(draft, lineage, entry.messageId, entry.block);
      break;
    case 'messageFinished':
      change(draft, lineage, entry.messageId, { state: 'finished', stopReason: entry.stopReason ?? null });
      if (entry.container) draft.container = entry.container;
      break;
    case 'messageDiscarded':
    case 'messageInterrupted':
      change(draft, lineage, entry.messageId, { state: ENDED[entry.type] });
      break;
    case 'toolStarted':
      remember(lineage, lineage.begun, entry);
      break;
    case 'toolFinished':
      remember(lineage, lineage.results, entry);
      break;
    case 'repaired':
      for (const repair of entry.repairs.filter(isObject)) decide(draft, lineage, repair);
      if (entry.prefixChanged) draft.torn = false;
      break;
    case 'itemRemoved':
      decide(draft, lineage, { target: entry.target, change: { kind: 'remove' } });
      break;
    case 'containerLost':
      if (draft.container?.id === entry.containerId) draft.container = null;
      break;
    default:
      break;
  }
}

/**
 * The conversation begins anew with the summary, and what the user said since then. Rules files are carried over in it;
 * other facts are told again.
 */
function summarise(draft: Draft, { answers }: Lineage, { content, signed, kept = 0 }: Compacted): void {
  const block = isObject(signed) && isBlock(signed.block) ? signed : undefined;
  const goesOn = block !== undefined && block.model === draft.epoch?.model;
  const said = draft.pieces
    .slice(Math.max(0, draft.pieces.length - kept))
    .filter((piece) => staysBehind(piece, goesOn));
  // A summary in words does not say which tools there are.
  if (!goesOn || !tellsTools(block.block)) draft.tools = draft.epoch?.tools ?? [];
  draft.pieces.splice(0, draft.pieces.length, ...beginningOf(content.filter(isBlock), block), ...said);
  draft.own.clear();
  answers.clear();
  draft.told = Object.fromEntries(Object.entries(draft.told).filter(([name]) => /^(?:rules:|withheld$)/.test(name)));
}

/** The summary, and what holds on besides. */
function beginningOf(
  [summary, ...rest]: readonly ContentBlockParam[],
  signed: UserPiece['signed'] | undefined,
): readonly UserPiece[] {
  const words: UserPiece = { kind: 'user', content: summary === undefined ? [] : [summary] };
  const begin = signed === undefined ? words : { ...words, signed };
  return rest.length === 0 ? [begin] : [begin, { kind: 'user', content: rest }];
}

function staysBehind({ kind }: Piece, goesOn: boolean): boolean {
  return kind === 'user' || (goesOn && kind === 'system');
}

function addBlock(draft: Draft, lineage: Lineage, messageId: string, block: ContentBlock): void {
  const own = draft.own.get(messageId);
  if (own !== undefined) {
    own.push(block);
    return;
  }
  const at = lineage.answers.get(messageId);
  const before = at === undefined ? [] : (draft.pieces[at] as AnswerPiece).blocks;
  const blocks = [...before, block];
  draft.own.set(messageId, blocks);
  change(draft, lineage, messageId, { blocks });
}

/** Earlier conversations hold the piece as it was: it is replaced. */
function change(draft: Draft, lineage: Lineage, messageId: string, next: Partial<AnswerPiece>): void {
  const known = lineage.answers.get(messageId);
  const at = known ?? draft.pieces.length;
  if (known === undefined) lineage.answers.set(messageId, at);
  const fresh = {
    kind: 'answer',
    messageId,
    blocks: [],
    state: 'open',
    stopReason: null,
    epoch: draft.epochs,
  } as const;
  draft.pieces[at] = { ...((draft.pieces[at] as AnswerPiece | undefined) ?? fresh), ...next };
}

/** The first of a call counts: a second result for the same call would be a side effect done twice. */
function remember<T extends { readonly callId: string }>(
  { entries }: Lineage,
  index: Map<string, At<T>>,
  value: T,
): void {
  if (!index.has(value.callId)) index.set(value.callId, { at: entries.length, value });
}

function decide(
  draft: Draft,
  { repairs, entries }: Lineage,
  { target, change }: { readonly target: ItemRef; readonly change: ItemChange },
): void {
  // A file that was edited by hand may hold anything.
  if (!isObject(target) || !isObject(change)) return;
  draft.repairs += 1;
  const key = keyOf(target);
  repairs.set(key, [...(repairs.get(key) ?? []), { at: entries.length, value: change }]);
}

function repairsBefore(index: ReadonlyMap<string, readonly At<ItemChange>[]>, length: number, count: number): Repairs {
  return {
    count,
    of: (ref) => index.get(keyOf(ref))?.findLast(({ at }) => at < length)?.value,
  };
}

/** What an index held when the log had `length` entries. */
function before<T>(index: ReadonlyMap<string, At<T>>, length: number): ByCall<T> {
  const get = (callId: string): T | undefined => {
    const found = index.get(callId);
    return found === undefined || found.at >= length ? undefined : found.value;
  };
  return { get, has: (callId) => get(callId) !== undefined };
}
