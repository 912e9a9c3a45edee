import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import type { ApiFailure } from '../../src/core/errors.ts';
import type { UnfinishedUse } from '../../src/core/session/entryBase.ts';
import type { ModelEvent, ModelInfo, ModelOutcome, ModelPort, ModelRequest } from '../../src/core/ports.ts';

/** One scripted answer. Blocks are streamed: start, deltas, stop. */
export interface ScriptedAnswer {
  readonly blocks?: readonly ContentBlock[];
  readonly stop?: string | null;
  readonly stopDetails?: unknown;
  readonly container?: { readonly id: string; readonly expires_at: string };
  /** Input tokens; 10 where nothing is said. */
  readonly used?: number;
  /** Fails instead of finishing, after all blocks. */
  readonly fail?: ApiFailure;
  /** The last block never stops. */
  readonly cutLast?: boolean;
  /** Raw text of the last block's input, when it is not a JSON object. */
  readonly invalidInput?: string;
}

export interface ScriptedModel extends ModelPort {
  readonly requests: readonly ModelRequest[];
  /** Events delivered so far, over all requests. */
  readonly events: number;
  /** Called before each event; abort in it to cancel at this event. */
  beforeEvent: ((count: number) => void) | undefined;
}

export const INFO: ModelInfo = {
  id: 'claude-simulated-5',
  label: 'Simulated',
  maxInputTokens: 1_000_000,
  maxTokens: 64_000,
  serverTools: {},
  thinkingTypes: {},
  effort: {},
};

/** Answers requests from a list (or a function of the request); ends turns when the list is empty. */
export function scriptedModel(
  script: readonly ScriptedAnswer[] | ((request: ModelRequest) => ScriptedAnswer),
  info: ModelInfo = INFO,
): ScriptedModel {
  const requests: ModelRequest[] = [];
  let events = 0;
  const next = (request: ModelRequest): ScriptedAnswer =>
    typeof script === 'function'
      ? script(request)
      : (script[requests.length - 1] ?? { blocks: [text('Done.')], stop: 'end_turn' });

  const model: ScriptedModel = {
    requests,
    get events() {
      return events;
    },
    beforeEvent: undefined,
    models: () => Promise.resolve([info]),
    countTokens: () => Promise.resolve(undefined),
    async stream(request, signal, onEvent): Promise<ModelOutcome> {
      requests.push(structuredClone(request));
      const answer = next(request);
      for (const event of eventsOf(answer, requests.length)) {
        await Promise.resolve();
        model.beforeEvent?.(events);
        if (signal.aborted) return { kind: 'cancelled' };
        events += 1;
        onEvent(event);
      }
      model.beforeEvent?.(events);
      if (signal.aborted) return { kind: 'cancelled' };
      events += 1;
      if (answer.fail) return { kind: 'failed', failure: answer.fail, ...usedBy(answer) };
      return {
        kind: 'finished',
        apiMessageId: `msg_${String(requests.length)}`,
        model: request.model,
        stopReason: answer.stop === undefined ? 'end_turn' : answer.stop,
        stopSequence: null,
        stopDetails: answer.stopDetails,
        container: answer.container ?? null,
        usage: {
          ...{ input_tokens: answer.used ?? 10, output_tokens: 5 },
          ...{ cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
        },
      };
    },
  };
  return model;
}

/** What an answer had used before it broke off, where the script says so. */
function usedBy({ used, fail }: ScriptedAnswer): { used?: UnfinishedUse } {
  if (used === undefined || fail === undefined) return {};
  const usage = { input_tokens: used, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  return { used: { model: 'claude-simulated-5', usage } };
}

function eventsOf(answer: ScriptedAnswer, nth: number): ModelEvent[] {
  const blocks = answer.blocks ?? [];
  const events: ModelEvent[] = [
    { type: 'messageStart', apiMessageId: `msg_${String(nth)}`, model: 'claude-simulated-5' },
  ];
  blocks.forEach((block, index) => {
    const last = index === blocks.length - 1;
    events.push({ type: 'blockStart', index, block: skeleton(block) });
    if (block.type === 'text')
      for (const part of halves(block.text)) events.push({ type: 'blockDelta', index, field: 'text', text: part });
    if (block.type === 'tool_use' || block.type === 'server_tool_use') {
      for (const part of halves(JSON.stringify(block.input)))
        events.push({ type: 'blockDelta', index, field: 'input', text: part });
    }
    if (last && answer.cutLast) return;
    events.push({
      type: 'blockStop',
      index,
      block,
      ...(last && answer.invalidInput !== undefined ? { invalidInput: answer.invalidInput } : {}),
    });
  });
  return events;
}

function skeleton(block: ContentBlock): ContentBlock {
  if (block.type === 'text') return { ...block, text: '' };
  if (block.type === 'tool_use' || block.type === 'server_tool_use') return { ...block, input: {} };
  return block;
}

function halves(whole: string): string[] {
  const middle = Math.floor(whole.length / 2);
  return [whole.slice(0, middle), whole.slice(middle)].filter((part) => part !== '');
}

export function text(value: string): ContentBlock {
  return { type: 'text', text: value, citations: null };
}

export function thinking(value: string, signature = 'sig'): ContentBlock {
  return { type: 'thinking', thinking: value, signature };
}

export function call(id: string, name: string, input: unknown): ContentBlock {
  return { type: 'tool_use', id, name, input, caller: { type: 'direct' } };
}

export function serverCall(id: string, command: string): ContentBlock {
  return {
    type: 'server_tool_use',
    id,
    name: 'bash_code_execution',
    input: { command },
    caller: { type: 'direct' },
  };
}

export function serverResult(id: string, stdout: string, fileIds: readonly string[] = []): ContentBlock {
  return {
    type: 'bash_code_execution_tool_result',
    tool_use_id: id,
    content: {
      type: 'bash_code_execution_result',
      stdout,
      stderr: '',
      return_code: 0,
      content: fileIds.map((file_id) => ({ type: 'bash_code_execution_output', file_id })),
    },
  };
}
