import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { MAX_TEXT_LENGTH, parseFromWebview, parseToWebview } from '../../../src/protocol/check.ts';
import { PROTOCOL_VERSION } from '../../../src/protocol/messages.ts';
import type { FromWebview } from '../../../src/protocol/messages.ts';

/** One of each, so that the compiler asks for an example of a new message. */
const examples: { readonly [T in FromWebview['type']]: Extract<FromWebview, { type: T }> } = {
  ready: { type: 'ready', v: 1 },
  resync: { type: 'resync' },
  'prompt/submit': { type: 'prompt/submit', text: 'Hello' },
  'composer/changed': { type: 'composer/changed', text: 'Hel' },
  'prompt/unqueue': { type: 'prompt/unqueue', index: 0 },
  'input/mention': { type: 'input/mention' },
  'input/pick': { type: 'input/pick' },
  'input/dropFiles': { type: 'input/dropFiles', files: [{ id: 'd', name: 'a.csv', size: 3 }] },
  'input/dropPiece': { type: 'input/dropPiece', id: 'd', at: 0, data: new Uint8Array([1]) },
  'input/drop': { type: 'input/drop', uris: ['file:///w/a.csv'] },
  'input/use': { type: 'input/use', id: 'i', use: 'container' },
  'input/remove': { type: 'input/remove', id: 'i' },
  'turn/stop': { type: 'turn/stop' },
  'turn/continue': { type: 'turn/continue' },
  'session/new': { type: 'session/new' },
  'session/list': { type: 'session/list' },
  'session/open': { type: 'session/open', id: 's1' },
  'approval/answer': { type: 'approval/answer', id: 'a', choice: 'deny', message: 'no' },
  'approval/openDiff': { type: 'approval/openDiff', id: 'a' },
  'attachment/open': { type: 'attachment/open', fileId: 'f' },
  'attachment/saveAs': { type: 'attachment/saveAs', fileId: 'f' },
  'attachment/addToWorkspace': { type: 'attachment/addToWorkspace', fileId: 'f' },
  'attachment/retry': { type: 'attachment/retry', fileId: 'f' },
  'notice/action': { type: 'notice/action', id: 'n', action: 'retry' },
  'request/inspect': { type: 'request/inspect', row: 'b:1:0' },
  'model/choose': { type: 'model/choose' },
  'link/open': { type: 'link/open', url: 'https://example.com/' },
  'terminal/show': { type: 'terminal/show' },
  log: { type: 'log', level: 'warn', text: 'x' },
};

suite('parseFromWebview', () => {
  for (const example of Object.values(examples)) {
    test(`takes ${example.type}, and refuses it with any field missing or mistyped`, () => {
      assert.deepEqual(parseFromWebview(example), example);
      for (const field of Object.keys(example).filter((name) => name !== 'message')) {
        const without = Object.fromEntries(Object.entries(example).filter(([name]) => name !== field));
        assert.equal(parseFromWebview(without), undefined, `without ${field}`);
        for (const wrong of [null, {}, [], true, Number.NaN, -1, 1.5, ['text'], Symbol.iterator]) {
          assert.equal(parseFromWebview({ ...example, [field]: wrong }), undefined, `${field} is a ${typeof wrong}`);
        }
      }
    });
  }

  test('takes an answer without a message, and none with a mistyped one', () => {
    const answer = { type: 'approval/answer', id: 'a', choice: 'allow' };
    assert.deepEqual(parseFromWebview(answer), answer);
    assert.equal(parseFromWebview({ ...answer, message: 5 }), undefined);
    assert.equal(parseFromWebview({ ...answer, message: null }), undefined);
    assert.equal(parseFromWebview({ ...answer, choice: 'always' }), undefined);
  });

  test('refuses what is no message', () => {
    const values = [
      undefined,
      null,
      0,
      '',
      'ready',
      [],
      [{ type: 'resync' }],
      () => undefined,
      { type: 'constructor' },
    ];
    for (const value of [...values, { type: 'toString' }, { type: '__proto__' }, { type: 'prompt/steer', text: 'x' }]) {
      assert.equal(parseFromWebview(value), undefined);
    }
  });

  test('refuses keys that reach for prototypes, and fields that are only inherited', () => {
    const own = JSON.parse('{"type":"prompt/submit","text":"x","__proto__":{"polluted":true}}') as unknown;
    assert.equal(parseFromWebview(own), undefined);
    assert.equal(parseFromWebview({ type: 'prompt/submit', text: 'x', constructor: {} }), undefined);
    const inherited = Object.create({ text: 'x' }) as Record<string, unknown>;
    inherited['type'] = 'prompt/submit';
    assert.equal(parseFromWebview(inherited), undefined);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });

  test('takes a text up to its limit and not beyond', () => {
    const text = 'x'.repeat(MAX_TEXT_LENGTH);
    assert.ok(parseFromWebview({ type: 'prompt/submit', text }));
    assert.equal(parseFromWebview({ type: 'prompt/submit', text: `${text}x` }), undefined);
    assert.equal(parseFromWebview({ type: 'session/open', id: text }), undefined);
    assert.equal(parseFromWebview({ type: 'link/open', url: `https://x/${text}` }), undefined);
    assert.equal(parseFromWebview({ type: 'session/open', id: '' }), undefined);
  });

  test('passes on known fields only', () => {
    assert.deepEqual(parseFromWebview({ type: 'resync', extra: 1, text: 'y' }), { type: 'resync' });
  });

  test('never throws, whatever comes', () => {
    const types = fc.constantFrom(...Object.keys(examples));
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true }), (value) => void parseFromWebview(value)),
    );
    fc.assert(
      fc.property(
        types,
        fc.dictionary(fc.string(), fc.anything()),
        (type, rest) => void parseFromWebview({ ...rest, type }),
      ),
    );
  });
});

suite('parseToWebview', () => {
  const row = { kind: 'user', id: 'u', text: 'x' };

  test('takes what the host sends', () => {
    const messages = [
      { type: 'snapshot', v: PROTOCOL_VERSION, rev: 0, state: {}, rows: [row] },
      {
        type: 'patch',
        rev: 1,
        ops: [
          { op: 'put', row },
          { op: 'remove', id: 'u' },
          { op: 'state', state: {} },
        ],
      },
      { type: 'patch', rev: 2, ops: [{ op: 'append', id: 'u', field: 'text', text: 'y' }] },
      { type: 'sessions', sessions: [] },
      { type: 'draft', text: 'x' },
      { type: 'focus' },
      { type: 'announce', text: 'x' },
    ];
    for (const message of messages) assert.equal(parseToWebview(message), message);
  });

  test('refuses what would break drawing', () => {
    const messages = [
      null,
      { type: 'nope' },
      { type: 'snapshot', v: PROTOCOL_VERSION, rev: 0, state: null, rows: [] },
      { type: 'snapshot', v: PROTOCOL_VERSION, rev: 0, state: {}, rows: [null] },
      { type: 'patch', rev: '1', ops: [] },
      { type: 'patch', rev: 1, ops: [{ op: 'explode' }] },
      { type: 'patch', rev: 1, ops: [{ op: 'put', row: {} }] },
      { type: 'announce' },
    ];
    for (const message of messages) assert.equal(parseToWebview(message), undefined);
  });

  test('lets a snapshot of another version through, so that the view can say so', () => {
    assert.ok(parseToWebview({ type: 'snapshot', v: PROTOCOL_VERSION + 1 }));
  });
});
