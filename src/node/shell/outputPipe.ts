import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { FenceScanner, fence } from './fenceScanner.ts';

/**
 * The reading end of a named pipe that a shell and its children write to. A named pipe and not one of Node's own: those
 * are socket pairs, on which `/dev/stdout` and `/dev/stderr` can't be opened.
 */
export interface OutputPipe {
  /** Calls `run` once, after all data before the fence of that name. */
  expect(name: string, run: () => void): void;
  forget(name: string): void;
  /** Resolves when everything that is in the pipe now was delivered; after `limitMs` in any case. */
  drain(name: string, limitMs: number): Promise<void>;
  close(): void;
}

/**
 * Opens the pipe at `file` before any writer does. `onData` may return a promise: nothing more is read until it has
 * settled, and then the writers wait.
 */
export function openOutputPipe(file: string, onData: (bytes: Buffer) => Promise<void> | void): OutputPipe {
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  // Our own writing end: it keeps the pipe from ending between two writers, and marks its present end in `drain`.
  const writer = openSync(file, constants.O_WRONLY | constants.O_NONBLOCK);
  const socket = new Socket({ fd: reader, readable: true, writable: false });
  let closed = false;
  const scanner = new FenceScanner((bytes) => {
    const pending = onData(bytes);
    if (pending === undefined) return;
    socket.pause();
    void pending.catch(() => undefined).then(() => (closed ? undefined : socket.resume()));
  });
  socket.on('data', (chunk: Buffer) => scanner.feed(chunk));
  socket.on('error', () => undefined);
  // A fence is shorter than PIPE_BUF: it is written whole or, while the pipe is full, not at all.
  const put = (bytes: Buffer, until: number): void => {
    if (closed || Date.now() > until) return;
    try {
      writeSync(writer, bytes);
    } catch {
      setTimeout(() => put(bytes, until), 5);
    }
  };
  return {
    expect: (name, run) => scanner.expect(name, run),
    forget: (name) => scanner.forget(name),
    async drain(name, limitMs) {
      await new Promise<void>((resolve) => {
        const limit = setTimeout(resolve, limitMs);
        const done = (): void => {
          clearTimeout(limit);
          resolve();
        };
        scanner.expect(name, done);
        put(fence(name), Date.now() + limitMs);
      });
      scanner.forget(name);
      scanner.flush();
    },
    close() {
      if (closed) return;
      closed = true;
      socket.destroy();
      closeSync(writer);
    },
  };
}
