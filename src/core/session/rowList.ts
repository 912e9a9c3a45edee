import { appendTo } from '../../protocol/applyOps.ts';
import type { Op } from '../../protocol/messages.ts';
import type { Row } from '../../protocol/rows.ts';

/** The rows in order, and the ops that a view needs to follow. Changes near the end are cheap however many rows there are. */
export interface RowList {
  get(id: string): Row | undefined;
  has(id: string): boolean;
  all(): readonly Row[];
  /** Rows whose state still goes on. */
  unsettled(): readonly Row[];
  /** Replaces the row of this id, or adds it at the end. */
  put(row: Row): void;
  /** As `put`, but a new row goes below its parent, after its siblings there. */
  putBelow(parent: string, row: Row): void;
  remove(id: string): void;
  append(id: string, field: 'text' | 'output', text: string): void;
  /** The ops since the last call. */
  takeOps(): readonly Op[];
}

const SETTLED: ReadonlySet<string> = new Set(['done', 'error', 'denied', 'cancelled']);

export function createRowList(): RowList {
  return new List();
}

class List implements RowList {
  readonly #rows: Row[] = [];
  readonly #places = new Map<string, number>();
  readonly #unsettled = new Set<string>();
  #ops: Op[] = [];

  get(id: string): Row | undefined {
    const at = this.#places.get(id);
    return at === undefined ? undefined : this.#rows[at];
  }

  has(id: string): boolean {
    return this.#places.has(id);
  }

  all(): readonly Row[] {
    return [...this.#rows];
  }

  unsettled(): readonly Row[] {
    return [...this.#unsettled].map((id) => this.get(id)).filter((row) => row !== undefined);
  }

  put(row: Row): void {
    this.#set(row, this.#rows.length);
    this.#ops.push({ op: 'put', row });
  }

  putBelow(parent: string, row: Row): void {
    let at = (this.#places.get(parent) ?? this.#rows.length - 1) + 1;
    while (this.#rows[at]?.kind === 'attachment') at += 1;
    const before = this.#rows[at];
    if (this.has(row.id) || before === undefined) return this.put(row);
    this.#set(row, at);
    this.#ops.push({ op: 'put', row, before: before.id });
  }

  remove(id: string): void {
    const at = this.#places.get(id);
    if (at === undefined) return;
    this.#rows.splice(at, 1);
    this.#places.delete(id);
    this.#unsettled.delete(id);
    this.#renumber(at);
    this.#ops.push({ op: 'remove', id });
  }

  append(id: string, field: 'text' | 'output', text: string): void {
    const row = this.get(id);
    const grown = row === undefined || text === '' ? row : appendTo(row, field, text);
    if (grown === undefined || grown === row) return;
    this.#set(grown, this.#rows.length);
    this.#ops.push({ op: 'append', id, field, text });
  }

  takeOps(): readonly Op[] {
    const ops = this.#ops;
    this.#ops = [];
    return ops;
  }

  /** Replaces the row, or inserts it at `fallback`. */
  #set(row: Row, fallback: number): void {
    const at = this.#places.get(row.id);
    if (at === undefined) {
      this.#rows.splice(fallback, 0, row);
      this.#renumber(fallback);
    } else this.#rows[at] = row;
    if (isSettled(row)) this.#unsettled.delete(row.id);
    else this.#unsettled.add(row.id);
  }

  #renumber(from: number): void {
    for (let at = from; at < this.#rows.length; at++) this.#places.set((this.#rows[at] as Row).id, at);
  }
}

function isSettled(row: Row): boolean {
  if (row.kind === 'text' || row.kind === 'thinking') return !row.streaming;
  return row.kind !== 'tool' || SETTLED.has(row.status);
}
