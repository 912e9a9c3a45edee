import type { Disposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { Clock } from '../ports.ts';
import { applyOps, type ViewModel } from '../../protocol/applyOps.ts';
import type { Op, ViewState } from '../../protocol/messages.ts';
import type { Row } from '../../protocol/rows.ts';

/** One frame: what changes within it travels in one message. */
const FRAME_MS = 16;

/** Turns single changes into numbered patches, at most one per frame. */
export interface Patches extends Disposable {
  readonly onPatch: Event<{ readonly rev: number; readonly ops: readonly Op[] }>;
  push(ops: readonly Op[]): void;
  /** Another session: the view gets everything anew. */
  reset(rows: readonly Row[], state: ViewState): void;
  snapshot(): ViewModel & { readonly rev: number };
}

export function createPatches(clock: Clock, onError: (error: unknown) => void): Patches {
  const emitter = new Emitter<{ readonly rev: number; readonly ops: readonly Op[] }>(onError);
  let pending: Op[] = [];
  let model: ViewModel | undefined;
  let rev = 0;
  let timer: Disposable | undefined;

  const flush = (): void => {
    timer?.dispose();
    timer = undefined;
    if (pending.length === 0 || model === undefined) return;
    const ops = coalesce(pending, model.state);
    pending = [];
    if (ops.length === 0) return;
    model = applyOps(model, ops);
    rev += 1;
    emitter.fire({ rev, ops });
  };

  return {
    onPatch: emitter.event,
    push(ops) {
      pending.push(...ops);
      timer ??= clock.timer(FRAME_MS, flush);
    },
    reset(rows, state) {
      const before = model;
      pending = [];
      const removed = (before?.rows ?? []).map((row): Op => ({ op: 'remove', id: row.id }));
      model = { rows, state };
      rev += 1;
      emitter.fire({ rev, ops: [...removed, ...rows.map((row): Op => ({ op: 'put', row })), { op: 'state', state }] });
    },
    snapshot() {
      flush();
      if (model === undefined) throw new Error('No view yet');
      return { ...model, rev };
    },
    dispose() {
      timer?.dispose();
      emitter.dispose();
    },
  };
}

/** Joins neighbouring appends to one row, keeps the last of several puts and states. The result applies to the same rows. */
function coalesce(ops: readonly Op[], current: ViewState): Op[] {
  const joined: Op[] = [];
  let state: ViewState | undefined;
  for (const op of ops) {
    if (op.op === 'state') {
      state = op.state;
      continue;
    }
    const both = join(joined.at(-1), op);
    if (both === undefined) joined.push(op);
    else joined[joined.length - 1] = both;
  }
  if (state !== undefined && JSON.stringify(state) !== JSON.stringify(current)) joined.push({ op: 'state', state });
  return joined;
}

/** One op that does what the two do, where there is one. */
function join(first: Op | undefined, second: Op): Op | undefined {
  if (first?.op === 'append' && second.op === 'append') {
    if (first.id !== second.id || first.field !== second.field) return undefined;
    return { ...first, text: first.text + second.text };
  }
  if (first?.op !== 'put' || second.op !== 'put' || first.row.id !== second.row.id) return undefined;
  return second.before === undefined && first.before !== undefined ? { ...second, before: first.before } : second;
}
