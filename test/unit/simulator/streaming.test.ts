import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { scriptPrompt } from '../../../src/simulator/scenarios/scripted.ts';
import type { Reply } from '../../../src/simulator/scenario.ts';
import { request, startHarness, tools } from './harness.ts';
import type { Body, Harness } from './harness.ts';

interface Record {
  readonly event: string;
  readonly data: Body;
}

const steps: Reply['steps'] = [
  { type: 'thinking', text: 'Hm.' },
  { type: 'text', text: 'Grüße 👋 an alle, die das hier lesen' },
  { type: 'bash_code_execution', command: 'echo out; echo err >&2; exit 3' },
  { type: 'tool_use', name: 'bash', input: { command: 'ls "a b"' } },
];

suite('a stream of the simulator', () => {
  let harness: Harness;
  let client: Anthropic;
  suiteSetup(async () => {
    harness = await startHarness();
    const { key, url } = harness.simulator;
    client = new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 });
  });
  suiteTeardown(() => harness.simulator.close());

  function script(reply: Reply, fields: Body = {}): Body {
    const messages = [{ role: 'user', content: scriptPrompt('Go', [reply]) }];
    return request({ stream: true, tools, thinking: { type: 'adaptive', display: 'summarized' }, ...fields, messages });
  }

  async function records(reply: Reply, fields: Body = {}): Promise<readonly Record[]> {
    const answer = await harness.post(script(reply, fields));
    assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/);
    return parse(answer.text);
  }

  function official(reply: Reply): Promise<Anthropic.Message> {
    return client.messages.stream(script(reply) as unknown as Anthropic.MessageStreamParams).finalMessage();
  }

  test('has the order of the API: start, blocks one after the other, delta, stop', async () => {
    const all = await records({ steps });
    assert.ok(all.every(({ event, data }) => data['type'] === event));
    const order = all.map(({ event, data }) => `${event} ${(data['index'] as number | undefined) ?? ''}`.trim());
    const outline = order.filter((name, index) => name !== order[index - 1]);
    assert.deepEqual(outline, [
      'message_start',
      'ping',
      ...[0, 1, 2, 3, 4].flatMap((index) =>
        ['start', 'delta', 'stop']
          .map((part) => `content_block_${part} ${index}`)
          // A server result is complete in its start.
          .filter((name) => name !== 'content_block_delta 3'),
      ),
      'message_delta',
      'message_stop',
    ]);
  });

  test('cuts text and input into small deltas and never splits a character', async () => {
    const all = await records({ steps });
    const deltas = all.flatMap(({ data }) => (data['type'] === 'content_block_delta' ? [data['delta'] as Body] : []));
    const texts = deltas.flatMap((delta) => (delta['type'] === 'text_delta' ? [String(delta['text'])] : []));
    assert.equal(texts.join(''), 'Grüße 👋 an alle, die das hier lesen');
    assert.ok(texts.length > 2 && texts.every((part) => !/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/.test(part)));
    const inputs = deltas.flatMap((delta) =>
      delta['type'] === 'input_json_delta' ? [String(delta['partial_json'])] : [],
    );
    assert.ok(inputs.filter((part) => part !== '').length > 4 && inputs.includes(''));
  });

  test('is put together by the official client to the message that the same request gives without streaming', async () => {
    const streamed = await official({ steps });
    const plain = (await harness.post({ ...script({ steps }), stream: false })).body as unknown as Anthropic.Message;
    assert.deepEqual(anonymous(streamed.content), anonymous(plain.content));
    assert.equal(streamed.stop_reason, plain.stop_reason);
    assert.equal(streamed.usage.output_tokens, plain.usage.output_tokens);
    assert.match(streamed.container?.id ?? '', /^container_/);
  });

  test('really runs the sandbox command', async () => {
    const { content } = await official({ steps });
    const ran = content.find((block) => block.type === 'bash_code_execution_tool_result');
    assert.deepEqual(ran?.content, {
      type: 'bash_code_execution_result',
      stdout: 'out\n',
      stderr: 'err\n',
      return_code: 3,
      content: [],
    });
  });

  test('omits the text of thinking unless it is asked for, and still signs it', async () => {
    const all = await records({ steps }, { thinking: { type: 'adaptive' } });
    const deltas = all.filter(({ data }) => data['index'] === 0 && data['type'] === 'content_block_delta');
    assert.deepEqual(
      deltas.map(({ data }) => (data['delta'] as Body)['type']),
      ['signature_delta'],
    );
  });

  test('has no thinking when it is disabled', async () => {
    const all = await records({ steps }, { thinking: { type: 'disabled' } });
    assert.ok(all.every(({ data }) => (data['content_block'] as Body | undefined)?.['type'] !== 'thinking'));
  });

  for (const [reason, stop] of [
    ['max_tokens', { reason: 'max_tokens' }],
    ['refusal', { reason: 'refusal', details: { type: 'refusal', category: 'cyber', explanation: 'No.' } }],
    ['stop_sequence', { reason: 'stop_sequence', sequence: 'END' }],
    ['model_context_window_exceeded', { reason: 'model_context_window_exceeded' }],
    ['a_reason_of_the_future', { reason: 'a_reason_of_the_future' }],
  ] as const) {
    test(`can end with ${reason}`, async () => {
      const message = await official({ steps: [{ type: 'text', text: 'Hello' }], stop });
      assert.equal(message.stop_reason, reason);
      assert.equal(message.stop_sequence, 'sequence' in stop ? stop.sequence : null);
      assert.deepEqual(message.stop_details, 'details' in stop ? stop.details : null);
    });
  }

  test('streams a cut input as it is', async () => {
    const all = await records({
      steps: [{ type: 'tool_use', name: 'bash', input: {}, raw: '{"command": "rm -r' }],
      stop: { reason: 'max_tokens' },
    });
    const parts = all.map(({ data }) => (data['delta'] as { partial_json?: string } | undefined)?.partial_json ?? '');
    assert.equal(parts.join(''), '{"command": "rm -r');
  });
});

suite('faults', () => {
  let harness: Harness;
  suiteSetup(async () => void (harness = await startHarness()));
  suiteTeardown(() => harness.simulator.close());
  teardown(() => harness.simulator.faults.clear());
  const hello: Reply['steps'] = [{ type: 'text', text: 'Hello, this is some text' }];

  function body(faults: Reply['faults'], stream = true): Body {
    const reply: Reply = { steps: hello, ...(faults ? { faults } : {}) };
    return request({ stream, messages: [{ role: 'user', content: scriptPrompt(String(Math.random()), [reply]) }] });
  }

  for (const [status, type] of [
    [401, 'authentication_error'],
    [402, 'billing_error'],
    [403, 'permission_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [529, 'overloaded_error'],
  ] as const) {
    test(`answers ${status} once, then as usual`, async () => {
      const sent = body([{ kind: 'status', status, headers: { 'retry-after': '3' } }]);
      const first = await harness.post(sent);
      assert.equal(first.status, status);
      assert.equal((first.body?.['error'] as Body)['type'], type);
      assert.equal(first.headers.get('retry-after'), '3');
      assert.match(first.headers.get('request-id') ?? '', /^req_/);
      assert.equal((await harness.post(sent)).status, 200);
    });
  }

  test('fails as often as it is told to', async () => {
    const sent = body([{ kind: 'status', status: 529, attempts: 2 }]);
    const statuses = [];
    for (let round = 0; round < 3; round += 1) statuses.push((await harness.post(sent)).status);
    assert.deepEqual(statuses, [529, 529, 200]);
  });

  test('loses and repeats events, but no deltas', async () => {
    const types = async (kind: 'drop' | 'repeat', afterEvents: number): Promise<readonly string[]> =>
      parse((await harness.post(body([{ kind, afterEvents }]))).text).map(({ event }) => event);
    const whole = parse((await harness.post(body([]))).text).map(({ event }) => event);
    assert.deepEqual(whole.slice(0, 4), ['message_start', 'ping', 'content_block_start', 'content_block_delta']);
    assert.deepEqual(await types('drop', 2), whole.toSpliced(2, 1));
    assert.deepEqual(await types('repeat', 2), whole.toSpliced(2, 0, 'content_block_start'));
    assert.deepEqual([await types('drop', 3), await types('repeat', 3)], [whole, whole]);
  });

  test('answers with another body, as a gateway does', async () => {
    const answer = await harness.post(body([{ kind: 'body', contentType: 'text/html', text: '<p>Sign in' }]));
    assert.deepEqual(
      [answer.status, answer.headers.get('content-type'), answer.text],
      [200, 'text/html', '<p>Sign in'],
    );
  });

  test('answers as an edge proxy: HTML, no request id', async () => {
    const answer = await harness.post(body([{ kind: 'status', status: 413, html: true }]));
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [413, 'text/html']);
    assert.equal(answer.headers.get('request-id'), null);
    assert.match(answer.text, /^<html>/);
  });

  test('ends the stream after the k-th event', async () => {
    const whole = parse((await harness.post(body(undefined))).text);
    for (let count = 0; count < whole.length; count += 1) {
      const cut = parse((await harness.post(body([{ kind: 'end', afterEvents: count }]))).text);
      assert.deepEqual(
        cut.map(({ event }) => event),
        whole.slice(0, count).map(({ event }) => event),
      );
    }
  });

  test('breaks the connection after the k-th event', async () => {
    await assert.rejects(harness.post(body([{ kind: 'cut', afterEvents: 3 }])), /terminated/);
  });

  test('sends an error event and nothing after it', async () => {
    const all = parse((await harness.post(body([{ kind: 'error', afterEvents: 3, type: 'overloaded_error' }]))).text);
    assert.equal(all.length, 4);
    assert.deepEqual(all.at(-1), {
      event: 'error',
      data: { type: 'error', error: { type: 'overloaded_error', message: 'Simulated error' } },
    });
  });

  test('puts unknown and malformed events between the others', async () => {
    const answer = await harness.post(
      body([
        { kind: 'insert', afterEvents: 1, event: { type: 'hint', x: 1 } },
        { kind: 'insert', afterEvents: 2, raw: 'event: content_block_delta\ndata: {"type":\n\n' },
        {
          kind: 'insert',
          afterEvents: 3,
          event: { type: 'content_block_delta', index: 0, delta: { type: 'sound_delta' } },
        },
      ]),
    );
    assert.match(answer.text, /event: hint\ndata: \{"type":"hint","x":1\}\n\n/);
    assert.match(answer.text, /data: \{"type":\n\n/);
    assert.match(answer.text, /sound_delta/);
    assert.match(answer.text, /message_stop/);
  });

  test('sends the bytes in pieces, through characters too', async () => {
    const answer = await harness.post(body([{ kind: 'fragment', bytes: 3 }]));
    assert.equal(parse(answer.text).at(-1)?.event, 'message_stop');
  });

  test('stalls before the head and in the middle until the client leaves', async () => {
    for (const fault of [{ kind: 'stall' }, { kind: 'stall', afterEvents: 2 }] as const) {
      const abort = new AbortController();
      const stalled = harness.send('/v1/messages', {
        method: 'POST',
        body: JSON.stringify(body([fault])),
        signal: abort.signal,
      });
      setTimeout(() => abort.abort(), 60);
      await assert.rejects(stalled, { name: 'AbortError' });
    }
  });

  test('takes faults for whole requests from outside, in order and by target', async () => {
    const { faults } = harness.simulator;
    faults.add({ kind: 'status', status: 500 });
    faults.add({ kind: 'status', status: 529 }, { times: 2 });
    faults.add({ kind: 'status', status: 403 }, { target: 'models' });
    const statuses = [];
    for (let round = 0; round < 4; round += 1) statuses.push((await harness.post(body(undefined))).status);
    assert.deepEqual(statuses, [500, 529, 529, 200]);
    assert.equal((await harness.send('/v1/models')).status, 403);
    assert.equal((await harness.send('/v1/models')).status, 200);
  });

  test('stops a sandbox command when the client leaves', async () => {
    const abort = new AbortController();
    const reply: Reply = { steps: [{ type: 'bash_code_execution', command: 'echo $$ > pid.txt; sleep 30' }] };
    const asked = harness.send('/v1/messages', {
      method: 'POST',
      body: JSON.stringify(request({ tools, messages: [{ role: 'user', content: scriptPrompt('x', [reply]) }] })),
      signal: abort.signal,
    });
    const pid = await soon(pidOfCommand);
    assert.ok(isAlive(pid));
    abort.abort();
    await assert.rejects(asked, { name: 'AbortError' });
    await soon(() => (isAlive(pid) ? undefined : true));
  });

  /** The id that the command wrote down, once it has. */
  function pidOfCommand(): number | undefined {
    const root = path.resolve(harness.simulator.files.pathOf('x'), '../..');
    for (const name of readdirSync(root)) {
      const file = path.join(root, name, 'work', 'pid.txt');
      const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
      if (text !== '') return Number(text);
    }
    return undefined;
  }
});

/** The first answer that is one, within five seconds. */
async function soon<Value>(ask: () => Value | undefined): Promise<Value> {
  for (let round = 0; round < 250; round += 1) {
    const value = ask();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('It did not happen within five seconds');
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function parse(text: string): readonly Record[] {
  return text
    .split('\n\n')
    .filter((part) => part !== '')
    .map((part) => {
      const [event = '', data = ''] = part.split('\n');
      return { event: event.replace('event: ', ''), data: JSON.parse(data.replace('data: ', '')) as Body };
    });
}

/** Without what differs from one answer to the next. */
function anonymous(content: readonly unknown[]): unknown {
  return JSON.parse(JSON.stringify(content).replaceAll(/"(id|tool_use_id|signature)":"[^"]*"/g, '"$1":"*"'));
}
