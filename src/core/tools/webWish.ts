/** What the user wants of the web tools. */
export interface WebWish {
  readonly search: boolean;
  readonly fetch: boolean;
  /** Calls of each tool in one request. */
  readonly maxUses: number;
  /** Only these hosts (and paths), where there are any. */
  readonly allowedDomains: readonly string[];
  readonly blockedDomains: readonly string[];
}

export const NO_WEB: WebWish = { search: false, fetch: false, maxUses: 8, allowedDomains: [], blockedDomains: [] };

export type DomainFilter =
  { readonly allowed_domains: readonly string[] } | { readonly blocked_domains: readonly string[] } | object;

/**
 * The filter of a request: allowed or blocked, never both, and allowed wins (Messages API, "Server tools", domain
 * filtering). Entries have no scheme and an ASCII host; `*` stands in a path only. Where every allowed entry is unusable
 * nothing may be reached, which the API has no list for, and where a blocked one is, what the user wants kept away could not
 * be: undefined, and the tool is to be left out.
 */
export function searchFilter({ allowedDomains, blockedDomains }: WebWish): DomainFilter | undefined {
  return filterOf(allowedDomains.map(cleanDomain), blockedIn(blockedDomains), allowedDomains.length > 0);
}

/** As `searchFilter`, by hosts alone: an allowed entry with a path never matches there, and a blocked one blocks its host. */
export function fetchFilter({ allowedDomains, blockedDomains }: WebWish): DomainFilter | undefined {
  const allowed = allowedDomains.map(cleanDomain).filter((entry) => entry !== undefined && !entry.includes('/'));
  const blocked = blockedIn(blockedDomains).map((entry) => entry?.replace(/\/.*$/, ''));
  return filterOf(allowed, blocked, allowedDomains.length > 0);
}

function blockedIn(domains: readonly string[]): readonly (string | undefined)[] {
  return domains.filter((entry) => entry.trim() !== '').map(cleanBlocked);
}

/** A setting as somebody wrote it: what is no text stays as an entry that can't be used, and limits all the same. */
export function domainsOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  return entries.map((entry) => (typeof entry === 'string' ? entry : '?'));
}

function filterOf(
  allowed: readonly (string | undefined)[],
  blocked: readonly (string | undefined)[],
  limited: boolean,
): DomainFilter | undefined {
  const [only, never] = [allowed, blocked].map((list) => [...new Set(list.filter((entry) => entry !== undefined))]);
  if (!limited && blocked.includes(undefined)) return undefined;
  if (limited) return only?.length === 0 ? undefined : { allowed_domains: only };
  return never?.length === 0 ? {} : { blocked_domains: never };
}

/** `https://Example.com/docs/` as `example.com/docs`, other scripts as the ASCII that they are sent as; undefined for what the API would refuse. */
function cleanDomain(entry: string): string | undefined {
  const bare = entry
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/\/+$/, '');
  const [named = '', ...path] = bare.split('/');
  const host = asciiHost(named);
  if (!/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]{2,}$/i.test(host)) return undefined;
  if (!/^[\x21-\x7e]*$/.test(path.join('/'))) return undefined;
  return [host.toLowerCase(), ...path].join('/');
}

/** Only letters change: a user, a port or a pattern stays what makes an entry unusable. */
function asciiHost(host: string): string {
  if (/^\p{ASCII}*$/u.test(host) || /[@:?#%*\\\s]/.test(host)) return host;
  try {
    return new URL(`https://${host}`).hostname;
  } catch {
    return host;
  }
}

/** A blocked host with what only says less: its subdomains and ports are blocked with it. */
function cleanBlocked(entry: string): string | undefined {
  return cleanDomain(entry.trim().replace(/^((?:[a-z][a-z0-9+.-]*:\/\/)?)(?:\*\.|\.)?([^/:]+)(?::\d+)?/i, '$1$2'));
}
