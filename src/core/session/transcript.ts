import * as l10n from '@vscode/l10n';
import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import type { Op } from '../../protocol/messages.ts';
import type { Row, ToolRow } from '../../protocol/rows.ts';
import { stringAt } from '../base/json.ts';
import { isBlock } from './blocks.ts';
import type { AssistantBlock, LogEntry, MessageDiscarded, MessageInterrupted, ToolFinished } from './entries.ts';
import type { LiveEvent, ReadingCosts, ToolPresenter } from './live.ts';
import { userRow } from './userRow.ts';
import { citedText, joinSources, type SourceNumbers } from './citations.ts';
import { noticeForCompaction, noticeForListing, noticeForTools, noticesForContext } from './contextNotices.ts';
import { noticeForContainer } from './containerNotices.ts';
import { putAttachment, type FilesByCall } from './chartData.ts';
import { createRowList, type RowList } from './rowList.ts';
import { attachmentRowId, downloadingRow } from './attachmentRow.ts';
import {
  noticeForEpoch,
  noticeForRepair,
  noticeForRetry,
  noticeForTransformations,
  noticeForTurnEnd,
} from './notices.ts';
import type { ReadAnew } from './readAnew.ts';
import { promptTokens } from './promptTokens.ts';
import { growInput, openInput, type StreamingInput } from './streamingInput.ts';
import { runOf, type TextRun } from './textRuns.ts';
import { calledName, callRow, withoutApproval, type CallBlock } from './callRow.ts';
import { answeredId, isCall, isServerCall } from './toMessages.ts';

/** Rows of the transcript, made from the log's entries and the live events on top of them. */
export interface Transcript {
  /** Takes one event and returns what changed. Deterministic: the same events give the same rows. */
  apply(event: LiveEvent): readonly Op[];
  rows(): readonly Row[];
}

const RETRY_ROW = 'n:retry';

interface State {
  readonly presenter: ToolPresenter;
  readonly costs: ReadingCosts;
  readonly rows: RowList;
  /** Names and inputs of server calls, for the cards of their results. */
  readonly serverCalls: Map<string, { readonly name: string; readonly input: unknown; readonly at?: string }>;
  /** Inputs that are still being written, by block. */
  readonly inputs: Map<string, StreamingInput>;
  /** Row ids of an answer, in order. */
  readonly answers: Map<string, string[]>;
  /** The last text of an answer that is more than one block. */
  readonly runs: Map<string, TextRun>;
  readonly sources: SourceNumbers;
  readonly files: FilesByCall;
  model: string;
  /** What the last request took in; undefined before the first answer. */
  tokens: number | undefined;
  /** A text row since the last user message carries the answer's heading. */
  headed: boolean;
}

const UNPRICED: ReadingCosts = { toRead: () => undefined, contextNow: () => 0 };

export function createTranscript(presenter: ToolPresenter, costs: ReadingCosts = UNPRICED): Transcript {
  const state: State = {
    ...{ presenter, costs },
    rows: createRowList(),
    serverCalls: new Map(),
    inputs: new Map(),
    answers: new Map(),
    runs: new Map(),
    sources: new Map(),
    files: new Map(),
    model: '',
    tokens: undefined,
    headed: false,
  };
  return {
    apply(event) {
      if (event.type === 'entry') applyEntry(state, event.entry);
      else applyLive(state, event);
      return state.rows.takeOps();
    },
    rows: () => state.rows.all(),
  };
}

/** The heading goes with its row: the next text of the answer carries it. */
function remove(state: State, id: string): void {
  const row = state.rows.get(id);
  if (row?.kind === 'text' && row.first === true) state.headed = false;
  state.rows.remove(id);
}

// --- Live events -----------------------------------------------------------------------------------------------------

function applyLive(state: State, event: Exclude<LiveEvent, { type: 'entry' }>): void {
  switch (event.type) {
    case 'blockStart':
      return startBlock(state, event.messageId, event.index, event.block);
    case 'blockDelta':
      return growBlock(state, event);
    case 'tool':
      return changeTool(state, event.callId, (row) => ({
        ...withoutApproval(row),
        status: event.status,
        title: event.title ?? row.title,
        body: event.body ?? row.body,
        ...(event.approval === undefined ? {} : { approval: event.approval }),
      }));
    case 'toolOutput':
      return state.rows.append(toolRow(event.callId), 'output', event.text);
    case 'download':
      return state.rows.putBelow(toolRow(event.callId), downloadingRow(event));
    case 'thumbnail': {
      const row = state.rows.get(attachmentRowId(event.fileId));
      if (row?.kind === 'attachment') state.rows.put({ ...row, thumbnail: event.thumbnail });
      return;
    }
    case 'retry':
      if (event.until === undefined || event.failure === undefined) remove(state, RETRY_ROW);
      else state.rows.put(noticeForRetry(RETRY_ROW, event.until, event.failure));
      return;
    case 'card':
      return event.row === undefined ? remove(state, event.id) : state.rows.put(event.row);
    case 'settled':
      return settle(state);
    case 'notice':
      return state.rows.put({
        kind: 'notice',
        id: event.id,
        severity: event.severity,
        title: event.title,
        ...(event.detail === undefined ? {} : { detail: event.detail }),
        actions: [],
      });
  }
}

function growBlock(state: State, event: Extract<LiveEvent, { type: 'blockDelta' }>): void {
  const id = blockRow(event.messageId, event.index);
  const run = state.runs.get(event.messageId);
  if (event.field === 'text' && run?.last === event.index) return state.rows.append(run.row, 'text', event.text);
  if (event.field !== 'input') return state.rows.append(id, 'text', event.text);
  const input = state.inputs.get(id);
  if (input !== undefined) growInput(state.rows, state.presenter, input, event.text);
}

function startBlock(state: State, messageId: string, index: number, block: ContentBlock): void {
  const id = rowOfBlock(messageId, index, block);
  if (id === undefined) return;
  if (block.type === 'text') return putText(state, { messageId, index, block }, true);
  remember(state, messageId, id);
  if (block.type === 'thinking') {
    state.rows.put({ kind: 'thinking', id, text: block.thinking, streaming: true });
  } else if (isCall(block) || isServerCall(block)) {
    state.inputs.set(blockRow(messageId, index), openInput(id));
    state.rows.put(toolRowOf(state, block, 'streaming'));
  }
}

// --- Log entries -----------------------------------------------------------------------------------------------------

function applyEntry(state: State, entry: LogEntry): void {
  switch (entry.type) {
    case 'epochStarted': {
      state.model = entry.model;
      const notice = noticeForEpoch(entry, anew(state, state.tokens));
      if (notice) state.rows.put(notice);
      return;
    }
    case 'messageFinished':
      state.tokens = entry.usage === undefined ? state.tokens : promptTokens(entry.usage);
      if (Array.isArray(entry.inputTransformations) && entry.inputTransformations.length > 0)
        state.rows.put(noticeForTransformations(`n:${entry.id}`, entry.inputTransformations.length));
      return;
    case 'userMessage':
      state.headed = false;
      state.sources.clear();
      return state.rows.put(userRow(entry));
    case 'contextNoted':
      return noticesForContext(entry).forEach((row) => state.rows.put(row));
    case 'containerLost':
    case 'containerChosen':
    case 'inputsSent':
      return state.rows.put(noticeForContainer(entry));
    case 'compacted':
      return state.rows.put(noticeForCompaction(entry, anew(state, state.costs.contextNow())));
    case 'toolsChanged':
      return state.rows.put(noticeForTools(entry));
    case 'assistantBlock':
      return finishBlock(state, entry);
    case 'messageDiscarded':
      return discard(state, entry);
    case 'messageInterrupted':
      return interrupt(state, entry);
    case 'toolFinished':
      return finishTool(state, entry);
    case 'attachmentStored':
      return putAttachment(state.rows, state.files, entry, toolRow(entry.callId));
    case 'repaired':
    case 'itemRemoved':
      return state.rows.put(noticeForRepair(entry, anew(state, state.tokens)));
    case 'turnEnded': {
      settle(state);
      const notice = noticeForTurnEnd(entry);
      if (notice) state.rows.put(notice);
      return;
    }
    default:
      return;
  }
}

/** Undefined before the first answer: there is nothing to lose. */
function anew({ costs, model }: State, tokens: number | undefined): ReadAnew | undefined {
  if (tokens === undefined) return undefined;
  const cost = costs.toRead(model, tokens);
  return { tokens, ...(cost === undefined ? {} : { cost }) };
}

/** Blocks that no row stands for: they are told in a notice. */
const BLOCKS_TOLD: ReadonlyMap<string, (state: State, entry: AssistantBlock) => void> = new Map([
  ['fallback', showFallback],
  ['mcp_tool_listing', ({ rows }: State, entry: AssistantBlock): void => rows.put(noticeForListing(entry))],
]);

function finishBlock(state: State, entry: AssistantBlock): void {
  const { block, messageId, index } = entry;
  if (!isBlock(block)) return;
  const told = BLOCKS_TOLD.get(block.type);
  if (told !== undefined) return told(state, entry);
  const answers = answeredId(block);
  if (answers !== undefined) return showServerResult(state, answers, entry);
  const id = rowOfBlock(messageId, index, block);
  if (id === undefined) return;
  if (block.type === 'text') return putText(state, { messageId, index, block }, false);
  remember(state, messageId, id);
  state.inputs.delete(blockRow(messageId, index));
  if (block.type === 'thinking') {
    if (block.thinking === '') remove(state, id);
    else state.rows.put({ kind: 'thinking', id, text: block.thinking, streaming: false });
  } else if (isCall(block) || isServerCall(block)) {
    state.rows.put(toolRowOf(state, block, isCall(block) ? 'queued' : 'running'));
    const call = state.serverCalls.get(block.id);
    if (call !== undefined) state.serverCalls.set(block.id, { ...call, at: entry.at });
  }
}

/** A text block, behind those that are one text with it, with what it cites. */
function putText(
  state: State,
  { messageId, index, block }: { messageId: string; index: number; block: Extract<ContentBlock, { type: 'text' }> },
  streaming: boolean,
): void {
  const cites = Array.isArray(block.citations);
  const run = runOf(state.runs, messageId, { index, row: blockRow(messageId, index), cites });
  const id = run.row;
  remember(state, messageId, id);
  const cited = streaming ? { text: block.text, sources: [] } : citedText(block, state.sources);
  const text = run.text + cited.text;
  const sources = joinSources(run.sources, cited.sources);
  if (!streaming) Object.assign(run, { text, sources });
  const row = { kind: 'text', id, model: state.model, text, streaming, ...heading(state, id) } as const;
  state.rows.put(sources.length === 0 ? row : { ...row, sources });
}

/** Another model took over: what follows is its answer, and calls of the first one are not run. */
function showFallback(state: State, { id, messageId, block }: AssistantBlock): void {
  const { from, to } = block as unknown as { readonly from?: unknown; readonly to?: unknown };
  const model = stringAt(to, 'model');
  if (model === undefined) return;
  for (const known of state.answers.get(messageId) ?? []) {
    const row = state.rows.get(known);
    if (row?.kind === 'tool' && row.place === 'local') markNotSent(state, known);
  }
  const title = l10n.t('{0} took over from {1}.', model, stringAt(from, 'model') ?? state.model);
  state.model = model;
  state.headed = false;
  state.rows.put({ kind: 'notice', id: `f:${id}`, severity: 'info', title, actions: [] });
}

/** What came of a call at Anthropic, and how long it took by our own clock: the API does not say. */
function showServerResult(state: State, callId: string, { at, block }: AssistantBlock): void {
  const call = state.serverCalls.get(callId);
  if (call === undefined) return;
  const { title, body, isError } = state.presenter.serverResult(call.name, call.input, block);
  const ms = Date.parse(at) - Date.parse(call.at ?? '');
  const timed = body.kind === 'terminal' && ms >= 0 ? { ...body, durationMs: ms } : body;
  changeTool(state, callId, (row) => ({ ...row, title, body: timed, status: isError ? 'error' : 'done' }));
}

function finishTool(state: State, entry: ToolFinished): void {
  changeTool(state, entry.callId, (row) => ({
    ...withoutApproval(row),
    status: entry.status,
    title: entry.title,
    body: entry.body,
  }));
}

function discard(state: State, entry: MessageDiscarded): void {
  const ids = state.answers.get(entry.messageId) ?? [];
  const finished = ids.some((id) => !isStreaming(state.rows.get(id)));
  for (const id of ids) {
    if (entry.reason === 'retry' && !finished) remove(state, id);
    else markNotSent(state, id);
  }
}

function interrupt(state: State, entry: MessageInterrupted): void {
  for (const id of state.answers.get(entry.messageId) ?? []) {
    const row = state.rows.get(id);
    if (row?.kind !== 'text' || row.streaming) markNotSent(state, id);
  }
  if (entry.unsentText === undefined || entry.unsentText === '') return;
  // While the host lives the text is on screen already; after a restart it is only here.
  const id = `i:${entry.messageId}`;
  const shown = (state.answers.get(entry.messageId) ?? []).some((known) => {
    const row = state.rows.get(known);
    return row?.kind === 'text' && row.notSent === true;
  });
  if (!shown)
    state.rows.put({ kind: 'text', id, model: state.model, text: entry.unsentText, streaming: false, notSent: true });
}

function isStreaming(row: Row | undefined): boolean {
  if (row?.kind === 'text' || row?.kind === 'thinking') return row.streaming;
  return row?.kind === 'tool' && row.status === 'streaming';
}

function markNotSent(state: State, id: string): void {
  const row = state.rows.get(id);
  if (row?.kind === 'text') {
    if (row.text === '') remove(state, id);
    else state.rows.put({ ...row, streaming: false, notSent: true });
  } else if (row?.kind === 'thinking') state.rows.put({ ...row, streaming: false });
  else if (row?.kind === 'tool') state.rows.put({ ...withoutApproval(row), status: 'cancelled', notSent: true });
}

/** At the end of a turn nothing is left waiting. */
function settle(state: State): void {
  remove(state, RETRY_ROW);
  for (const row of state.rows.unsettled()) {
    if (row.kind === 'tool') state.rows.put({ ...withoutApproval(row), status: 'cancelled' });
    else markNotSent(state, row.id);
  }
}

// --- Rows ------------------------------------------------------------------------------------------------------------

function toolRowOf(state: State, block: CallBlock, status: ToolRow['status']): ToolRow {
  if (!isCall(block)) state.serverCalls.set(block.id, { name: calledName(block), input: block.input });
  const id = toolRow(block.id);
  return callRow(state.presenter, block, { id, status, known: state.rows.get(id) });
}

function changeTool(state: State, callId: string, change: (row: ToolRow) => ToolRow): void {
  const row = state.rows.get(toolRow(callId));
  if (row?.kind === 'tool') state.rows.put(change(row));
}

/** The first text after a user message carries the heading. */
function heading(state: State, id: string): { readonly first?: true } {
  const known = state.rows.get(id);
  if (known?.kind === 'text') return known.first === true ? { first: true } : {};
  if (state.headed) return {};
  state.headed = true;
  return { first: true };
}

function remember(state: State, messageId: string, id: string): void {
  const ids = state.answers.get(messageId);
  if (ids === undefined) state.answers.set(messageId, [id]);
  else if (!ids.includes(id)) ids.push(id);
}

/** The row that a block of an answer is shown in. */
export function rowOfBlock(messageId: string, index: number, block: ContentBlock): string | undefined {
  if (block.type === 'text' || block.type === 'thinking') return blockRow(messageId, index);
  return isCall(block) || isServerCall(block) ? toolRow(block.id) : undefined;
}

function blockRow(messageId: string, index: number): string {
  return `b:${messageId}:${String(index)}`;
}

function toolRow(callId: string): string {
  return `t:${callId}`;
}
