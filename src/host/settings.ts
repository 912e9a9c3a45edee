import * as vscode from 'vscode';
import { EFFORTS, type ThinkingWish } from '../core/agent/thinking.ts';

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
  readonly saveEdits: boolean;
  readonly terminalTimeoutMs: number;
  /** Tool name → version. */
  readonly toolVersions: Readonly<Record<string, string>>;
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
    saveEdits: read('edits.save', isBoolean, true),
    terminalTimeoutMs: Math.min(Math.max(seconds, TIMEOUT.least), TIMEOUT.most) * 1000,
    toolVersions: read('tools.versions', isStringMap, {}),
  };
}

/** Stores the model for the user (not the workspace). */
export async function writeModel(id: string): Promise<void> {
  await vscode.workspace.getConfiguration(SECTION).update('model', id, vscode.ConfigurationTarget.Global);
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

function isStringMap(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null && Object.values(value).every(isString);
}
