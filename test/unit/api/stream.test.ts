import assert from 'node:assert/strict';
import type { ApiFailure } from '../../../src/core/errors.ts';
import type { ModelEvent, ModelOutcome } from '../../../src/core/ports.ts';
import { fakeClock } from '../../support/fakes.ts';
import { replies, sse, startRawServer, streams, type RawServer, type SseEvent } from '../../support/sseServer.ts';
import {
  answer,
  apiAt,
  blocksOf,
  blockStart,
  delta,
  failureOf,
  KEY,
  messageEnd,
  messageStart,
  recordingLogger,
  REQUEST,
  streamOnce,
  textBlock,
  toolBlock,
} from './support.ts';

const pieces = (events: readonly SseEvent[]): readonly string[] => events.map((event) => sse([event]));

suite('the model stream', () => {
  let server: RawServer;
  setup(async () => (server = await startRawServer()));
  teardown(() => server.close());

  suite('a whole answer', () => {
    test('is delivered block by block', async () => {
      server.answer(streams([sse(answer(textBlock(0, 'Hel', 'lo')))]));
      const { events, outcome } = await streamOnce(apiAt(server.url));
      assert.deepStrictEqual(events, [
        { type: 'messageStart', apiMessageId: 'msg_1', model: 'claude-test-1' },
        { type: 'blockStart', index: 0, block: { type: 'text', text: '', citations: null } },
        { type: 'blockDelta', index: 0, field: 'text', text: 'Hel' },
        { type: 'blockDelta', index: 0, field: 'text', text: 'lo' },
        { type: 'blockStop', index: 0, block: { type: 'text', text: 'Hello', citations: null } },
      ]);
      assert.deepStrictEqual(outcome, {
        kind: 'finished',
        apiMessageId: 'msg_1',
        model: 'claude-test-1',
        stopReason: 'end_turn',
        stopSequence: null,
        container: null,
        usage: { input_tokens: 10, output_tokens: 7, cache_creation_input_tokens: 3, cache_read_input_tokens: 5 },
        requestId: 'req_test',
      });
    });

    test('may have no block at all', async () => {
      server.answer(streams([sse(answer())]));
      const { events, outcome } = await streamOnce(apiAt(server.url));
      assert.deepStrictEqual([blocksOf(events), outcome.kind], [[], 'finished']);
    });

    test('is accepted from a server that forgets the content type', async () => {
      server.answer((_request, response) => void response.end(sse(answer(textBlock(0, 'x')))));
      assert.equal((await streamOnce(apiAt(server.url))).outcome.kind, 'finished');
    });

    test('is accepted from a gateway that does not stream', async () => {
      const content = [
        { type: 'text', text: 'Hello' },
        { type: 'tool_use', id: 'toolu_1', name: 'bash', input: { command: 'ls' } },
      ];
      const message = { ...(messageStart()['message'] as object), content, stop_reason: 'tool_use' };
      server.answer(replies(200, message, { 'request-id': 'req_whole' }));
      const { events, outcome } = await streamOnce(apiAt(server.url));
      assert.deepStrictEqual(blocksOf(events), content);
      assert.deepStrictEqual(
        outcome.kind === 'finished' && [outcome.stopReason, outcome.requestId, outcome.usage.input_tokens],
        ['tool_use', 'req_whole', 10],
      );
    });

    test('leaves the connection open for the next request, though the body ends a little later', async () => {
      let ended: Promise<void> = Promise.resolve();
      server.answer(async (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(sse(answer(textBlock(0, 'x'))));
        await new Promise((resolve) => setTimeout(resolve, 20));
        ended = new Promise((resolve) => response.end(resolve));
        await ended;
      });
      const api = apiAt(server.url);
      for (let i = 0; i < 3; i++) {
        assert.equal((await streamOnce(api)).outcome.kind, 'finished');
        await new Promise((resolve) => setTimeout(resolve, 50));
        await ended;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      assert.equal(server.connections, 1);
    });

    test('survives a listener that throws, and the log says so', async () => {
      server.answer(streams([sse(answer(textBlock(0, 'x')))]));
      const logger = recordingLogger();
      const seen: string[] = [];
      const outcome = await apiAt(server.url, { logger }).model.stream(
        REQUEST,
        new AbortController().signal,
        (event) => {
          seen.push(event.type);
          throw new Error('listener broke');
        },
      );
      assert.equal(outcome.kind, 'finished');
      assert.equal(seen.length, 4);
      assert.equal(logger.lines.filter((line) => line.includes('listener broke')).length, 4);
    });
  });

  suite('a broken stream', () => {
    const cuts: readonly (readonly [string, readonly SseEvent[], number])[] = [
      ['before any event', [], 0],
      ['after message_start', [messageStart()], 0],
      ['after a delta', [messageStart(), ...textBlock(0, 'x').slice(0, 2)], 0],
      ['after a block', [messageStart(), ...textBlock(0, 'x')], 1],
      [
        'inside a tool call',
        [messageStart(), ...textBlock(0, 'x'), ...toolBlock(1, ['{"command":"rm']).slice(0, 2)],
        1,
      ],
      ['before message_stop', [messageStart(), ...textBlock(0, 'x'), messageEnd()[0] as SseEvent], 1],
    ];
    for (const [where, events, blocks] of cuts) {
      for (const cut of [true, false]) {
        test(`${cut ? 'reset' : 'closed'} ${where} is a stream failure with the request id [C78,C92,XA2,XA3]`, async () => {
          server.answer(streams(pieces(events), { cut }));
          const streamed = await streamOnce(apiAt(server.url));
          const failure = failureOf(streamed.outcome);
          assert.deepStrictEqual([failure.kind, failure.requestId], ['stream', 'req_test']);
          assert.ok(failure.message.includes(server.host), failure.message);
          assert.equal(blocksOf(streamed.events).length, blocks);
        });
      }
    }

    const errors: readonly (readonly [string, ApiFailure['kind']])[] = [
      ['overloaded_error', 'overloaded'],
      ['rate_limit_error', 'rate-limit'],
      ['api_error', 'server'],
      ['timeout_error', 'timeout'],
      ['invalid_request_error', 'invalid-request'],
      ['quantum_error', 'unknown'],
    ];
    for (const [type, kind] of errors) {
      test(`an error event ${type} is typed ${kind}, without a status [C79,XA11]`, async () => {
        const error = { type: 'error', error: { type, message: 'It broke' }, request_id: 'req_event' };
        server.answer(streams([sse([messageStart(), ...textBlock(0, 'x'), error, ...answer()])]));
        const { outcome, events } = await streamOnce(apiAt(server.url));
        assert.deepStrictEqual(failureOf(outcome), { kind, message: 'It broke', type, requestId: 'req_event' });
        assert.equal(blocksOf(events).length, 1);
      });
    }

    test('a contradiction is a protocol failure, and nothing after it is delivered', async () => {
      const broken = [
        messageStart(),
        delta(3, { type: 'text_delta', text: 'x' }),
        ...textBlock(0, 'late'),
        ...messageEnd(),
      ];
      server.answer(streams([sse(broken)]));
      const { outcome, events } = await streamOnce(apiAt(server.url));
      assert.equal(failureOf(outcome).kind, 'protocol');
      assert.match(failureOf(outcome).message, /names a block that is not open/);
      assert.deepStrictEqual(blocksOf(events), []);
    });
  });

  suite('silence', () => {
    const stalls: readonly (readonly [string, readonly SseEvent[]])[] = [
      ['after the headers', []],
      ['after a delta', [messageStart(), ...textBlock(0, 'x').slice(0, 2)]],
    ];
    for (const [where, events] of stalls) {
      test(`${where} ends in a timeout [XN10]`, async () => {
        server.answer(streams(pieces(events), { stall: true }));
        const { outcome } = await streamOnce(apiAt(server.url, { inactivityMs: 80 }));
        assert.equal(failureOf(outcome).kind, 'timeout');
      });
    }

    test('before the headers ends in a timeout', async () => {
      server.answer(() => undefined);
      const { outcome } = await streamOnce(apiAt(server.url, { inactivityMs: 80 }));
      assert.deepStrictEqual(failureOf(outcome).kind, 'timeout');
    });

    const life: readonly (readonly [string, string, boolean])[] = [
      ['pings keep a stream alive', sse([{ type: 'ping' }]), true],
      ['comments keep a stream alive', ': still there\n', true],
      ['unknown events keep a stream alive', sse([{ type: 'future' }]), true],
      ['single bytes do not', ' ', false],
    ];
    for (const [name, sign, alive] of life) {
      test(name, async () => {
        server.answer(async (_request, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          for (let i = 0; i < 10; i++) {
            response.write(sign);
            await new Promise((resolve) => setTimeout(resolve, 40));
          }
          response.end(`\n\n${sse(answer())}`);
        });
        const { outcome } = await streamOnce(apiAt(server.url, { inactivityMs: 160 }));
        assert.equal(outcome.kind, alive ? 'finished' : 'failed');
      });
    }

    test('is not measured by a clock that jumps', async () => {
      const clock = fakeClock();
      server.answer(async (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(sse([messageStart()]));
        clock.jump(86_400_000);
        await new Promise((resolve) => setTimeout(resolve, 30));
        response.end(sse(messageEnd()));
      });
      assert.equal((await streamOnce(apiAt(server.url, { clock }))).outcome.kind, 'finished');
    });

    test('of two minutes is the default', async () => {
      const clock = fakeClock();
      server.answer(streams(pieces([messageStart()]), { stall: true }));
      const events: ModelEvent[] = [];
      let started: () => void = () => undefined;
      const start = new Promise<void>((resolve) => (started = resolve));
      let outcome: ModelOutcome | undefined;
      const done = apiAt(server.url, { clock })
        .model.stream(REQUEST, new AbortController().signal, (event) => {
          events.push(event);
          started();
        })
        .then((result) => (outcome = result));
      await start;
      await clock.advance(119_000);
      assert.equal(outcome, undefined);
      await clock.advance(31_000);
      await done;
      assert.equal(clock.waiting, 0);
      assert.deepStrictEqual(failureOf(await done).kind, 'timeout');
    });
  });

  suite('cancelling', () => {
    test('before it began sends nothing', async () => {
      const { outcome, events } = await streamOnce(apiAt(server.url), REQUEST, AbortSignal.abort());
      assert.deepStrictEqual([outcome, events, server.requests.length], [{ kind: 'cancelled' }, [], 0]);
    });

    test('while the connection is looked up sends nothing', async () => {
      const controller = new AbortController();
      const api = apiAt(server.url, {
        connection: async () => {
          await Promise.resolve();
          controller.abort();
          return { baseUrl: server.url, apiKey: KEY };
        },
      });
      const { outcome } = await streamOnce(api, REQUEST, controller.signal);
      assert.deepStrictEqual([outcome, server.requests.length], [{ kind: 'cancelled' }, 0]);
    });

    test('at any event is done at once: no later event, and the server sees the connection close [XA38]', async () => {
      const events = answer(textBlock(0, 'a', 'b'), toolBlock(1, ['{"command":', '"ls"}']));
      const total = events.length - 2;
      for (let at = 1; at <= total; at++) {
        let closed: () => void = () => undefined;
        const disconnected = new Promise<void>((resolve) => (closed = resolve));
        server.answer(async (request, response) => {
          response.on('close', closed);
          await streams(pieces(events.slice(0, -1)), { stall: true })(request, response);
        });
        const controller = new AbortController();
        const seen: ModelEvent[] = [];
        const outcome = await apiAt(server.url).model.stream(REQUEST, controller.signal, (event) => {
          seen.push(event);
          if (seen.length === at) controller.abort();
        });
        assert.deepStrictEqual([outcome.kind, seen.length], ['cancelled', at]);
        // What was used so far is paid for, too.
        assert.equal(outcome.kind === 'cancelled' && outcome.used?.usage?.input_tokens, 10);
        await disconnected;
        assert.equal(seen.length, at);
      }
    });

    test('inside an answer that came whole hears no more of it', async () => {
      const content = [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ];
      server.answer(replies(200, { ...(messageStart()['message'] as object), content }));
      const controller = new AbortController();
      const seen: string[] = [];
      const outcome = await apiAt(server.url).model.stream(REQUEST, controller.signal, (event) => {
        seen.push(event.type);
        if (seen.length === 2) controller.abort();
      });
      assert.deepStrictEqual([outcome.kind, seen], ['cancelled', ['messageStart', 'blockStart']]);
    });

    test('is settled within one tick, whatever the network does', async () => {
      server.answer(() => undefined);
      const controller = new AbortController();
      let settled = false;
      const done = apiAt(server.url)
        .model.stream(REQUEST, controller.signal, () => undefined)
        .then((outcome) => {
          settled = true;
          return outcome;
        });
      await new Promise((resolve) => setTimeout(resolve, 50));
      controller.abort();
      await new Promise((resolve) => setImmediate(resolve));
      assert.ok(settled);
      assert.deepStrictEqual(await done, { kind: 'cancelled' });
    });

    test('after the end changes nothing, and no listener stays on the signal', async () => {
      server.answer(streams([sse(answer(textBlock(0, 'x')))]));
      const controller = new AbortController();
      let listeners = 0;
      const { signal } = controller;
      const add = signal.addEventListener.bind(signal);
      const remove = signal.removeEventListener.bind(signal);
      signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
      signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args));
      const { outcome } = await streamOnce(apiAt(server.url), REQUEST, signal);
      controller.abort();
      assert.deepStrictEqual([outcome.kind, listeners], ['finished', 0]);
    });
  });

  test('logs each request with its id and outcome, and never a body or key [C92,XN8]', async () => {
    const logger = recordingLogger();
    const api = apiAt(server.url, { logger });
    server.answer(streams([sse(answer(textBlock(0, 'SECRET ANSWER')))]));
    await streamOnce(api);
    server.answer(
      replies(500, { type: 'error', error: { type: 'api_error', message: `leak ${KEY}` }, request_id: 'req_9' }),
    );
    await streamOnce(api);
    const log = logger.lines.join('\n');
    assert.match(log, /info Messages: finished after \d+ ms \(req_test\), end_turn/);
    assert.match(log, /warn Messages: failed after \d+ ms \(req_9\): server 500 api_error: leak \[redacted\]/);
    assert.ok(!/SECRET ANSWER|sk-ant|Hello/.test(log), log);
  });

  test('makes one request only: it does not retry', async () => {
    for (const status of [408, 409, 429, 500, 503, 529]) {
      const before = server.requests.length;
      server.answer(replies(status, {}, { 'retry-after': '0', 'x-should-retry': 'true' }));
      await streamOnce(apiAt(server.url));
      assert.equal(server.requests.length, before + 1, String(status));
    }
  });

  test('settles as a failure when anything of ours throws', async () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const { outcome } = await streamOnce(apiAt(server.url), { ...REQUEST, thinking: circular });
    assert.equal(failureOf(outcome).kind, 'invalid-request');
    const rejected = apiAt(server.url, { connection: () => Promise.reject(new Error('keychain locked')) });
    assert.deepStrictEqual(failureOf((await streamOnce(rejected)).outcome), {
      kind: 'unknown',
      message: 'keychain locked',
    });
    assert.equal(server.requests.length, 0);
  });

  test('keeps blockStart before its deltas when they share a network chunk', async () => {
    server.answer(
      streams([
        sse([messageStart(), blockStart(0, { type: 'text', text: '' })]) + sse(textBlock(0, 'x').slice(1)),
        sse(messageEnd()),
      ]),
    );
    const { events } = await streamOnce(apiAt(server.url));
    assert.deepStrictEqual(
      events.map((event) => event.type),
      ['messageStart', 'blockStart', 'blockDelta', 'blockStop'],
    );
  });
});
