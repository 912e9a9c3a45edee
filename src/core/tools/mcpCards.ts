import * as l10n from '@vscode/l10n';
import { isObject, stringAt } from '../base/json.ts';
import type { ToolBody } from '../../protocol/rows.ts';
import { inTitle, shorten } from './cardText.ts';

/** The card of a call of an MCP server's tool. Must not throw on any input. */
export function presentMcpCall(server: string, name: string, input: unknown): { title: string; body: ToolBody } {
  const json = isObject(input) && Object.keys(input).length > 0 ? JSON.stringify(input, null, 2) : '';
  return { title: titleOf(server, name), body: json === '' ? { kind: 'none' } : { kind: 'json', json } };
}

/** The same once the result is there: what was asked, and what the server said, as text and nothing else. */
export function presentMcpResult(
  server: string,
  name: string,
  call: { readonly input: unknown; readonly result: unknown },
): { title: string; body: ToolBody; isError: boolean } {
  const { result } = call;
  const isError = isObject(result) && result['is_error'] === true;
  const said = textOf(isObject(result) ? result['content'] : undefined);
  const asked = isObject(call.input) && Object.keys(call.input).length > 0 ? `${JSON.stringify(call.input)}\n\n` : '';
  const text = shorten(asked + (said === '' ? l10n.t('The server said nothing.') : said));
  return { title: titleOf(server, name), body: { kind: 'text', text }, isError };
}

function titleOf(server: string, name: string): string {
  return `${inTitle(server) || l10n.t('MCP server')} · ${inTitle(name)}`;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((item) => stringAt(item, 'text') ?? JSON.stringify(item)).join('\n');
}
