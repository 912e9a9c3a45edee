import assert from 'node:assert/strict';
import { CancelledError } from '../../../src/core/errors.ts';
import { createClock } from '../../../src/node/clock.ts';
import { createIds } from '../../../src/node/ids.ts';

const clock = createClock();
const live = new AbortController().signal;

suite('clock', () => {
  test('a timer calls once after its time, and not after it was disposed', async () => {
    const calls: string[] = [];
    clock.timer(5, () => calls.push('due'));
    clock.timer(5, () => calls.push('disposed')).dispose();
    const before = clock.now();
    await clock.sleep(30, live);
    assert.deepEqual(calls, ['due']);
    assert.ok(clock.now() - before >= 25);
  });

  test('a timer longer than Node’s longest does not fire at once', async () => {
    let fired = 0;
    const timers = [2 ** 31, 1e15, Infinity].map((ms) => clock.timer(ms, () => (fired += 1)));
    await clock.sleep(20, live);
    for (const timer of timers) timer.dispose();
    assert.equal(fired, 0);
  });

  test('a time that is none is due at once', async () => {
    for (const ms of [0, -5, Number.NaN]) await new Promise<void>((resolve) => clock.timer(ms, resolve));
  });

  test('a sleep ends with its signal, before or during it, and leaves no listener', async () => {
    const controller = new AbortController();
    const sleeping = clock.sleep(60_000, controller.signal);
    controller.abort();
    await assert.rejects(sleeping, CancelledError);
    await assert.rejects(clock.sleep(0, controller.signal), CancelledError);
  });
});

suite('ids', () => {
  const ids = createIds();

  test('are long, safe in URLs and file names, and never the same', () => {
    const many = Array.from({ length: 1000 }, () => ids.random());
    assert.equal(new Set(many).size, 1000);
    for (const id of many) assert.match(id, /^[\w-]{22}$/);
  });

  test('hash as SHA-256 of the UTF-8 bytes', () => {
    assert.equal(ids.hash('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    assert.notEqual(ids.hash('ü'), ids.hash('u'));
  });
});
