import * as vscode from 'vscode';
import { EFFORTS, type ThinkingWish } from '../core/agent/thinking.ts';
import { isObject, type JsonObject } from '../core/base/json.ts';
import type { Budget } from '../core/cost/budget.ts';
import type { OwnPrices } from '../core/cost/prices.ts';
import type { AdvisorWish } from '../core/tools/advisorWish.ts';
import { readMcpServers, type McpServers } from '../core/tools/mcpSetting.ts';
import { domainsOf, type WebWish } from '../core/tools/webWish.ts';

/** Every setting of the extension. Nothing else reads configuration, so that the trust rules hold for all of them. */
export interface Settings {
  /** A model id, or '' for the first that the API lists. */
  readonly model: string;
  /** '' for none. */
  readonly baseUrl: string;
  /** Headers for a gateway, name → value, `${env:NAME}` not filled in yet. */
  readonly headers: Readonly<Record<string, string>>;
  /** Which header carries the key. */
  readonly keyHeader: 'authorization' | 'x-api-key';
  readonly thinking: ThinkingWish['thinking'];
  readonly effort: ThinkingWish['effort'];
  /** Percent of the model's window; 0 for never. */
  readonly compactAt: number;
  readonly compactBy: 'api' | 'own';
  readonly clearOldResults: boolean;
  /** What of the editor Claude is told beside a message. */
  readonly context: { readonly rules: boolean; readonly editor: boolean; readonly problems: boolean };
  readonly saveEdits: boolean;
  readonly terminalTimeoutMs: number;
  /** Raw event streams are kept for the inspector. */
  readonly keepStreams: boolean;
  readonly web: WebWish;
  /** Servers of the MCP connector, and what of the setting can't be used. */
  readonly mcp: McpServers;
  readonly advisor: AdvisorWish;
  /** Code in Anthropic's container may read files of the workspace. */
  readonly readWorkspace: boolean;
  /** Of what is stored of files: bytes and days; 0 is no limit. */
  readonly attachments: { readonly quota: number; readonly retentionDays: number };
  /** Tool name → version. */
  readonly toolVersions: Readonly<Record<string, string>>;
  /** Model id → USD per million tokens. */
  readonly prices: OwnPrices;
  /** Caps of one session; 0 is none. */
  readonly budget: Budget;
}

const SECTION = 'loopdock';
const TIMEOUT = { least: 1, most: 3600, usual: 120 };

export function readSettings(): Settings {
  const seconds = read('terminal.timeoutSeconds', isNumber, TIMEOUT.usual);
  return {
    model: read('model', isString, '').trim(),
    baseUrl: read('baseUrl', isString, '', 'machine').trim(),
    headers: read('headers', isStringMap, {}, 'machine'),
    keyHeader: read('keyHeader', isKeyHeader, 'authorization', 'machine'),
    thinking: read('thinking', isOneOf(['auto', 'off']), 'auto'),
    effort: read('effort', isOneOf(['default', ...EFFORTS]), 'default'),
    compactAt: Math.min(Math.max(read('compaction.threshold', isNumber, 80), 0), 95),
    compactBy: read('compaction.by', isOneOf(['api', 'own']), 'api'),
    clearOldResults: read('compaction.clearOldResults', isBoolean, false),
    context: {
      rules: read('context.rules', isBoolean, true),
      editor: read('context.editor', isBoolean, true),
      problems: read('context.problems', isBoolean, true),
    },
    saveEdits: read('edits.save', isBoolean, true),
    terminalTimeoutMs: Math.min(Math.max(seconds, TIMEOUT.least), TIMEOUT.most) * 1000,
    keepStreams: read('inspector.keepStreams', isBoolean, true),
    web: {
      search: read('web.search', isBoolean, true, 'machine'),
      fetch: read('web.fetch', isBoolean, true, 'machine'),
      maxUses: Math.round(Math.min(Math.max(read('web.maxUses', isNumber, 8, 'machine'), 1), 100)),
      allowedDomains: domainsOf(read('web.allowedDomains', isSet, [], 'machine')),
      blockedDomains: domainsOf(read('web.blockedDomains', isSet, [], 'machine')),
    },
    mcp: readMcpServers(read('mcp.servers', isObject, {}, 'machine')),
    advisor: {
      model: read('advisor.model', isString, '', 'machine').trim(),
      maxUses: Math.round(Math.min(Math.max(read('advisor.maxUses', isNumber, 3, 'machine'), 1), 20)),
    },
    readWorkspace: read('codeExecution.readWorkspace', isBoolean, false, 'machine'),
    attachments: {
      quota: Math.max(0, read('attachments.quota', isNumber, 5000, 'machine')) * 1e6,
      retentionDays: Math.max(0, read('attachments.retentionDays', isNumber, 0, 'machine')),
    },
    toolVersions: read('tools.versions', isStringMap, {}),
    prices: onlyPrices(read('prices', isObject, {}, 'machine')),
    budget: {
      cost: lowest((scope) => read('budget.cost', isNumber, 0, scope)),
      requests: lowest((scope) => read('budget.requests', isNumber, 0, scope)),
      tokens: lowest((scope) => read('budget.tokens', isNumber, 0, scope)),
    },
  };
}

/** Stores the model for the user (not the workspace). */
export async function writeModel(id: string): Promise<void> {
  await vscode.workspace.getConfiguration(SECTION).update('model', id, vscode.ConfigurationTarget.Global);
}

/** Stores a wish about thinking for the user (not the workspace). */
export async function writeThinking(wish: Partial<ThinkingWish>): Promise<void> {
  const section = vscode.workspace.getConfiguration(SECTION);
  for (const [key, value] of Object.entries(wish)) await section.update(key, value, vscode.ConfigurationTarget.Global);
}

/** Whether VS Code gives requests of extensions the roots of the operating system (its own settings `http.*`). */
export function usesSystemRoots(): boolean {
  const http = vscode.workspace.getConfiguration('http');
  return http.get<boolean>('systemCertificates', true) && http.get<boolean>('fetchAdditionalSupport', true);
}

/**
 * `inspect` and not `get`: a machine setting takes the user's value only, and an untrusted workspace has no say even
 * where VS Code's own `restrictedConfigurations` can be got round through nested objects.
 */
function read<T>(key: string, is: (value: unknown) => value is T, fallback: T, scope?: 'machine'): T {
  const found = vscode.workspace.getConfiguration(SECTION).inspect<unknown>(key);
  const user = [found?.globalValue, found?.defaultValue];
  const workspace = [found?.workspaceFolderValue, found?.workspaceValue];
  const values = scope === 'machine' || !vscode.workspace.isTrusted ? user : [...workspace, ...user];
  return values.find(is) ?? fallback;
}

function isOneOf<T extends string>(allowed: readonly T[]): (value: unknown) => value is T {
  return (value): value is T => allowed.some((one) => one === value);
}

/** A cap may be lowered by a workspace, and never raised above the user's own. */
function lowest(cap: (scope?: 'machine') => number): number {
  const set = [cap('machine'), cap()].filter((value) => value > 0);
  return set.length === 0 ? 0 : Math.min(...set);
}

/** Leaves out what is no price: a half price would make a wrong sum. */
function onlyPrices(setting: JsonObject): OwnPrices {
  const valid = Object.entries(setting).filter(([, price]) => isPrice(price));
  return Object.fromEntries(valid) as OwnPrices;
}

function isPrice(value: unknown): boolean {
  if (!isObject(value) || !isAmount(value['input']) || !isAmount(value['output'])) return false;
  return ['cacheWrite5m', 'cacheWrite1h', 'cacheRead'].every((key) => value[key] === undefined || isAmount(value[key]));
}

/** Dollars per million tokens: more than any model costs is a slip of the finger. */
function isAmount(value: unknown): boolean {
  return isNumber(value) && value >= 0 && value <= 10_000;
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isKeyHeader(value: unknown): value is Settings['keyHeader'] {
  return value === 'authorization' || value === 'x-api-key';
}

function isSet(value: unknown): value is unknown {
  return value !== undefined && value !== null;
}

function isStringMap(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null && Object.values(value).every(isString);
}
