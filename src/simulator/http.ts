import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiProblem } from './problem.ts';
import { problem, ProblemError } from './problem.ts';

/** Body limits of the API in bytes. */
export const messageLimit = 32 * 1024 * 1024;
export const fileLimit = 500 * 1024 * 1024;

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly requestId: string;
}

export function openExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  const requestId = `req_sim_${randomBytes(9).toString('hex')}`;
  response.setHeader('request-id', requestId);
  response.setHeader('x-loopdock-simulator', '1');
  response.setHeader('anthropic-organization-id', '00000000-0000-4000-8000-000000000000');
  return { request, response, url: new URL(request.url ?? '/', 'http://127.0.0.1'), requestId };
}

export function sendJson({ response }: Exchange, value: unknown): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(value));
}

/** Answers with the API's error body. */
export function sendProblem({ response, requestId }: Exchange, { status, error }: ApiProblem): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ type: 'error', error, request_id: requestId }));
}

/** Answers as the edge in front of the API does: no JSON, no request id of the API. */
export function sendEdgePage({ response }: Exchange, status: number, title: string): void {
  response.removeHeader('request-id');
  response.statusCode = status;
  response.setHeader('content-type', 'text/html');
  // The rest of a large upload is not read.
  response.setHeader('connection', 'close');
  response.end(`<html><head><title>${status} ${title}</title></head><body><h1>${status} ${title}</h1></body></html>\n`);
}

/** Undefined when the body is larger than `limit`; the rest is then not read. */
export async function readBody({ request }: Exchange, limit: number): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Refuses whatever does not come from a client that was given the address and the key. */
export function authorize({ request }: Exchange, host: string, key: string): void {
  // A page in a browser sends an Origin, and reaches us under a name of its own by DNS rebinding: neither is let in.
  if (request.headers.origin !== undefined) {
    throw new ProblemError(problem(403, 'permission_error', 'Requests from web pages are not accepted'));
  }
  if (request.headers.host !== host) {
    throw new ProblemError(problem(403, 'permission_error', 'Unexpected Host header'));
  }
  const direct = request.headers['x-api-key'];
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const given = typeof direct === 'string' ? direct : bearer;
  if (given === undefined) {
    throw new ProblemError(problem(401, 'authentication_error', 'x-api-key header is required'));
  }
  if (!sameText(given, key)) throw new ProblemError(problem(401, 'authentication_error', 'invalid x-api-key'));
}

export function headerOf(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(',') : (value ?? '');
}

function sameText(left: string, right: string): boolean {
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
}
