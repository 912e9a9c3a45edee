import assert from 'node:assert/strict';
import { startWatchdog } from '../../../src/api/watchdog.ts';
import { fakeClock } from '../../support/fakes.ts';

suite('the watchdog', () => {
  function watch(): {
    readonly clock: ReturnType<typeof fakeClock>;
    readonly dog: ReturnType<typeof startWatchdog>;
    barks: number;
  } {
    const clock = fakeClock();
    const state = { clock, dog: startWatchdog(clock, 1_000, () => (state.barks += 1)), barks: 0 };
    return state;
  }

  test('barks once, between the time that was set and a quarter more', async () => {
    const state = watch();
    await state.clock.advance(1_000);
    assert.equal(state.barks, 0);
    await state.clock.advance(250);
    assert.equal(state.barks, 1);
    await state.clock.advance(10_000);
    assert.deepStrictEqual([state.barks, state.clock.waiting], [1, 0]);
  });

  test('starts over with every sign of life [C85]', async () => {
    const state = watch();
    for (let i = 0; i < 5; i++) {
      await state.clock.advance(900);
      state.dog.alive();
    }
    assert.equal(state.barks, 0);
    await state.clock.advance(1_250);
    assert.equal(state.barks, 1);
  });

  test('takes 64 KB for life, and single bytes not', async () => {
    const state = watch();
    await state.clock.advance(900);
    state.dog.bytes(65_535);
    state.dog.bytes(1);
    await state.clock.advance(900);
    assert.equal(state.barks, 0);
    state.dog.bytes(1);
    await state.clock.advance(400);
    assert.equal(state.barks, 1);
  });

  test('is quiet when it was disposed, and leaves no timer', async () => {
    const state = watch();
    await state.clock.advance(600);
    state.dog.dispose();
    assert.equal(state.clock.waiting, 0);
    await state.clock.advance(5_000);
    assert.equal(state.barks, 0);
  });
});
