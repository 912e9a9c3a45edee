import type { ViewState } from '../../../src/protocol/messages.ts';
import type { UsageView } from '../../../src/protocol/usage.ts';
import type { ApprovalView, Row, TextRow, ToolRow } from '../../../src/protocol/rows.ts';

/** A state of the view in which nothing special is the case. */
export function state(changes: Partial<ViewState> = {}): ViewState {
  return {
    sessionId: 's1',
    title: 'Fix the failing test',
    busy: false,
    phase: '',
    waiting: 0,
    mode: 'ask',
    model: 'claude-opus-5-5',
    models: [{ id: 'claude-opus-5-5', label: 'Claude Opus 5.5' }],
    container: null,
    simulated: false,
    trusted: true,
    hasKey: true,
    readOnly: false,
    contextTokens: 0,
    contextLimit: null,
    usage: null,
    suggestedPrompt: '',
    queued: [],
    inputs: [],
    ...changes,
  };
}

/** What a session of two requests used. */
export function usage(changes: Partial<UsageView> = {}): UsageView {
  const turn = {
    ...{ nano: 12_300_000, atLeast: false, requests: 1 },
    ...{ input: 120, cacheWrite: 2_400, cacheRead: 80_000, output: 900, thinking: 300 },
  };
  return {
    context: [
      { kind: 'tools', tokens: 2_400 },
      { kind: 'files', tokens: 30_000 },
      { kind: 'conversation', tokens: 50_000 },
    ],
    estimated: false,
    turn,
    session: { ...turn, nano: 1_234_000_000, requests: 2, atLeast: true },
    container: { ms: 65_000, nano: 4_166_667 },
    cacheLast: 97,
    cacheSession: 48,
    cacheMiss: null,
    forecast: { tokens: 83_000, nano: 34_000_000, counted: true },
    ...changes,
  };
}

export function text(id: string, markdown: string, changes: Partial<TextRow> = {}): TextRow {
  return { kind: 'text', id, model: 'Claude Opus 5.5', text: markdown, streaming: false, ...changes };
}

export function user(id: string, words: string): Row {
  return { kind: 'user', id, text: words };
}

export function tool(id: string, changes: Partial<ToolRow> = {}): ToolRow {
  return {
    kind: 'tool',
    id,
    callId: `call-${id}`,
    tool: 'bash',
    title: 'npm test',
    place: 'local',
    status: 'done',
    body: { kind: 'none' },
    ...changes,
  };
}

export function approval(changes: Partial<ApprovalView> = {}): ApprovalView {
  return {
    id: 'approval-1',
    question: 'Run this command?',
    rule: 'Every command asks first.',
    choices: [
      { id: 'allow', label: 'Allow Once' },
      { id: 'deny', label: 'Deny' },
    ],
    live: true,
    canOpenDiff: false,
    ...changes,
  };
}
