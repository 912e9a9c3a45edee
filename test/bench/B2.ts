/** An answer over loopback HTTP, one write per event, against reading and discarding the same bytes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApi } from '../../src/api/index.ts';
import type { ModelPort, ModelRequest } from '../../src/core/ports.ts';
import { createClock } from '../../src/node/clock.ts';
import { compareQuietly, start, type Figure, type Options } from './harness.ts';
import { makeStream } from './streams.ts';

const REQUEST: ModelRequest = {
  model: 'm',
  maxTokens: 1024,
  system: [],
  tools: [],
  messages: [{ role: 'user', content: 'Hello' }],
  betas: [],
};
const silent = { info: () => undefined, warn: () => undefined, trace: () => undefined, error: () => undefined };

/** The contender: one whole request; gives the length of the text. */
export async function stream(model: ModelPort): Promise<number> {
  let chars = 0;
  const outcome = await model.stream(REQUEST, new AbortController().signal, (event) => {
    if (event.type === 'blockDelta') chars += event.text.length;
  });
  assert.equal(outcome.kind, 'finished');
  return chars;
}

/** How many events are heard after an abort in the middle of a stream, once the current tick has ended. */
async function heardAfterAbort(model: ModelPort): Promise<number> {
  const abort = new AbortController();
  let late = 0;
  let ticked = false;
  let events = 0;
  const ended = model.stream(REQUEST, abort.signal, () => {
    events += 1;
    if (events === 100) {
      abort.abort();
      setImmediate(() => (ticked = true));
    } else if (ticked) late += 1;
  });
  assert.equal((await ended).kind, 'cancelled');
  await new Promise((resolve) => setTimeout(resolve, 100));
  return late;
}

async function discard(url: string): Promise<number> {
  const response = await fetch(`${url}/v1/messages`, { method: 'POST', body: '{}' });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytes;
    bytes += value.byteLength;
  }
}

async function writeAll(response: ServerResponse, events: readonly Uint8Array[]): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.on('error', () => undefined).setMaxListeners(0);
  const closed = once(response, 'close');
  for (const event of events) {
    if (response.destroyed) return;
    if (!response.write(event)) await Promise.race([once(response, 'drain'), closed]);
  }
  response.end();
}

async function run({ sizes, rounds }: Options): Promise<readonly Figure[]> {
  let events: readonly Uint8Array[] = [];
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => void writeAll(response, events).catch(() => response.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = (): Promise<{ baseUrl: string; apiKey: string }> =>
    Promise.resolve({ baseUrl: url, apiKey: 'key' });
  const { model } = createApi({ connection, logger: silent, clock: createClock() });
  const samples = [];
  for (const size of sizes) {
    events = makeStream('text', size).events;
    samples.push(await compareQuietly({ discard: () => discard(url), ours: () => stream(model) }, rounds));
  }
  const late = await heardAfterAbort(model);
  server.closeAllConnections();
  const [small, large] = samples.slice(-2);
  if (small === undefined) return [];
  return [
    {
      workload: `${sizes.at(-2) ?? sizes[0]} MB of text, one write per event`,
      ratio: small.ours.min / small.discard.min,
      target: 1.4,
      ...(large === undefined ? {} : { growth: large.ours.min / small.ours.min, growthTarget: 2.2 }),
      heapMb: small.ours.heapMb,
      note: `${small.ours.min.toFixed(0)} ms; ${late} events heard after an abort`,
    },
  ];
}

if (require.main?.filename.endsWith('B2.js')) start('B2', [2, 4], run);
