import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as l10n from '@vscode/l10n';
import { isObject } from '../../core/base/json.ts';
import { createSerial } from '../../core/base/serial.ts';
import type { BatchItem, BatchRecord, BatchStore } from '../../core/batches/batchTypes.ts';
import { readResult } from '../../core/batches/batchResult.ts';
import { messageOf, UserError } from '../../core/errors.ts';
import type { Ids, Logger } from '../../core/ports.ts';

const RECORD = 'batch.json';
const ITEMS = 'items.jsonl';
const RESULTS = 'results.jsonl';

/**
 * One folder per batch. The record is small and is replaced as a whole; items and results are JSON Lines that are only ever
 * streamed. A batch without a record is half made, and not there.
 */
export function createBatchStore(options: {
  readonly dir: string;
  readonly ids: Ids;
  readonly logger: Logger;
}): BatchStore {
  const { dir, ids, logger } = options;
  const serial = createSerial();
  const at = (id: string, name: string): string => join(dir, checked(id), name);
  const replace = (path: string, content: Content) => replaceFile(path, content, ids);
  const writeRecord = (record: BatchRecord) => replace(at(record.id, RECORD), JSON.stringify(record));
  const read = async (id: string): Promise<BatchRecord | undefined> => {
    try {
      const value: unknown = JSON.parse(await fs.readFile(at(id, RECORD), 'utf8'));
      if (isRecord(value) && value.id === id) return value;
      logger.warn(`The batch ${id} can't be read`);
    } catch (error) {
      if (!isMissing(error)) logger.warn(`The batch ${id} can't be read: ${messageOf(error)}`);
    }
    return undefined;
  };
  return {
    async list() {
      const names = await fs.readdir(dir).catch(() => []);
      const records = await Promise.all(names.filter(isId).map(read));
      return records
        .filter((record) => record !== undefined)
        .sort((a, b) => b.createdAt.localeCompare(a.createdAt) || (a.id < b.id ? 1 : -1));
    },
    create: (record, items) =>
      onDisk(async () => {
        await fs.mkdir(join(dir, checked(record.id)), { recursive: true, mode: 0o700 });
        await replace(at(record.id, ITEMS), lines(items));
        await writeRecord(record);
      }),
    update: (id, change) =>
      serial.run(() =>
        onDisk(async () => {
          const before = await read(id);
          if (before === undefined) return undefined;
          const next = change(before);
          if (next !== before) await writeRecord(next);
          return next;
        }),
      ),
    items: (id) => readLines(at(id, ITEMS), readItem),
    storeResults: (id, content) => onDisk(() => replace(at(id, RESULTS), content)),
    results: (id) => readLines(at(id, RESULTS), readResult),
    remove: (id) => onDisk(() => fs.rm(join(dir, checked(id)), { recursive: true, force: true })),
  };
}

type Content = string | AsyncIterable<Uint8Array | string>;

/** Under its name only when it is whole, and on the disk. */
async function replaceFile(path: string, content: Content, ids: Ids): Promise<void> {
  const part = `${path}.${ids.random()}.tmp`;
  try {
    await fs.writeFile(part, content, { flag: 'wx', mode: 0o600, flush: true });
    await fs.rename(part, path);
  } catch (error) {
    await fs.rm(part, { force: true });
    throw error;
  }
}

async function* lines(items: AsyncIterable<BatchItem>): AsyncGenerator<string> {
  for await (const item of items) yield `${JSON.stringify(item)}\n`;
}

async function* readLines<T>(path: string, parse: (line: string) => T | undefined): AsyncGenerator<T> {
  const reader = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
  for await (const line of reader) {
    const value = parse(line);
    if (value !== undefined) yield value;
  }
}

function readItem(line: string): BatchItem | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) && typeof value['id'] === 'string' && Array.isArray(value['content'])
      ? (value as unknown as BatchItem)
      : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is BatchRecord {
  if (!isObject(value) || value['v'] !== 1) return false;
  const texts = ['id', 'createdAt', 'title', 'baseUrl', 'state'].every((key) => typeof value[key] === 'string');
  return texts && isObject(value['template']) && Array.isArray(value['items']) && value['items'].every(isObject);
}

function isId(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,100}$/.test(name);
}

function checked(id: string): string {
  if (isId(id)) return id;
  throw new UserError(l10n.t('There is no such batch.'));
}

function isMissing(error: unknown): boolean {
  return isObject(error) && error['code'] === 'ENOENT';
}

/** What the disk refuses is the user's business; what the content throws stays what it is. */
async function onDisk<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isObject(error) || typeof error['syscall'] !== 'string') throw error;
    throw new UserError(l10n.t('The batch could not be stored: {0}', messageOf(error)), { cause: error });
  }
}
