import assert from 'node:assert/strict';
import { assertFitsSdk } from './fitsSdk.ts';
import type { MessageCreateParams } from '@anthropic-ai/sdk/resources/messages/messages';
import { MODEL } from '../../../src/simulator/models.ts';
import { scripted } from '../../../src/simulator/scenarios/scripted.ts';
import { startSimulator } from '../../../src/simulator/server.ts';
import type { Simulator, SimulatorOptions } from '../../../src/simulator/server.ts';

export type Body = Record<string, unknown>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined when the answer is not JSON. */
  readonly body: Body | undefined;
}

/** A simulator on its own port, and raw requests to it: what no client library would send, too. */
export interface Harness {
  readonly simulator: Simulator;
  post(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  send(path: string, init?: RequestInit): Promise<Answer>;
}

export async function startHarness(options: Partial<SimulatorOptions> = {}): Promise<Harness> {
  const simulator = await startSimulator({ scenario: scripted, ...options });
  const send = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = { authorization: `Bearer ${simulator.key}`, 'anthropic-version': '2026-10-21' };
    const response = await fetch(simulator.url + path, {
      ...init,
      headers: { ...headers, ...(init.headers as object) },
    });
    const text = await response.text();
    assertFitsSdk(path, init.body, response, text);
    const json = response.headers.get('content-type') === 'application/json';
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: json ? (JSON.parse(text) as Body) : undefined,
    };
  };
  return {
    simulator,
    send,
    post: (body, headers = {}) =>
      send('/v1/messages', {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
  };
}

export const tools = [
  { type: 'bash_20250124', name: 'bash' },
  { type: 'code_execution_20260521', name: 'code_execution' },
] as const;

/** A request that is right. */
export function request(fields: Body = {}): Body {
  return {
    ...({
      model: MODEL,
      max_tokens: 1000,
      messages: [{ role: 'user', content: 'Hello' }],
    } satisfies MessageCreateParams),
    ...fields,
  };
}

/** Messages as `[role, content]`. */
export function talk(...messages: readonly (readonly [string, unknown])[]): Body {
  return request({ tools, messages: messages.map(([role, content]) => ({ role, content })) });
}

export const use = (id: string): Body => ({ type: 'tool_use', id, name: 'bash', input: { command: 'ls' } });
export const result = (id: string, fields: Body = {}): Body => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'ok',
  ...fields,
});
export const text = (value: string, fields: Body = {}): Body => ({ type: 'text', text: value, ...fields });
export const serverUse = (id: string): Body => ({
  type: 'server_tool_use',
  id,
  name: 'bash_code_execution',
  input: { command: 'ls' },
});
export const serverResult = (id: string): Body => ({
  type: 'bash_code_execution_tool_result',
  tool_use_id: id,
  content: { type: 'bash_code_execution_result', stdout: '', stderr: '', return_code: 0, content: [] },
});

/** One rule: a body that breaks it, and what the API says. */
export type Row = readonly [name: string, body: unknown, says: RegExp, status?: number];

/** One test per row: the simulator refuses the body, in the API's shape. */
export function refuses(harness: () => Harness, rows: readonly Row[]): void {
  for (const [name, body, says, status = 400] of rows) {
    test(`refuses ${name}`, async () => {
      const answer = await harness().post(body);
      const error = answer.body?.['error'] as Body | undefined;
      assert.equal(answer.status, status, answer.text);
      assert.equal(answer.body?.['type'], 'error');
      assert.equal(error?.['type'], status === 404 ? 'not_found_error' : 'invalid_request_error');
      assert.match(String(error['message']), says);
      assert.equal(answer.body['request_id'], answer.headers.get('request-id'));
    });
  }
}

/** One test per row: the simulator takes the body. */
export function accepts(harness: () => Harness, rows: readonly (readonly [name: string, body: unknown])[]): void {
  for (const [name, body] of rows) {
    test(`takes ${name}`, async () => {
      const answer = await harness().post(body);
      assert.equal(answer.status, 200, answer.text);
    });
  }
}
