/** Something that holds a resource until it is disposed. Same shape as VS Code's own. */
export interface Disposable {
  dispose(): void;
}

/** Owns disposables. What is added after `dispose()` is disposed at once, so a late arrival can't leak. */
export class DisposableStore implements Disposable {
  readonly #items = new Set<Disposable>();
  #disposed = false;

  get disposed(): boolean {
    return this.#disposed;
  }

  /** Takes ownership and hands the item back. */
  add<T extends Disposable>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#items.add(item);
    return item;
  }

  /** Disposes in reverse order of arrival. Never throws: the first error is reported after all are disposed. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const items = [...this.#items].reverse();
    this.#items.clear();
    let failure: unknown;
    for (const item of items) {
      try {
        item.dispose();
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) queueMicrotask(() => reportLate(failure));
  }
}

function reportLate(failure: unknown): never {
  throw failure;
}

/** Wraps a function as a disposable that runs it once. */
export function toDisposable(run: () => void): Disposable {
  let done = false;
  return {
    dispose() {
      if (done) return;
      done = true;
      run();
    },
  };
}
