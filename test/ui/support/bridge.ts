import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import type * as Vscode from 'vscode';

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

const CONNECT_TIMEOUT_MS = 60_000;

/**
 * The suite's hand in the extension host: a helper extension connects to our unix socket and evaluates what we send.
 * A host that is restarted connects again; what it had not answered is rejected.
 */
export class Bridge {
  readonly #server: Server;
  readonly #pending = new Map<number, Pending>();
  #socket: Socket | undefined;
  #connections = 0;
  #lastId = 0;

  constructor(path: string) {
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.listen(path);
  }

  /** How many extension hosts have connected so far. */
  get connections(): number {
    return this.#connections;
  }

  /**
   * Runs `run` in the extension host and returns its result, both sides as JSON. The function is sent as source text:
   * it sees nothing but `vscode`, its argument and Node's `require`.
   */
  async evaluate<T, A = undefined>(
    run: (vscode: typeof Vscode, arg: A) => T | Thenable<T>,
    ...[arg]: A extends undefined ? [] : [A]
  ): Promise<T> {
    const socket = await this.#connected();
    const id = ++this.#lastId;
    const result = new Promise<unknown>((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    socket.write(`${JSON.stringify({ id, source: run.toString(), arg })}\n`);
    return (await result) as T;
  }

  /** Waits for a connection that is newer than the first `count` ones. */
  async waitForConnection(count: number): Promise<void> {
    const deadline = Date.now() + CONNECT_TIMEOUT_MS;
    while (this.#connections <= count || !this.#socket) {
      if (Date.now() > deadline) throw new Error('No extension host has connected to the bridge');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  close(): void {
    this.#socket?.destroy();
    this.#server.close();
  }

  async #connected(): Promise<Socket> {
    await this.waitForConnection(0);
    return this.#socket as Socket;
  }

  #accept(socket: Socket): void {
    this.#socket = socket;
    this.#connections++;
    let rest = '';
    socket.setEncoding('utf8');
    socket.on('error', () => undefined);
    socket.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#settle(JSON.parse(line) as { id: number; value?: unknown; error?: string });
    });
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      for (const { reject } of this.#pending.values()) reject(new Error('The extension host is gone'));
      this.#pending.clear();
    });
  }

  #settle({ id, value, error }: { id: number; value?: unknown; error?: string }): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) pending?.resolve(value);
    else pending?.reject(new Error(`In the extension host: ${error}`));
  }
}
