import * as l10n from '@vscode/l10n';
import type { InputUse, QueuedView } from '../../protocol/inputs.ts';
import type { Ids } from '../ports.ts';
import { choose, createTray, type ChosenFile, type InputFile, type Tray } from './tray.ts';

/** What the user wants to say. */
export interface Message {
  readonly text: string;
  readonly files: readonly ChosenFile[];
}

/** A file, and what it is to be sent as where it can be. */
export interface Offered {
  readonly file: InputFile;
  readonly use?: InputUse;
}

/** Words without files. */
export function asMessage(text: string | undefined): Message | undefined {
  return text === undefined ? undefined : { text, files: [] };
}

/** What is still to be said: the files of the next message, and the messages that wait for the turn's end. */
export interface Outbox {
  readonly tray: Tray;
  /** What was typed, with the tray's files or, where they are given, with these; undefined when that is nothing. */
  compose(text: string, files?: readonly Offered[]): Message | undefined;
  queue(message: Message): void;
  /** `edit`: its files come back into the tray. */
  unqueue(index: number, edit: boolean): void;
  next(): Message | undefined;
  /** It could not be said: it is the first in the queue again. */
  putBack(message: Message): void;
  clearQueue(): void;
  queued(): readonly QueuedView[];
}

export function createOutbox(ids: Pick<Ids, 'random'>, changed: () => void): Outbox {
  const tray = createTray(ids, changed);
  let queue: readonly Message[] = [];
  return {
    tray,
    compose(text, own) {
      if (own !== undefined) return { text, files: own.map(({ file, use }) => choose(ids, file, use)) };
      if (text.trim() !== '') return { text, files: tray.take() };
      const files = tray.take();
      if (files.length === 0) return undefined;
      return { text: l10n.t('Attached: {0}', files.map(({ file }) => file.name).join(', ')), files };
    },
    queue: (message) => void (queue = [...queue, message]),
    unqueue(index, edit) {
      const message = queue[index];
      queue = queue.filter((_, at) => at !== index);
      if (edit && message !== undefined && message.files.length > 0) tray.giveBack(message.files);
    },
    next() {
      const [first, ...rest] = queue;
      queue = rest;
      return first;
    },
    putBack: (message) => void (queue = [message, ...queue]),
    clearQueue: () => void (queue = []),
    queued: () => queue.map(({ text, files }) => ({ text, files: files.map(({ file }) => file.name) })),
  };
}
