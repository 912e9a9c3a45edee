import { isObject, type JsonObject } from '../../core/base/json.ts';
import type { LogEntry, SessionHeader } from '../../core/session/entries.ts';

type Kind = 'string' | 'number' | 'array' | 'object' | 'present';

/** What the projections read without a second look. An entry of a known type that lacks one of these is unreadable. */
const required: { readonly [T in LogEntry['type']]: Readonly<Record<string, Kind>> } = {
  epochStarted: { model: 'string', maxTokens: 'number', system: 'array', tools: 'array', betas: 'array' },
  toolsChanged: { added: 'array', removed: 'array' },
  userMessage: { content: 'array', text: 'string' },
  fileUploaded: { fileId: 'string', hash: 'string', name: 'string' },
  contextNoted: { content: 'array', facts: 'object' },
  compacted: { content: 'array', summary: 'string' },
  asideAsked: { purpose: 'string' },
  turnStarted: { turnId: 'string' },
  assistantBlock: { messageId: 'string', index: 'number', block: 'object' },
  messageFinished: { messageId: 'string', model: 'string' },
  requestFailed: { messageId: 'string', failure: 'object' },
  messageDiscarded: { messageId: 'string', reason: 'string' },
  messageInterrupted: { messageId: 'string', reason: 'string' },
  approvalDecided: { callId: 'string', decision: 'string' },
  toolStarted: { callId: 'string' },
  toolFinished: { callId: 'string', content: 'present', title: 'string', body: 'object' },
  attachmentStored: { callId: 'string', fileId: 'string', name: 'string' },
  containerChosen: {},
  skillsChosen: { skills: 'array' },
  inputsSent: { content: 'array', files: 'array', failed: 'array' },
  containerLost: { containerId: 'string' },
  turnEnded: { turnId: 'string', outcome: 'string' },
  budgetRaised: { cap: 'string', to: 'number' },
  repaired: { repairs: 'array', note: 'string' },
  itemRemoved: { target: 'object', name: 'string' },
  titleSet: { title: 'string' },
};

/** Whether a parsed line is an entry. Types that are not known here only need what every entry has. */
export function isEntry(value: unknown): value is LogEntry {
  if (!isObject(value)) return false;
  const { id, parentId, at, type } = value;
  if (typeof id !== 'string' || typeof at !== 'string' || typeof type !== 'string') return false;
  if (parentId !== null && typeof parentId !== 'string') return false;
  return !isKnown(type) || Object.entries(required[type]).every(([key, kind]) => has(value, key, kind));
}

/** Whether a parsed line is a session's header, of whatever version. */
export function isHeader(value: unknown): value is SessionHeader {
  if (!isObject(value) || value['type'] !== 'session') return false;
  const { v, id, created, folders } = value;
  return Number.isInteger(v) && typeof id === 'string' && typeof created === 'string' && Array.isArray(folders);
}

function isKnown(type: string): type is LogEntry['type'] {
  return Object.hasOwn(required, type);
}

function has(value: JsonObject, key: string, kind: Kind): boolean {
  const found = value[key];
  if (kind === 'array') return Array.isArray(found);
  if (kind === 'object') return isObject(found);
  return kind === 'present' ? found !== undefined && found !== null : typeof found === kind;
}
