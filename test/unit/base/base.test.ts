import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DisposableStore, toDisposable } from '../../../src/core/base/disposable.ts';
import { Emitter } from '../../../src/core/base/event.ts';
import { withGrace } from '../../../src/core/base/grace.ts';
import { createJsonFieldReader } from '../../../src/core/base/jsonFields.ts';
import { cutMiddle, cutText, toWellFormed } from '../../../src/core/base/text.ts';

suite('text', () => {
  test('unpaired surrogates become U+FFFD and pairs stay', () => {
    assert.equal(toWellFormed('a\uD83Db\uDE00c😀'), 'a\uFFFDb\uFFFDc😀');
  });

  test('cuts never split a code point', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (value, max) => {
        const whole = toWellFormed(value);
        const cut = cutText(whole, max);
        assert.ok(cut.length <= max && whole.startsWith(cut));
        assert.equal(toWellFormed(cut), cut);
        const middle = cutMiddle(whole, max, () => '');
        assert.ok(middle.length <= Math.max(max, 0));
        assert.equal(toWellFormed(middle), middle);
      }),
    );
  });

  test('a cut in the middle says how much is missing', () => {
    assert.equal(
      cutMiddle('abcdefghij', 4, (omitted) => `[${String(omitted)}]`),
      'ab[6]ij',
    );
  });
});

suite('jsonFields', () => {
  test('gives the top-level strings as they arrive, however the text is cut', () => {
    const json =
      '{"command":"create","n":1,"nested":{"command":"x","deep":["y"]},"path":"a\\u0062\\n","file_text":"l1\\nl\\"2\\\\ \\ud83d\\ude00"}';
    const parsed = JSON.parse(json) as Record<string, unknown>;
    for (const size of [1, 2, 3, 7, json.length]) {
      const reader = createJsonFieldReader();
      let fileText = '';
      for (let at = 0; at < json.length; at += size) {
        for (const piece of reader.feed(json.slice(at, at + size)))
          if (piece.key === 'file_text') fileText += piece.text;
      }
      assert.deepEqual({ ...reader.fields() }, { command: 'create', path: 'ab\n', file_text: parsed['file_text'] });
      assert.equal(fileText, parsed['file_text']);
    }
  });

  test('equals JSON.parse for any object of strings at its end', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((key) => key !== '__proto__'),
          fc.string({ minLength: 1 }),
        ),
        (value) => {
          const reader = createJsonFieldReader();
          reader.feed(JSON.stringify(value));
          assert.deepEqual({ ...reader.fields() }, { ...value });
        },
      ),
    );
  });

  test('never throws on what is not such an object', () => {
    fc.assert(fc.property(fc.string(), (value) => void createJsonFieldReader().feed(value)));
  });
});

suite('disposables and events', () => {
  test('a store disposes in reverse order, once, and late arrivals at once', () => {
    const order: string[] = [];
    const store = new DisposableStore();
    store.add(toDisposable(() => order.push('a')));
    store.add(toDisposable(() => order.push('b')));
    store.dispose();
    store.dispose();
    store.add(toDisposable(() => order.push('late')));
    assert.deepEqual(order, ['b', 'a', 'late']);
  });

  test('a listener that throws keeps no other from hearing', () => {
    const heard: string[] = [];
    const emitter = new Emitter<string>((error) => heard.push(String(error)));
    emitter.event(() => {
      throw new Error('broken');
    });
    const second = emitter.event((value) => heard.push(value));
    emitter.fire('one');
    second.dispose();
    emitter.fire('two');
    assert.deepEqual(heard, ['Error: broken', 'one', 'Error: broken']);
  });

  test('grace ends the wait for work that does not stop, and not before', async () => {
    const abort = new AbortController();
    const timers: (() => void)[] = [];
    const options = {
      signal: abort.signal,
      graceMs: 5,
      timer: (_ms: number, run: () => void) => {
        timers.push(run);
        return toDisposable(() => undefined);
      },
      late: () => new Error('late'),
    };
    assert.equal(await withGrace(Promise.resolve(1), options), 1);
    const stuck = withGrace(new Promise(() => undefined), options);
    assert.equal(timers.length, 0);
    abort.abort();
    timers[0]?.();
    await assert.rejects(stuck, /late/);
  });
});
