import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isObject, stringAt } from '../../core/base/json.ts';

/** A container that a session's log names. */
export interface SeenContainer {
  readonly sessionId: string;
  readonly id: string;
  /** Epoch milliseconds. */
  readonly since: number;
  readonly used: number;
  /** ISO 8601, as the API said it last. */
  readonly expiresAt: string;
}

const SUFFIX = '.jsonl';
/** How our log writes such an entry; longer lines hold something else. */
const LINE =
  /^\{"id":"[^"\\]*","parentId":(?:null|"[^"\\]*"),"at":"[^"\\]*","type":"(?:messageFinished|containerLost)"/;

/**
 * The containers of all sessions that were written since `after` (epoch milliseconds), newest first, without those that the
 * API refused. Reads the logs line by line. A log that can't be read is passed over: this is a list to choose from.
 */
export async function scanContainers(dir: string, after: number): Promise<readonly SeenContainer[]> {
  const names = await fs.readdir(dir).catch(() => []);
  const found: SeenContainer[] = [];
  for (const name of names.filter((each) => each.endsWith(SUFFIX))) {
    const path = join(dir, name);
    const stats = await fs.lstat(path).catch(() => undefined);
    if (!stats?.isFile() || stats.mtimeMs < after) continue;
    found.push(...(await containersIn(path, name.slice(0, -SUFFIX.length)).catch(() => [])));
  }
  return found.filter(({ used }) => used >= after).sort((a, b) => b.used - a.used);
}

async function containersIn(path: string, sessionId: string): Promise<readonly SeenContainer[]> {
  const seen = new Map<string, SeenContainer>();
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity });
  for await (const line of lines) {
    if (!LINE.test(line)) continue;
    const entry: unknown = parse(line);
    if (!isObject(entry)) continue;
    if (entry['type'] === 'containerLost') seen.delete(stringAt(entry, 'containerId') ?? '');
    else note(seen, sessionId, entry);
  }
  return [...seen.values()];
}

function note(seen: Map<string, SeenContainer>, sessionId: string, entry: Readonly<Record<string, unknown>>): void {
  const { container } = entry;
  const [id, expiresAt] = [stringAt(container, 'id'), stringAt(container, 'expires_at')];
  const at = Date.parse(stringAt(entry, 'at') ?? '');
  if (id === undefined || expiresAt === undefined || Number.isNaN(at)) return;
  seen.set(id, { sessionId, id, expiresAt, since: seen.get(id)?.since ?? at, used: at });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
