import type { BatchManager } from '../../core/batches/batchManager.ts';
import type { Disposable } from '../../core/base/disposable.ts';

/** Batches as commands and the tree use them. */
export interface Batches extends Disposable {
  readonly manager: BatchManager;
  /** Asks for the inputs (unless they are given), the prompt and a yes, and submits. */
  start(first?: unknown, all?: unknown): Promise<void>;
  /** Opens an item as a session of its own, and fetches the files that it made. */
  open(batchId: string, itemId: string): Promise<void>;
  /** Submits again what did not succeed, after a yes. */
  retry(batchId: string): Promise<void>;
  cancel(batchId: string): Promise<void>;
  forget(batchId: string): Promise<void>;
}
