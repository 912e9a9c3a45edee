import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionController } from '../../../src/core/agent/controllerTypes.ts';
import type { ModelEvent } from '../../../src/core/ports.ts';
import type { LogEntry, TurnEnded } from '../../../src/core/session/entries.ts';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import type { Fault } from '../../../src/simulator/faults.ts';
import { scriptPrompt, scripted } from '../../../src/simulator/scenarios/scripted.ts';
import { startSimulator, type Simulator } from '../../../src/simulator/server.ts';
import { echoTool, effectTool } from '../../support/agent.ts';
import { assertSentFitsSdk } from '../../support/sdkRequests.ts';
import { finish, logsIn, simulated } from '../../support/simulated.ts';
import { assertEveryPrefixValid } from '../../support/validRequest.ts';

/** A turn of three requests: both kinds of tools, a mixed group, thinking, a block that nobody knows. */
const PROMPT = scriptPrompt('Do all of it.', [
  {
    steps: [
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'First I look.' },
      { type: 'tool_use', name: 'echo', input: { text: 'a' } },
      { type: 'tool_use', name: 'effect', input: { name: 'b' } },
    ],
  },
  {
    steps: [
      { type: 'block', block: { type: 'new_kind', payload: { deep: [1] } } },
      { type: 'text', text: 'And there.' },
      { type: 'bash_code_execution', command: 'echo later', deferred: true },
      { type: 'tool_use', name: 'effect', input: { name: 'c' } },
    ],
  },
  { steps: [{ type: 'text', text: 'All done.' }] },
]);
const ANSWERS = 3;
/** Silence after which the client gives up, in milliseconds: short where a fault is silence. */
const SILENCE_MS = 60_000;
const SHORT_SILENCE_MS = 150;

type At = (afterEvents: number) => Fault;
const insert =
  (event: unknown): At =>
  (afterEvents) => ({ kind: 'insert', afterEvents, event });
const insertRaw =
  (raw: string): At =>
  (afterEvents) => ({ kind: 'insert', afterEvents, raw });
const errorEvent =
  (type: string): At =>
  (afterEvents) => ({ kind: 'error', afterEvents, type });

/** What can happen at every event. */
const POSITIONED: Readonly<Record<string, At>> = {
  cut: (afterEvents) => ({ kind: 'cut', afterEvents }),
  end: (afterEvents) => ({ kind: 'end', afterEvents }),
  stall: (afterEvents) => ({ kind: 'stall', afterEvents }),
  drop: (afterEvents) => ({ kind: 'drop', afterEvents }),
  repeat: (afterEvents) => ({ kind: 'repeat', afterEvents }),
  overloaded: errorEvent('overloaded_error'),
  internalError: errorEvent('api_error'),
  rateLimit: errorEvent('rate_limit_error'),
  invalidRequest: errorEvent('invalid_request_error'),
  newError: errorEvent('new_error'),
  errorWithoutJson: insertRaw('event: error\ndata: oops\n\n'),
  malformed: insertRaw('event: content_block_delta\ndata: {"type":\n\n'),
  notAnObject: insertRaw('data: null\n\n'),
  comment: insertRaw(': still here\n\n'),
  secondStart: insert({ type: 'message_start', message: { id: 'msg_x', content: [], usage: {} } }),
  earlyStop: insert({ type: 'message_stop' }),
  earlyRefusal: insert({ type: 'message_delta', delta: { stop_reason: 'refusal' }, usage: null }),
  unknownEvent: insert({ type: 'new_event', index: 0, delta: null }),
  unknownDelta: insert({ type: 'content_block_delta', index: 0, delta: { type: 'new_delta', text: 'x' } }),
  noSuchBlock: insert({ type: 'content_block_delta', index: 99, delta: { type: 'text_delta', text: 'x' } }),
  endOfNoBlock: insert({ type: 'content_block_stop', index: 99 }),
  nullBlock: insert({ type: 'content_block_start', index: 0, content_block: null }),
  nullDelta: insert({ type: 'content_block_delta', index: 0, delta: null }),
};

const status = (code: number, more: Partial<Extract<Fault, { kind: 'status' }>> = {}): Fault => ({
  kind: 'status',
  status: code,
  ...more,
});
const TOO_LONG = { 'retry-after': '99999999' };
const SSE = 'text/event-stream';

/** What can happen to a whole answer. */
const WHOLE: Readonly<Record<string, Fault>> = {
  ...Object.fromEntries(
    [400, 401, 402, 403, 404, 405, 408, 409, 413, 418, 422, 429, 500, 503, 504, 529].flatMap((code) => [
      [`HTTP ${code}`, status(code)],
      [`HTTP ${code} as a web page`, status(code, { html: true })],
    ]),
  ),
  'HTTP 429 with a wait': status(429, { headers: { 'retry-after': '20' } }),
  'HTTP 429 with a wait of years': status(429, { headers: TOO_LONG }),
  'HTTP 529 with a wait of years': status(529, { headers: TOO_LONG }),
  'HTTP 429 at a spend limit': status(429, { errorCode: 'enforced_spend_limit_reached' }),
  'HTTP 429 at the limit of the contract': status(429, { errorCode: 'contract_spend_limit_reached' }),
  'HTTP 500 that says not to retry': status(500, { headers: { 'x-should-retry': 'false' } }),
  'a redirect': status(307, { headers: { location: 'http://127.0.0.1:9/v1/messages' } }),
  'no answer': { kind: 'stall' },
  'an empty body': { kind: 'body', contentType: 'application/json', text: '' },
  'an empty stream': { kind: 'body', contentType: SSE, text: '' },
  'a sign-in page': { kind: 'body', contentType: 'text/html', text: '<html>Sign in</html>' },
  'a page that calls itself a stream': { kind: 'body', contentType: SSE, text: '<html>Sign in</html>\n\n' },
  'another type': { kind: 'body', contentType: 'application/octet-stream', text: '\u0000\u0001' },
  'JSON that is no message': { kind: 'body', contentType: 'application/json', text: '{"content":null}' },
  'an error with status 200': { kind: 'body', contentType: 'application/json', text: '{"error":{"type":"api_error"}}' },
  'single bytes': { kind: 'fragment', bytes: 1 },
  'a late answer': { kind: 'delay', ms: 5 },
};

interface Case {
  readonly title: string;
  readonly fault: Fault;
  /** Which answer of the turn it hits, from 0. */
  readonly answer: number;
  /** How many tries in a row it hits. */
  readonly times: number;
}

/** Every fault at every event of every answer, once and for good. */
function everyCase(events: readonly number[]): readonly Case[] {
  const answers = events.map((_, answer) => answer);
  const faults = answers.flatMap((answer) => [
    ...Object.entries(POSITIONED).flatMap(([name, at]) =>
      Array.from({ length: (events[answer] ?? 0) + 1 }, (_, position) => ({
        title: `${name} at event ${position}`,
        fault: at(position),
        answer,
      })),
    ),
    ...Object.entries(WHOLE).map(([name, fault]) => ({ title: name, fault, answer })),
  ]);
  return faults.flatMap((fault) => [1, 9].map((times) => ({ ...fault, times })));
}

interface World {
  readonly controller: SessionController;
  /** Names of the effects that happened, in order. */
  readonly effects: string[];
  readonly problems: () => readonly string[];
}

suite('a fault of the server', () => {
  let simulator: Simulator;
  let folder: string;
  suiteSetup(async () => {
    simulator = await startSimulator({ scenario: scripted, chunkSize: 40, record: 50 });
    folder = await mkdtemp(join(tmpdir(), 'loopdock-faults-'));
  });
  teardown(() => assertSentFitsSdk(simulator.requests));
  suiteTeardown(async () => {
    await simulator.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The real client rooms and the real log; waits between tries take no time. */
  function open(inactivityMs: number, onEvent?: (event: ModelEvent) => void): World {
    const effects: string[] = [];
    const tools = [echoTool(), effectTool({ log: effects }), codeExecutionTool];
    const { controller, logger } = simulated({ simulator, dir: folder, tools, inactivityMs, onEvent });
    const problems = (): readonly string[] =>
      logger.lines.filter(({ level }) => level === 'error').map(({ text }) => text);
    return { controller, effects, problems };
  }

  /** The log as another process reads it. */
  async function stored(controller: SessionController): Promise<readonly LogEntry[]> {
    const log = await logsIn(folder).open(controller.snapshot().state.sessionId);
    assert.deepEqual(log.repairs, [], 'the log is whole');
    const entries = [...log.entries()];
    log.dispose();
    return entries;
  }

  /** Stream events that each answer has; too many do no harm. */
  async function measure(): Promise<readonly number[]> {
    const counts: number[] = [];
    const { controller } = open(SILENCE_MS, ({ type }) => {
      if (type === 'messageStart') counts.push(5);
      // An empty first delta and the signature are not delivered.
      counts[counts.length - 1] = (counts.at(-1) ?? 0) + (type === 'blockStart' ? 2 : 1);
    });
    await controller.submit(PROMPT);
    await finish(controller);
    controller.dispose();
    assert.equal(counts.length, ANSWERS);
    return counts;
  }

  async function check({ title, fault, answer, times }: Case): Promise<TurnEnded['outcome']> {
    const name = `${title}, answer ${answer}, ${times} times`;
    simulator.faults.clear();
    if (answer > 0) simulator.faults.add({ kind: 'delay', ms: 0 }, { times: answer });
    simulator.faults.add(fault, { times });
    const { controller, effects, problems } = open(fault.kind === 'stall' ? SHORT_SILENCE_MS : SILENCE_MS);
    await controller.submit(PROMPT);
    await finish(controller);
    simulator.faults.clear();
    const { rows } = controller.snapshot();
    assert.equal(
      rows.some((row) => ('streaming' in row && row.streaming) || (row.kind === 'tool' && row.approval !== undefined)),
      false,
      `${name}: nothing is left waiting`,
    );
    await controller.submit('And now?');
    await finish(controller);
    const last = controller.snapshot().rows.at(-1);
    assert.equal(last?.kind === 'text' && last.text, 'Simulated answer to: And now?', `${name}: it goes on`);
    const refused = simulator.requests.filter(({ body, status }) => body !== undefined && (status ?? 0) >= 400);
    assert.deepEqual(refused, [], `${name}: every request is accepted`);
    assert.deepEqual(effects, [...new Set(effects)], `${name}: no effect happens twice`);
    assert.deepEqual(problems(), [], `${name}: nothing is thrown into the void`);
    controller.dispose();
    const entries = await stored(controller);
    assertEveryPrefixValid(entries);
    const ends = entries.filter((entry) => entry.type === 'turnEnded');
    assert.deepEqual([ends.length, ends[1]?.outcome], [2, 'done'], name);
    return ends[0]?.outcome ?? 'interrupted';
  }

  /** Every how many-th case is tried: 1 in the soak. A prime, so that every kind and every place has its turn. */
  const step = Number(process.env['LOOPDOCK_FAULT_STEP'] ?? 149);

  test('at any event of any answer ends the turn in a defined state, with a log that goes on [C45,C61,C78,C79,G1,G2,XA2,XA3,XA4,XA11,XA12]', async () => {
    const all = everyCase(await measure());
    assert.ok(all.length > 2_000, String(all.length));
    const cases = all.filter((_, index) => index % step === 0);
    const outcomes = new Map<string, number>();
    for (const one of cases) {
      const outcome = await check(one);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      assert.ok(['done', 'failed', 'refused', 'unknownStop'].includes(outcome), `${one.title}: ${outcome}`);
    }
    assert.ok((outcomes.get('done') ?? 0) > 0 && (outcomes.get('failed') ?? 0) > 0);
  }).timeout(3_600_000);
});
