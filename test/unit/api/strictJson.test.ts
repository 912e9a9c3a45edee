import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { isDeeperThan, parseToolInput } from '../../../src/api/strictJson.ts';

const nested = (depth: number): string => '{"a":'.repeat(depth - 1) + '{}' + '}'.repeat(depth - 1);

suite('strict tool input', () => {
  const accepted: readonly (readonly [string, unknown])[] = [
    ['', {}],
    [' \n', {}],
    ['{}', {}],
    [' {"a": 1} ', { a: 1 }],
    ['{"a":{"a":{"a":[{"a":1},{"a":2}]}}}', { a: { a: { a: [{ a: 1 }, { a: 2 }] } } }],
    ['{"a":"x:y","b":"\\"a\\":1","c\\\\":":"}', { a: 'x:y', b: '"a":1', 'c\\': ':' }],
    ['{"":"","1":1}', { '': '', 1: 1 }],
    ['{"a":"\\ud83d\\u0000"}', { a: '\ud83d\u0000' }],
    [nested(64), JSON.parse(nested(64))],
  ];
  for (const [raw, value] of accepted) {
    test(`takes ${raw.slice(0, 40)}`, () => assert.deepStrictEqual(parseToolInput(raw), value));
  }

  const refused: readonly (readonly [string, string])[] = [
    ['a cut text', '{"command":"rm -rf /tmp/x'],
    ['a text cut between two fields', '{"path":"a","old_str":'],
    ['an array', '[1]'],
    ['null', 'null'],
    ['a string', '"ls"'],
    ['a number', '7'],
    ['no JSON at all', 'ls -la'],
    ['two values', '{}{}'],
    ['a trailing comma', '{"a":1,}'],
    ['a doubled key', '{"a":1,"a":2}'],
    ['a doubled key in the depth', '{"x":[{"k":{"a":1,"b":2,"a":3}}]}'],
    ['a doubled key that is escaped once', '{"a":1,"\\u0061":2}'],
    ['a doubled __proto__', '{"__proto__":1,"__proto__":2}'],
    ['65 levels', nested(65)],
    ['100,000 levels of arrays', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['a byte order mark', '\uFEFF{}x'],
  ];
  for (const [name, raw] of refused) {
    test(`refuses ${name}`, () => assert.equal(parseToolInput(raw), undefined));
  }

  test('keeps a __proto__ key as a key and pollutes nothing', () => {
    const value = parseToolInput('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    assert.deepStrictEqual(Object.keys(value ?? {}), ['__proto__', 'constructor']);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
  });

  test('takes every object that JSON.stringify writes (property)', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (value) => {
        const raw = JSON.stringify(value);
        assert.deepStrictEqual(parseToolInput(raw), JSON.parse(raw));
      }),
    );
  });

  test('refuses every proper prefix of an object (property) [XA13,XA15]', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), fc.nat(), (value, at) => {
        const raw = JSON.stringify(value);
        const cut = raw.slice(0, 1 + (at % (raw.length - 1)));
        assert.equal(parseToolInput(cut), undefined);
      }),
    );
  });

  test('takes time in proportion to the text', () => {
    const started = performance.now();
    for (const unit of ['\\\\', '\\"', ':', 'x']) {
      assert.ok(parseToolInput(JSON.stringify({ a: unit.repeat(1_000_000) })));
    }
    assert.ok(performance.now() - started < 3_000);
  });

  test('measures depth without following it', () => {
    const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    assert.deepStrictEqual(
      [isDeeperThan(deep, 64), isDeeperThan([[[]]], 3), isDeeperThan([[[]]], 2), isDeeperThan(7, 0)],
      [true, false, true, false],
    );
  });
});
