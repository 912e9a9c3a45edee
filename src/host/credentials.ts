import * as l10n from '@vscode/l10n';
import { checkBaseUrl } from '../api/baseUrl.ts';
import { isHeaderSafe } from '../core/base/headerValue.ts';
import { UserError } from '../core/errors.ts';
import type { Logger } from '../core/ports.ts';
import { headersOfEnvironment, mergeHeaders, resolveHeaders } from './customHeaders.ts';
import { proxyCredentials } from './networkFacts.ts';

export interface Credential {
  readonly kind: 'apiKey' | 'authToken';
  readonly value: string;
  readonly source: 'stored' | 'environment' | 'simulator';
}

/** Which header carries a key. A token always goes as a bearer. */
export type KeyHeader = 'authorization' | 'x-api-key';

/** Where requests go now, and with what. */
export interface Connection {
  readonly baseUrl: string;
  /** What a stored key belongs to, such as `https://api.anthropic.com`. */
  readonly origin: string;
  readonly credential: Credential | undefined;
  readonly keyHeader: KeyHeader;
  /** What a gateway wants beside, `${env:NAME}` filled in. */
  readonly headers: Readonly<Record<string, string>>;
  /** There is something to authorize with: a credential, or a header that is one. */
  readonly authorized: boolean;
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
  /** The settings for gateways. Workspace values must not get in here either. */
  readonly gateway?: () => { readonly headers: Readonly<Record<string, string>>; readonly keyHeader: KeyHeader };
  readonly logger: Logger;
}

/**
 * The one place that holds credentials. Order: simulator of the offline demo, SecretStorage, environment. A stored key
 * is never sent to another origin than it was stored for, and the environment's key only to the environment's own
 * base URL (or the default one).
 */
export interface Credentials {
  /** Throws `UserError` when the base URL is refused, or a header names a variable that is not set. */
  connection(): Promise<Connection>;
  /** The origin that a key would be stored for: the one in effect without the offline demo. Throws like `connection`. */
  target(): string;
  /** Stores a key for that origin. Throws `UserError` when it can't be a key. */
  store(value: string): Promise<void>;
  /** Keys of other origins, which that origin could get too when the user says so. Values are not shown. */
  elsewhere(): Promise<readonly { readonly origin: string; readonly value: string }[]>;
  /** Forgets the key of that origin. False when there was none. */
  clear(): Promise<boolean>;
  /** Points this window to the offline demo's simulator, or back. */
  useSimulator(simulator: { readonly url: string; readonly key: string } | undefined): void;
  /** Every credential seen so far: what must be redacted, and scrubbed from children. */
  known(): readonly string[];
  /** Another secret, kept elsewhere, that must be redacted and scrubbed too. */
  remember(secret: string): void;
  /** Reads what is stored, so that `known` is complete. */
  load(): Promise<void>;
}

const PREFIX = 'loopdock.key:';
const NO_HEADERS = { headers: {}, authorizes: false };

export function createCredentials(deps: CredentialsDeps): Credentials {
  const known = new Set<string>();
  let simulator: { readonly url: string; readonly key: string } | undefined;
  const environment = readEnvironment(deps.environment);
  for (const { value } of environment.credentials) known.add(value);
  for (const secret of [...environment.headers.secrets, ...proxyCredentials(deps.environment)]) remember(known, secret);

  const target = () => toTarget(deps.baseUrlSetting() || environment.baseUrl);
  const store = createKeyStore(deps, known);
  /** Headers of the environment were meant for the environment's own address, like its key. */
  const headersFor = (own: boolean) => {
    const set = resolveHeaders(deps.gateway?.().headers ?? {}, deps.environment);
    for (const secret of set.secrets) remember(known, secret);
    return own ? mergeHeaders(environment.headers, set) : set;
  };

  return {
    async connection() {
      if (simulator) return toSimulator(simulator);
      const url = target();
      const own = url.origin === environmentOrigin(environment.baseUrl);
      const simulated = own && url.loopback && environment.simulated;
      const { headers, authorizes } = simulated ? NO_HEADERS : headersFor(own);
      const credential = (await store.get(url.origin)) ?? (own ? environment.credentials[0] : undefined);
      return {
        baseUrl: url.href,
        origin: url.origin,
        credential,
        keyHeader: deps.gateway?.().keyHeader ?? 'authorization',
        headers,
        authorized: authorizes || credential !== undefined,
        simulated,
      };
    },
    target: () => target().origin,
    store: async (value) => store.put(target().origin, checkKey(value)),
    async elsewhere() {
      const { origin } = target();
      return (await store.all()).filter((key) => key.origin !== origin);
    },
    clear: async () => store.remove(target().origin),
    useSimulator(next) {
      simulator = next;
      if (next) known.add(next.key);
    },
    known: () => [...known],
    remember: (secret) => remember(known, secret),
    async load() {
      try {
        await store.all();
      } catch (error) {
        deps.logger.warn(`secret storage can't be listed: ${String(error)}`);
      }
    },
  };
}

/** Keys by origin in the secret storage; what it was asked for is known from then on. */
function createKeyStore({ secrets, logger }: CredentialsDeps, known: Set<string>) {
  const get = async (origin: string): Promise<Credential | undefined> => {
    let value: string | undefined;
    try {
      value = await secrets.get(PREFIX + origin);
    } catch (error) {
      // Without its keyring the system has no key for us; the environment may have one.
      logger.warn(`secret storage can't be read: ${String(error)}`);
    }
    if (!value) return undefined;
    known.add(value);
    return { kind: 'apiKey', value, source: 'stored' };
  };
  return {
    get,
    async put(origin: string, key: string): Promise<void> {
      known.add(key);
      try {
        await secrets.store(PREFIX + origin, key);
      } catch (error) {
        logger.warn(`secret storage can't be written: ${String(error)}`);
        throw noKeyring(error);
      }
    },
    async remove(origin: string): Promise<boolean> {
      const before = await get(origin);
      if (before) await secrets.delete(PREFIX + origin);
      return before !== undefined;
    },
    async all(): Promise<readonly { readonly origin: string; readonly value: string }[]> {
      const names = (await secrets.keys()).filter((name) => name.startsWith(PREFIX)).sort();
      const keys = names.map(async (name) => {
        const origin = name.slice(PREFIX.length);
        return { origin, value: (await get(origin))?.value ?? '' };
      });
      return (await Promise.all(keys)).filter(({ value }) => value !== '');
    },
  };
}

function toSimulator(simulator: { readonly url: string; readonly key: string }): Connection {
  const url = toTarget(simulator.url);
  const credential = { kind: 'apiKey', value: simulator.key, source: 'simulator' } as const;
  const { headers } = NO_HEADERS;
  const facts = { keyHeader: 'authorization', headers, authorized: true, simulated: true } as const;
  return { baseUrl: url.href, origin: url.origin, credential, ...facts };
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
    headers: headersOfEnvironment(environment),
    baseUrl: value('ANTHROPIC_BASE_URL'),
    simulated: value('LOOPDOCK_SIMULATED') === '1',
  };
}

/** Some systems have no keyring (small Linux desktops, containers), and there is no other place that is safe for a key. */
function noKeyring(cause: unknown): UserError {
  const message = l10n.t(
    'VS Code has no secret storage here, so the key was not kept: it goes into no file. Set up a keyring (such as gnome-keyring), or start VS Code with ANTHROPIC_API_KEY in its environment.',
  );
  return new UserError(message, { cause });
}

/** Short values are no secrets, and taking them out of every text would damage the texts. */
function remember(known: Set<string>, secret: string): void {
  if (secret.length >= 8) known.add(secret);
}

/** What can be a header's value: a pasted key often brings a line break or a space with it. */
export function checkKey(text: string): string {
  const key = text.trim();
  if (key === '') throw new UserError(l10n.t('The API key is empty.'));
  if (!isHeaderSafe(key)) throw new UserError(l10n.t('The API key holds spaces or characters that a key never has.'));
  return key;
}
