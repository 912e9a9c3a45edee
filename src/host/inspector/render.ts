import * as l10n from '@vscode/l10n';
import type { InspectedRequest } from '../../core/agent/inspect.ts';
import { isObject, stringAt, type JsonObject } from '../../core/base/json.ts';
import type { Usage } from '../../core/session/entryBase.ts';
import { promptTokens } from '../../core/session/promptTokens.ts';

/** What a prompt is made of, in the order in which the API reads (and caches) it. */
const SECTIONS = ['tools', 'system', 'messages'] as const;

/**
 * A request's body as commented JSON: where the breakpoints are, and about how far the cache was read. The API says how
 * many tokens it read, not which; the place is the end of the item that comes nearest to that share of the input.
 */
export function renderRequest(body: string, usage: Usage | undefined): string {
  const fields = JSON.parse(body) as JsonObject;
  const read = usage === undefined ? undefined : cachedUpTo(fields, usage);
  const lines = [
    `// ${l10n.t('{0} bytes. The key and headers are not part of it.', Buffer.byteLength(body))}`,
    ...(usage === undefined ? [] : [`// ${cacheText(usage)}`]),
    ...(isObject(fields['cache_control'])
      ? [`// ${l10n.t('"cache_control" at the top: the API sets a breakpoint at the last block.')}`]
      : []),
    '{',
  ];
  const names = Object.keys(fields);
  names.forEach((name, index) => {
    const comma = index < names.length - 1 ? ',' : '';
    const value = fields[name];
    if (!isSection(name) || !Array.isArray(value)) {
      lines.push(...indented(`${JSON.stringify(name)}: ${JSON.stringify(value, null, 2)}${comma}`, 2));
      return;
    }
    lines.push(`  ${JSON.stringify(name)}: [`);
    (value as unknown[]).forEach((item, at) => {
      lines.push(...indented(JSON.stringify(item, null, 2) + (at < value.length - 1 ? ',' : ''), 4));
      if (hasBreakpoint(item)) lines.push(`    // ── ${l10n.t('cache breakpoint')} ──`);
      if (read?.section === name && read.index === at) {
        lines.push(`    // ══ ${l10n.t('read from the cache up to here, about')} ══`);
      }
    });
    lines.push(`  ]${comma}`);
  });
  return [...lines, '}', ''].join('\n');
}

/** An answer as text to read and to compare: texts as they are, everything else as JSON. */
export function renderAnswer({ blocks, finished, failed }: Partial<InspectedRequest>): string {
  if (failed !== undefined) return `[failure]\n\n${JSON.stringify(failed.failure, null, 2)}\n`;
  const parts = (blocks ?? []).map((block) => {
    const text = stringAt(block, block.type);
    if (block.type === 'text' && text !== undefined) return text;
    if (block.type === 'thinking' && text !== undefined) return `[thinking]\n${text}`;
    return `[${block.type}]\n${JSON.stringify(block, null, 2)}`;
  });
  return [...parts, `[stop_reason] ${finished?.stopReason ?? l10n.t('none: the answer has no end')}`, ''].join('\n\n');
}

export interface CurlOptions {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly body: string;
  readonly betas: readonly string[];
  readonly keyHeader: 'authorization' | 'x-api-key';
  /** As the setting has them: `${env:NAME}` becomes `$NAME`. */
  readonly headers: Readonly<Record<string, string>>;
}

const VERSION = '2026-10-21';
const SECRET_NAME = /auth|key|token|secret|cookie|password|credential/i;

/** The request for a POSIX shell, with `$ANTHROPIC_API_KEY` in the place of the key. */
export function curlOf({ baseUrl, body, betas, keyHeader, headers }: CurlOptions): string {
  const own = Object.entries(headers);
  const names = new Set(own.map(([name]) => name.toLowerCase()));
  const authorizes = names.has('authorization') || names.has('x-api-key');
  const key = keyHeader === 'x-api-key' ? 'x-api-key: $ANTHROPIC_API_KEY' : 'authorization: Bearer $ANTHROPIC_API_KEY';
  const all = [
    ...(authorizes ? [] : [key]),
    ...(names.has('anthropic-version') ? [] : [`anthropic-version: ${VERSION}`]),
    'content-type: application/json',
    ...(betas.length === 0 ? [] : [`anthropic-beta: ${betas.join(',')}`]),
    ...own.map(([name, value]) => `${name}: ${valueFor(name, value)}`),
  ];
  const address = `${baseUrl}/v1/messages`;
  return [
    `curl -sS -N ${quoted(address)} \\`,
    ...all.map((header) => `  -H ${quoted(header)} \\`),
    // The quotes keep the shell from reading anything into the body, which is one line.
    "  --data-binary @- <<'LOOPDOCK_BODY'",
    body,
    'LOOPDOCK_BODY',
    '',
  ].join('\n');
}

function valueFor(name: string, template: string): string {
  const value = template.replaceAll('$', '\\$').replace(/\\\$\{env:(\w+)\}/g, '$$$1');
  return value === template && SECRET_NAME.test(name) ? '[redacted]' : value;
}

/** In double quotes, so that variables are filled in; `$` that is none has been escaped before. */
function quoted(text: string): string {
  return `"${text.replace(/[`"]|\\(?!\$)/g, '\\$&')}"`;
}

function cacheText(usage: Usage): string {
  return l10n.t(
    '{0} input tokens read from the cache, {1} written to it, {2} neither.',
    usage.cache_read_input_tokens,
    usage.cache_creation_input_tokens,
    usage.input_tokens,
  );
}

interface Place {
  readonly section: string;
  readonly index: number;
}

function cachedUpTo(fields: JsonObject, usage: Usage): Place | undefined {
  const read = usage.cache_read_input_tokens;
  const total = promptTokens(usage);
  if (read === 0 || total === 0) return undefined;
  const items = SECTIONS.flatMap((section) => {
    const list: readonly unknown[] = Array.isArray(fields[section]) ? fields[section] : [];
    return list.map((item, index) => ({ section, index, size: JSON.stringify(item).length }));
  });
  const goal = items.reduce((sum, { size }) => sum + size, 0) * (read / total);
  let end = 0;
  let best: (Place & { readonly off: number }) | undefined;
  for (const { section, index, size } of items) {
    end += size;
    const off = Math.abs(end - goal);
    if (best === undefined || off < best.off) best = { section, index, off };
  }
  return best;
}

function isSection(name: string): boolean {
  return SECTIONS.some((section) => section === name);
}

/** On the item itself, or on one of its content blocks. */
function hasBreakpoint(item: unknown): boolean {
  if (!isObject(item)) return false;
  if (isObject(item['cache_control'])) return true;
  return Array.isArray(item['content']) && (item['content'] as unknown[]).some(hasBreakpoint);
}

function indented(text: string, by: number): readonly string[] {
  return text.split('\n').map((line) => ' '.repeat(by) + line);
}
