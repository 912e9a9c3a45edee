import assert from 'node:assert/strict';
import { createSerial } from '../../../src/core/base/serial.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

suite('Changes one at a time', () => {
  test('run in the order in which they were asked for, each after the end of the one before', async () => {
    const serial = createSerial();
    const seen: string[] = [];
    const change = (name: string) => async (): Promise<string> => {
      seen.push(`+${name}`);
      await turn();
      seen.push(`-${name}`);
      return name;
    };
    assert.deepEqual(await Promise.all([serial.run(change('a')), serial.run(change('b'))]), ['a', 'b']);
    assert.deepEqual(seen, ['+a', '-a', '+b', '-b']);
  });

  test('go on after one that failed, and only its caller hears of it', async () => {
    const serial = createSerial();
    const failed = serial.run(() => Promise.reject(new Error('no')));
    const next = serial.run(() => Promise.resolve(1));
    await assert.rejects(failed, /no/);
    assert.equal(await next, 1);
  });

  test('are waited for with all that were added meanwhile', async () => {
    const serial = createSerial();
    let ended = 0;
    void serial.run(async () => {
      await turn();
      ended++;
      void serial.run(async () => {
        await turn();
        ended++;
      });
    });
    await serial.settled();
    assert.equal(ended, 2);
  });
});
