/** A loopback HTTP server that sends exactly the bytes it is told to, in the pieces it is told to. Nothing is parsed for it. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Answer = (request: SeenRequest, response: ServerResponse) => void | Promise<void>;

export interface RawServer {
  /** `http://127.0.0.1:<random port>` */
  readonly url: string;
  readonly host: string;
  readonly requests: readonly SeenRequest[];
  /** How many TCP connections were made. */
  readonly connections: number;
  /** Replaces how requests are answered. */
  answer(answer: Answer): void;
  close(): Promise<void>;
}

export async function startRawServer(first: Answer = (_request, response) => void response.end()): Promise<RawServer> {
  let current = first;
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server: Server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('error', () => undefined);
    response.on('error', () => undefined);
    incoming.on('end', () => {
      const request: SeenRequest = {
        method: incoming.method ?? '',
        url: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      requests.push(request);
      void Promise.resolve(current(request, response)).catch(() => response.destroy());
    });
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    requests,
    get connections() {
      return connections;
    },
    answer: (answer) => (current = answer),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers 200 with an event stream of these pieces, each written on its own; `cut` destroys the socket instead of ending. */
export function streams(pieces: readonly (string | Uint8Array)[], options: StreamOptions = {}): Answer {
  return async (_request, response) => {
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'request-id': 'req_test',
      ...options.headers,
    });
    response.flushHeaders();
    for (const piece of pieces) {
      await write(response, piece);
      if (options.eachInItsOwnTurn) await new Promise((resolve) => setImmediate(resolve));
    }
    if (options.stall) return;
    if (options.cut) {
      // The client must have read the last piece before the reset.
      await new Promise((resolve) => setTimeout(resolve, 20));
      response.destroy();
    } else response.end();
  };
}

export interface StreamOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly cut?: boolean;
  /** Sends no more, and does not end either. */
  readonly stall?: boolean;
  readonly eachInItsOwnTurn?: boolean;
}

/** Answers with this status and body. */
export function replies(status: number, body: string | object, headers: Readonly<Record<string, string>> = {}): Answer {
  return (_request, response) => {
    const json = typeof body !== 'string';
    response.writeHead(status, { 'content-type': json ? 'application/json' : 'text/plain', ...headers });
    response.end(json ? JSON.stringify(body) : body);
  };
}

/** One record per event, named by its type, as the API writes it. */
export function sse(events: readonly SseEvent[], eol = '\n'): string {
  return events.map((event) => `event: ${event.type}${eol}data: ${JSON.stringify(event)}${eol}${eol}`).join('');
}

export interface SseEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

function write(response: ServerResponse, piece: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => response.write(piece, () => resolve()));
}
