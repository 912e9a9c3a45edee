import { randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Server } from './server.ts';

const KEY_BYTES = 32;

/**
 * A reverse proxy before the bare server, which lacks one thing: the key by which the browser keeps secrets. Without it
 * an API key that the user has set is gone with the next reload. The key is kept in `keyFile`. Returns the address to
 * open. Everything needs the server's connection token, as without the proxy.
 */
export async function openFrontDoor(server: Server, port: number, keyFile: string): Promise<string> {
  const key = keyOf(keyFile);
  const proxy = createServer((request, response) => {
    if (request.method === 'POST' && /^\/+mint-key$/.test(request.url ?? '')) mintKey(server, key, request, response);
    else forward(server, request, response);
  });
  proxy.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    upgrade(server, request, socket, head),
  );
  await new Promise<void>((resolve, reject) => {
    proxy.once('error', reject);
    proxy.listen(port, '127.0.0.1', resolve);
  });
  const url = new URL(server.url);
  url.port = String((proxy.address() as AddressInfo).port);
  return url.href;
}

function mintKey(server: Server, key: Buffer, request: IncomingMessage, response: ServerResponse): void {
  const cookies = (request.headers.cookie ?? '').split(/;\s*/);
  const given = cookies.find((cookie) => cookie.startsWith('vscode-tkn='))?.slice('vscode-tkn='.length) ?? '';
  if (isSame(given, server.token ?? '')) response.writeHead(200).end(key);
  else response.writeHead(403).end();
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return expected !== '' && a.length === b.length && timingSafeEqual(a, b);
}

function forward(server: Server, request: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = request;
  const onward = send({ host: '127.0.0.1', port: server.port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}

/** A web socket: the request is repeated, and from then on both sides hear each other. */
function upgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const onward = connect(server.port, '127.0.0.1', () => {
    const lines = [`${request.method ?? 'GET'} ${request.url ?? '/'} HTTP/1.1`];
    for (let i = 0; i < request.rawHeaders.length; i += 2) {
      lines.push(`${request.rawHeaders[i] ?? ''}: ${request.rawHeaders[i + 1] ?? ''}`);
    }
    onward.write(`${lines.join('\r\n')}\r\n\r\n`);
    onward.write(head);
    socket.pipe(onward).pipe(socket);
  });
  onward.on('error', () => socket.destroy());
  socket.on('error', () => onward.destroy());
  onward.on('close', () => socket.destroy());
  socket.on('close', () => onward.destroy());
}

function keyOf(file: string): Buffer {
  const kept = existsSync(file) ? readFileSync(file) : undefined;
  if (kept?.length === KEY_BYTES) return kept;
  const key = randomBytes(KEY_BYTES);
  writeFileSync(file, key, { mode: 0o600 });
  return key;
}
