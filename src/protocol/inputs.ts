/** How a file of the user's goes to Claude: shown in the message, or put into the container. */
export type InputUse = 'image' | 'document' | 'text' | 'container';

/** A file that goes with the next message. Nothing of it has left this computer. */
export interface InputView {
  readonly id: string;
  readonly name: string;
  /** Where it is, as it is shown. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly use: InputUse;
  /** What it can be sent as; at least `use`. */
  readonly uses: readonly InputUse[];
  /**
   * `secret`, `ignored`: the user was asked, and wants it sent all the same. `noSandbox`: the model has no container, so
   * that it can't be sent like this.
   */
  readonly caution?: 'secret' | 'ignored' | 'noSandbox';
}

/** A file that went with a message. */
export interface SentFileView {
  readonly name: string;
  readonly size: number;
  readonly use: InputUse;
}

/** A message that waits for the turn's end. */
export interface QueuedView {
  readonly text: string;
  /** Names of its files. */
  readonly files: readonly string[];
}

/** A file that was dropped, as the view knows it: where it is, nobody says. */
export interface DroppedFile {
  readonly id: string;
  readonly name: string;
  readonly size: number;
}

/** Bytes of a dropped file, or why there are none. */
export type PieceOfFile = Uint8Array | 'unreadable';
