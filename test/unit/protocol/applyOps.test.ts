import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { applyOps } from '../../../src/protocol/applyOps.ts';
import type { ViewModel } from '../../../src/protocol/applyOps.ts';
import type { Op, ViewState } from '../../../src/protocol/messages.ts';
import type { Row } from '../../../src/protocol/rows.ts';

const state: ViewState = {
  sessionId: 's',
  title: '',
  busy: false,
  phase: '',
  waiting: 0,
  mode: 'ask',
  model: '',
  models: [],
  container: null,
  simulated: false,
  trusted: true,
  hasKey: true,
  readOnly: false,
  contextTokens: 0,
  contextLimit: null,
  usage: null,
  suggestedPrompt: '',
  queued: [],
  inputs: [],
};
const empty: ViewModel = { rows: [], state };

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
/** Structured clones, as messages are, have the ordinary prototype. */
function plain<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true });
}

const words = fc.string({ maxLength: 8 });
const row: fc.Arbitrary<Row> = fc.oneof(
  plain({ kind: fc.constant('user' as const), id, text: words }),
  plain({ kind: fc.constant('text' as const), id, model: words, text: words, streaming: fc.boolean() }),
  plain({ kind: fc.constant('thinking' as const), id, text: words, streaming: fc.boolean() }),
  plain({
    kind: fc.constant('tool' as const),
    id,
    callId: id,
    tool: words,
    title: words,
    place: fc.constant('local' as const),
    status: fc.constant('running' as const),
    body: fc.oneof(
      plain({ kind: fc.constant('terminal' as const), command: words, output: words }),
      plain({ kind: fc.constant('text' as const), text: words }),
      plain({ kind: fc.constant('none' as const) }),
    ),
  }),
);
const op: fc.Arbitrary<Op> = fc.oneof(
  plain({ op: fc.constant('put' as const), row }),
  plain({ op: fc.constant('put' as const), row, before: id }),
  plain({
    op: fc.constant('append' as const),
    id,
    field: fc.constantFrom('text' as const, 'output' as const),
    text: words,
  }),
  plain({ op: fc.constant('remove' as const), id }),
  plain({ op: fc.constant('state' as const), state: words.map((title) => ({ ...state, title })) }),
);
const ops = fc.array(op, { maxLength: 40 });

suite('applyOps', () => {
  test('a snapshot followed by the later patches equals all patches from the start, wherever the snapshot was taken', () => {
    fc.assert(
      fc.property(ops, fc.nat(40), (all, at) => {
        const snapshot = applyOps(empty, all.slice(0, at));
        const received = structuredClone(snapshot);
        assert.deepEqual(applyOps(received, all.slice(at)), applyOps(empty, all));
      }),
    );
  });

  test('one patch of many ops equals many patches of one op', () => {
    fc.assert(
      fc.property(ops, (all) => {
        const oneByOne = all.reduce<ViewModel>((model, next) => applyOps(model, [next]), empty);
        assert.deepEqual(applyOps(empty, all), oneByOne);
      }),
    );
  });

  test('agrees with a naive list of rows', () => {
    fc.assert(fc.property(ops, (all) => assert.deepEqual(applyOps(empty, all).rows, naive(all))));
  });

  test('leaves the model that it was given as it was, and unchanged rows identical', () => {
    fc.assert(
      fc.property(ops, op, (before, next) => {
        const model = applyOps(empty, before);
        const copy = structuredClone(model);
        const after = applyOps(model, [next]);
        assert.deepEqual(model, copy);
        const touched = next.op === 'put' ? next.row.id : next.op === 'state' ? undefined : next.id;
        for (const old of model.rows) if (old.id !== touched) assert.ok(after.rows.includes(old));
      }),
    );
  });

  test('never has two rows with one id', () => {
    fc.assert(
      fc.property(ops, (all) => {
        const ids = applyOps(empty, all).rows.map((each) => each.id);
        assert.equal(new Set(ids).size, ids.length);
      }),
    );
  });
});

/** What the ops mean, written as plainly as can be. */
function naive(all: readonly Op[]): Row[] {
  let rows: Row[] = [];
  for (const next of all) {
    if (next.op === 'remove') rows = rows.filter((each) => each.id !== next.id);
    else if (next.op === 'append') rows = rows.map((each) => (each.id === next.id ? longer(each, next) : each));
    else if (next.op === 'put') {
      const known = rows.some((each) => each.id === next.row.id);
      if (known) rows = rows.map((each) => (each.id === next.row.id ? next.row : each));
      else if (rows.some((each) => each.id === next.before)) {
        rows = rows.flatMap((each) => (each.id === next.before ? [next.row, each] : [each]));
      } else rows = [...rows, next.row];
    }
  }
  return rows;
}

function longer(old: Row, { field, text }: Extract<Op, { op: 'append' }>): Row {
  const copy = structuredClone(old) as unknown as Record<string, unknown> & { body?: Record<string, unknown> };
  if (field === 'text' && (old.kind === 'text' || old.kind === 'thinking')) copy['text'] = old.text + text;
  if (field === 'output' && old.kind === 'tool' && copy.body) {
    const name = old.body.kind === 'terminal' ? 'output' : old.body.kind === 'text' ? 'text' : undefined;
    if (name) copy.body[name] = `${String(copy.body[name])}${text}`;
  }
  return copy as unknown as Row;
}
