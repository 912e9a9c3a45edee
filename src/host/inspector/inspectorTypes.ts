import type { Disposable } from '../../core/base/disposable.ts';

/** Read-only views of what was sent and what came back, made anew from the log whenever one is opened. */
export interface Inspector extends Disposable {
  /** `target` may name an answer by `messageId`; without one the user chooses. */
  inspect(target: unknown): Promise<void>;
}
