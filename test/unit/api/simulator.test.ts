import assert from 'node:assert/strict';
import type { ContentBlockParam, MessageParam, ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import type { Fault } from '../../../src/simulator/faults.ts';
import type { Scenario } from '../../../src/simulator/scenario.ts';
import { startSimulator, type RecordedRequest, type Simulator } from '../../../src/simulator/server.ts';
import type { Api } from '../../../src/api/index.ts';
import type { ModelRequest } from '../../../src/core/ports.ts';
import { assertSentFitsSdk } from '../../support/sdkRequests.ts';
import { apiAt, blocksOf, streamOnce } from './support.ts';

const TOOLS: readonly ToolUnion[] = [
  { type: 'bash_20250124', name: 'bash' },
  { type: 'code_execution_20260521', name: 'code_execution' },
];

/** Both ends are ours, but they share no code: what one of them gets wrong the other one refuses. */
const SCENARIO: Scenario = {
  name: 'api adapter',
  rules: [
    {
      when: { resultOf: 'bash' },
      reply: {
        steps: [
          { type: 'bash_code_execution', command: 'printf "a,b\\n1,2\\n" > "$OUTPUT_DIR/cleaned.csv"; echo made' },
          { type: 'text', text: 'Here is the file. 漢字 😀' },
        ],
      },
    },
    {
      reply: {
        steps: [
          { type: 'thinking', text: 'I should look first.' },
          { type: 'text', text: 'I look first.' },
          { type: 'tool_use', name: 'bash', input: { command: 'ls' } },
        ],
      },
    },
  ],
};

suite('against the simulator', () => {
  let simulator: Simulator;
  let api: Api;
  const connect = (inactivityMs: number): Api => {
    const connection = { baseUrl: simulator.url, apiKey: simulator.key };
    return apiAt('', { connection: () => Promise.resolve(connection), inactivityMs });
  };
  setup(async () => {
    simulator = await startSimulator({ scenario: SCENARIO });
    api = connect(10_000);
  });
  const seen: RecordedRequest[] = [];
  teardown(() => {
    seen.push(...simulator.requests);
    return simulator.close();
  });
  suiteTeardown(() => assertSentFitsSdk(seen));

  async function request(messages: readonly MessageParam[], container?: string): Promise<ModelRequest> {
    const [model] = await api.model.models(new AbortController().signal);
    assert.ok(model);
    return {
      model: model.id,
      maxTokens: 4096,
      system: [{ type: 'text', text: 'Be a test.' }],
      tools: TOOLS,
      messages,
      betas: [],
      ...(container === undefined ? {} : { container }),
    };
  }

  test('a conversation with thinking, a tool call, its result, a container and a file is accepted all the way', async () => {
    const prompt: MessageParam = { role: 'user', content: 'Make the file' };
    const first = await streamOnce(api, await request([prompt]));
    assert.ok(first.outcome.kind === 'finished', JSON.stringify(first.outcome));
    assert.equal(first.outcome.stopReason, 'tool_use');
    const blocks = blocksOf(first.events) as ContentBlockParam[];
    const call = blocks.find((block) => block.type === 'tool_use');
    assert.deepStrictEqual(call?.type === 'tool_use' && call.input, { command: 'ls' });

    const messages: MessageParam[] = [
      prompt,
      { role: 'assistant', content: blocks },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: 'README.md' }] },
    ];
    const second = await streamOnce(api, await request(messages));
    assert.ok(second.outcome.kind === 'finished', JSON.stringify(second.outcome));
    const container = second.outcome.container;
    assert.ok(container?.id);
    const answer = blocksOf(second.events) as ContentBlockParam[];
    const fileId = /"file_id":"([^"]+)"/.exec(JSON.stringify(answer))?.[1] ?? '';

    const signal = new AbortController().signal;
    const metadata = await api.files.metadata(fileId, signal);
    assert.deepStrictEqual([metadata.name, metadata.size, metadata.downloadable], ['cleaned.csv', 8, true]);
    const chunks: Uint8Array[] = [];
    for await (const chunk of await api.files.content(fileId, signal)) chunks.push(chunk);
    assert.equal(Buffer.concat(chunks).toString(), 'a,b\n1,2\n');

    messages.push({ role: 'assistant', content: answer }, { role: 'user', content: 'Thank you' });
    const third = await streamOnce(api, await request(messages, container.id));
    assert.equal(third.outcome.kind, 'finished', JSON.stringify(third.outcome));
    assert.deepStrictEqual(
      simulator.requests.filter((seen) => seen.path.includes('messages')).map((seen) => seen.status),
      [200, 200, 200],
    );
  });

  const faults: readonly (readonly [Fault, string])[] = [
    [{ kind: 'status', status: 529, type: 'overloaded_error' }, 'overloaded'],
    [{ kind: 'status', status: 429, type: 'rate_limit_error', headers: { 'retry-after': '3' } }, 'rate-limit'],
    [{ kind: 'status', status: 429, errorCode: 'enforced_spend_limit_reached' }, 'spend-limit'],
    [{ kind: 'status', status: 413, html: true }, 'too-large'],
    [{ kind: 'stall' }, 'timeout'],
    [{ kind: 'stall', afterEvents: 3 }, 'timeout'],
    [{ kind: 'cut', afterEvents: 2 }, 'stream'],
    [{ kind: 'end', afterEvents: 4 }, 'stream'],
    [{ kind: 'error', afterEvents: 2, type: 'overloaded_error' }, 'overloaded'],
    [{ kind: 'insert', afterEvents: 2, event: { type: 'message_start', message: {} } }, 'protocol'],
    [{ kind: 'insert', afterEvents: 2, event: { type: 'content_block_stop', index: 9 } }, 'protocol'],
    [{ kind: 'insert', afterEvents: 2, event: { type: 'future_event', index: 9 } }, 'finished'],
    [{ kind: 'insert', afterEvents: 2, raw: ': comment\n\n' }, 'finished'],
    [{ kind: 'fragment', bytes: 1 }, 'finished'],
    [{ kind: 'delay', ms: 50 }, 'finished'],
  ];
  for (const [fault, kind] of faults) {
    test(`${JSON.stringify(fault)} ends as ${kind}, and the next request is accepted`, async () => {
      const hello = await request([{ role: 'user', content: 'Hello' }]);
      simulator.faults.add(fault);
      const { outcome } = await streamOnce(fault.kind === 'stall' ? connect(300) : api, hello);
      assert.equal(outcome.kind === 'failed' ? outcome.failure.kind : outcome.kind, kind);
      assert.equal((await streamOnce(api, hello)).outcome.kind, 'finished');
    });
  }

  test('a wrong key is refused as such', async () => {
    const wrong = apiAt('', { connection: () => Promise.resolve({ baseUrl: simulator.url, apiKey: 'sk-ant-wrong' }) });
    const { outcome } = await streamOnce(wrong, await request([{ role: 'user', content: 'Hello' }]));
    assert.equal(outcome.kind === 'failed' && outcome.failure.kind, 'authentication');
  });

  test('the connection test lists its model', async () => {
    const report = await api.testConnection(new AbortController().signal);
    assert.ok(report.ok && report.modelsApi && report.model);
  });
});
