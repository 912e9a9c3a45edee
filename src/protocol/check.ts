import { MAX_LINK_LENGTH } from './links.ts';
import { PROTOCOL_VERSION } from './messages.ts';
import type { FromWebview, ToWebview } from './messages.ts';

/** Longest text that the view may send, in UTF-16 units. */
export const MAX_TEXT_LENGTH = 1_048_576;
const MAX_ID_LENGTH = 1_024;
/** Files that are dropped at once. */
const MAX_DROPPED = 100;
/** Longest piece of a dropped file, bytes. */
const MAX_PIECE = 4 * 1_048_576;

type Check = (value: unknown) => boolean;
type Fields = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === 'string' && value.length <= MAX_TEXT_LENGTH;
const optionalText: Check = (value) => value === undefined || text(value);
const id: Check = (value) => typeof value === 'string' && value.length > 0 && value.length <= MAX_ID_LENGTH;
const url: Check = (value) => typeof value === 'string' && value.length > 0 && value.length <= MAX_LINK_LENGTH;
const index: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const uri: Check = (value) => url(value) && /^[a-z][a-z0-9+.-]*:/i.test(value as string);
const optionalFlag: Check = (value) => value === undefined || typeof value === 'boolean';
const uris: Check = (value) =>
  Array.isArray(value) && value.length > 0 && value.length <= MAX_DROPPED && value.every(uri);
const files: Check = (value) =>
  Array.isArray(value) && value.length > 0 && value.length <= MAX_DROPPED && value.every(isDroppedFile);
const piece: Check = (value) =>
  value === 'unreadable' || (value instanceof Uint8Array && value.byteLength <= MAX_PIECE);
const oneOf =
  (...allowed: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && allowed.includes(value);

/** One entry per message: the compiler asks for the missing ones. */
const fromWebview: Readonly<Record<FromWebview['type'], Fields>> = {
  ready: { v: index },
  resync: {},
  'prompt/submit': { text },
  'composer/changed': { text },
  'prompt/unqueue': { index, edit: optionalFlag },
  'input/mention': {},
  'input/pick': {},
  'input/drop': { uris },
  'input/dropFiles': { files },
  'input/dropPiece': { id, at: index, data: piece },
  'input/use': { id, use: oneOf('image', 'document', 'text', 'container') },
  'input/remove': { id },
  'turn/stop': {},
  'turn/continue': {},
  'session/new': {},
  'session/list': {},
  'session/open': { id },
  'approval/answer': { id, choice: oneOf('allow', 'deny'), message: optionalText },
  'approval/openDiff': { id },
  'attachment/open': { fileId: id },
  'attachment/saveAs': { fileId: id },
  'attachment/addToWorkspace': { fileId: id },
  'attachment/retry': { fileId: id },
  'notice/action': { id, action: id },
  'request/inspect': { row: id },
  'model/choose': {},
  'link/open': { url },
  'terminal/show': {},
  log: { level: oneOf('warn', 'error'), text },
};

/**
 * Checks what the webview sent. Returns a fresh object with exactly the known fields, or undefined for an unknown type,
 * a missing or mistyped field, a text that is too long, or an object that carries `__proto__`, `constructor` or
 * `prototype` keys of its own. Never throws.
 */
export function parseFromWebview(value: unknown): FromWebview | undefined {
  const message = plainObject(value);
  if (!message) return undefined;
  const { type } = message;
  if (typeof type !== 'string' || !Object.hasOwn(fromWebview, type)) return undefined;
  const result: Record<string, unknown> = { type };
  for (const [name, check] of Object.entries(fromWebview[type as FromWebview['type']])) {
    const field = Object.hasOwn(message, name) ? message[name] : undefined;
    if (!check(field)) return undefined;
    if (field !== undefined) result[name] = field;
  }
  return result as unknown as FromWebview;
}

const toWebview: Readonly<Record<ToWebview['type'], Fields>> = {
  snapshot: { v: index, rev: index, state: isObject, rows: isListOf(isRow) },
  patch: { rev: index, ops: isListOf(isOp) },
  sessions: { sessions: isListOf(isObject) },
  draft: { text },
  insert: { text },
  focus: {},
  dropWanted: { id, at: index },
  announce: { text },
};

/**
 * A light check of what the host sent: both halves are built from one commit, so this catches a stale webview and
 * nothing more. The content is passed on as it is. Never throws.
 */
export function parseToWebview(value: unknown): ToWebview | undefined {
  const message = plainObject(value);
  if (!message) return undefined;
  const { type } = message;
  if (typeof type !== 'string' || !Object.hasOwn(toWebview, type)) return undefined;
  // Another version may look different: only its number is certain.
  if (type === 'snapshot' && index(message['v']) && message['v'] !== PROTOCOL_VERSION) {
    return message as unknown as ToWebview;
  }
  const wellFormed = Object.entries(toWebview[type as ToWebview['type']]).every(([name, check]) =>
    check(message[name]),
  );
  return wellFormed ? (message as unknown as ToWebview) : undefined;
}

function plainObject(value: unknown): Record<string, unknown> | undefined {
  if (!isObject(value) || Array.isArray(value)) return undefined;
  const reserved = ['__proto__', 'constructor', 'prototype'].some((key) => Object.hasOwn(value, key));
  return reserved ? undefined : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isDroppedFile(value: unknown): boolean {
  return isObject(value) && id(value['id']) && text(value['name']) && index(value['size']);
}

function isListOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

function isRow(value: unknown): boolean {
  return isObject(value) && typeof value['id'] === 'string' && typeof value['kind'] === 'string';
}

function isOp(value: unknown): boolean {
  if (!isObject(value)) return false;
  switch (value['op']) {
    case 'put':
      return isRow(value['row']);
    case 'append':
      return typeof value['id'] === 'string' && typeof value['text'] === 'string';
    case 'remove':
      return typeof value['id'] === 'string';
    case 'state':
      return isObject(value['state']);
    default:
      return false;
  }
}
