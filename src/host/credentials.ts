import * as l10n from '@vscode/l10n';
import { checkBaseUrl } from '../api/baseUrl.ts';
import { UserError } from '../core/errors.ts';
import type { Logger } from '../core/ports.ts';

export interface Credential {
  /** `apiKey` goes into `x-api-key`, `authToken` into `Authorization: Bearer`. */
  readonly kind: 'apiKey' | 'authToken';
  readonly value: string;
  readonly source: 'stored' | 'environment' | 'simulator';
}

/** Where requests go now, and with what. */
export interface Connection {
  readonly baseUrl: string;
  /** What a stored key belongs to, such as `https://api.anthropic.com`. */
  readonly origin: string;
  readonly credential: Credential | undefined;
  /** The other side is the simulator: answers are scripted. */
  readonly simulated: boolean;
}

/** The part of `vscode.SecretStorage` that is used. */
export interface SecretStore {
  keys(): PromiseLike<readonly string[]>;
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
}

export interface CredentialsDeps {
  readonly secrets: SecretStore;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The setting, empty when there is none. Workspace values must not get in here. */
  readonly baseUrlSetting: () => string;
  readonly logger: Logger;
}

/**
 * The one place that holds credentials. Order: simulator of the offline demo, SecretStorage, environment. A stored key
 * is never sent to another origin than it was stored for, and the environment's key only to the environment's own
 * base URL (or the default one).
 */
export interface Credentials {
  /** Throws `UserError` when the base URL is refused. */
  connection(): Promise<Connection>;
  /** The origin that a key would be stored for: the one in effect without the offline demo. Throws like `connection`. */
  target(): string;
  /** Stores a key for that origin. Throws `UserError` when it can't be a key. */
  store(value: string): Promise<void>;
  /** Forgets the key of that origin. False when there was none. */
  clear(): Promise<boolean>;
  /** Points this window to the offline demo's simulator, or back. */
  useSimulator(simulator: { readonly url: string; readonly key: string } | undefined): void;
  /** Every credential seen so far: what must be redacted, and scrubbed from children. */
  known(): readonly string[];
  /** Reads what is stored, so that `known` is complete. */
  load(): Promise<void>;
}

const PREFIX = 'loopdock.key:';

export function createCredentials(deps: CredentialsDeps): Credentials {
  const known = new Set<string>();
  let simulator: { readonly url: string; readonly key: string } | undefined;
  const environment = readEnvironment(deps.environment);
  for (const { value } of environment.credentials) known.add(value);

  const target = () => toTarget(deps.baseUrlSetting() || environment.baseUrl);
  const stored = async (origin: string): Promise<Credential | undefined> => {
    const value = await deps.secrets.get(PREFIX + origin);
    if (!value) return undefined;
    known.add(value);
    return { kind: 'apiKey', value, source: 'stored' };
  };

  return {
    async connection() {
      if (simulator) return toSimulator(simulator);
      const url = target();
      const own = url.origin === environmentOrigin(environment.baseUrl);
      return {
        baseUrl: url.href,
        origin: url.origin,
        credential: (await stored(url.origin)) ?? (own ? environment.credentials[0] : undefined),
        simulated: own && url.loopback && environment.simulated,
      };
    },
    target: () => target().origin,
    async store(value) {
      const key = checkKey(value);
      known.add(key);
      await deps.secrets.store(PREFIX + target().origin, key);
    },
    async clear() {
      const { origin } = target();
      const before = await stored(origin);
      if (before) await deps.secrets.delete(PREFIX + origin);
      return before !== undefined;
    },
    useSimulator(next) {
      simulator = next;
      if (next) known.add(next.key);
    },
    known: () => [...known],
    async load() {
      try {
        const keys = await deps.secrets.keys();
        await Promise.all(keys.filter((key) => key.startsWith(PREFIX)).map((key) => stored(key.slice(PREFIX.length))));
      } catch (error) {
        deps.logger.warn(`secret storage can't be listed: ${String(error)}`);
      }
    },
  };
}

function toSimulator(simulator: { readonly url: string; readonly key: string }): Connection {
  const url = toTarget(simulator.url);
  const credential = { kind: 'apiKey', value: simulator.key, source: 'simulator' } as const;
  return { baseUrl: url.href, origin: url.origin, credential, simulated: true };
}

interface Target {
  readonly href: string;
  readonly origin: string;
  readonly loopback: boolean;
}

/** '' is the default address. Throws `UserError` for an address that must not get a key. */
function toTarget(text: string): Target {
  const check = checkBaseUrl(text);
  if (!check.ok) throw new UserError(check.problem);
  const { origin, protocol } = new URL(check.url);
  // Plain http is accepted for this machine only.
  return { href: check.url, origin, loopback: protocol === 'http:' };
}

/** The environment's key was meant for the environment's base URL: a setting that points elsewhere doesn't get it. */
function environmentOrigin(baseUrl: string): string | undefined {
  const check = checkBaseUrl(baseUrl);
  return check.ok ? new URL(check.url).origin : undefined;
}

function readEnvironment(environment: CredentialsDeps['environment']) {
  const value = (name: string) => environment[name]?.trim() ?? '';
  const credentials: Credential[] = [];
  const add = (kind: Credential['kind'], text: string) => {
    if (text && isHeaderSafe(text)) credentials.push({ kind, value: text, source: 'environment' });
  };
  add('apiKey', value('ANTHROPIC_API_KEY'));
  add('authToken', value('ANTHROPIC_AUTH_TOKEN'));
  return {
    credentials,
    baseUrl: value('ANTHROPIC_BASE_URL'),
    simulated: value('LOOPDOCK_SIMULATED') === '1',
  };
}

/** What can be a header's value: a pasted key often brings a line break or a space with it. */
export function checkKey(text: string): string {
  const key = text.trim();
  if (key === '') throw new UserError(l10n.t('The API key is empty.'));
  if (!isHeaderSafe(key)) throw new UserError(l10n.t('The API key holds spaces or characters that a key never has.'));
  return key;
}

function isHeaderSafe(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
