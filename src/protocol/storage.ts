/** The contract between the storage page and the host. */
export interface StorageReport {
  /** Bytes on this computer, each content once. */
  readonly used: number;
  /** Bytes; 0 for no limit. */
  readonly quota: number;
  /** 0: kept for ever. */
  readonly retentionDays: number;
  /** Bytes that no session has. */
  readonly unused: number;
  readonly sessions: readonly SessionStorage[];
}

export interface SessionStorage {
  readonly id: string;
  readonly title: string;
  /** Files that are on this computer. */
  readonly files: number;
  /** Bytes of what it has; contents that several sessions have count for each. */
  readonly bytes: number;
  /** Bytes of what its requests need, which stays whatever is deleted. */
  readonly pinned: number;
}

export type ToStorage =
  | { readonly type: 'report'; readonly report: StorageReport }
  /** For screen readers, and shown. */
  | { readonly type: 'said'; readonly text: string };

export type FromStorage =
  | { readonly type: 'ready' }
  | { readonly type: 'clean' }
  | { readonly type: 'settings' }
  | { readonly type: 'deleteSession'; readonly id: string };

/** Checks what the page sent; undefined for everything that is no such message. Never throws. */
export function parseFromStorage(value: unknown): FromStorage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { type, id } = value as Readonly<Record<string, unknown>>;
  switch (type) {
    case 'ready':
    case 'clean':
    case 'settings':
      return { type };
    case 'deleteSession':
      return typeof id === 'string' && /^[\w-]{1,128}$/.test(id) ? { type, id } : undefined;
    default:
      return undefined;
  }
}

/** Every text of the page. `{0}` and `{1}` are filled in. */
export interface StorageStrings {
  /** Tells the script which page this is. */
  readonly page: 'storage';
  readonly title: string;
  readonly used: string;
  readonly usedOf: string;
  readonly kept: string;
  readonly keptDays: string;
  readonly unused: string;
  readonly clean: string;
  readonly settings: string;
  readonly session: string;
  readonly files: string;
  readonly size: string;
  readonly pinned: string;
  readonly pinnedNote: string;
  readonly deleteFiles: string;
  readonly none: string;
}
