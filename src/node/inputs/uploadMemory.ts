import fs from 'node:fs/promises';
import { dirname } from 'node:path';
import { createSerial } from '../../core/base/serial.ts';
import { isObject, stringAt } from '../../core/base/json.ts';
import { messageOf } from '../../core/errors.ts';
import type { InputPort, UploadKey } from '../../core/inputPort.ts';
import type { Logger } from '../../core/ports.ts';

/** Older uploads are forgotten: looking for them costs a request, and so does a new upload. */
const MOST_KEPT = 2_000;

/**
 * Remembers across sessions what was uploaded under which id, in one small file. Losing it costs an upload and nothing
 * else: a file that is damaged or can't be written is started anew, and two windows may forget each other's newest.
 */
export function createUploadMemory(options: {
  readonly path: string;
  readonly logger: Logger;
}): Pick<InputPort, 'knownUpload' | 'noteUpload'> {
  const serial = createSerial();
  return {
    knownUpload: async (key) => (await read(options.path)).get(keyOf(key)),
    noteUpload: (key, fileId) =>
      serial
        .run(async () => {
          const known = await read(options.path);
          known.delete(keyOf(key));
          known.set(keyOf(key), fileId);
          await write(options.path, [...known].slice(-MOST_KEPT));
        })
        .catch((error: unknown) => options.logger.warn(`An upload could not be remembered: ${messageOf(error)}`)),
  };
}

function keyOf({ baseUrl, hash, name }: UploadKey): string {
  return JSON.stringify([baseUrl, hash, name]);
}

async function read(path: string): Promise<Map<string, string>> {
  try {
    const parsed: unknown = JSON.parse(await fs.readFile(path, 'utf8'));
    const uploads = isObject(parsed) && Array.isArray(parsed['uploads']) ? parsed['uploads'] : [];
    return new Map(
      uploads.flatMap((item: unknown): [string, string][] => {
        const [key, id] = [stringAt(item, 'key'), stringAt(item, 'fileId')];
        return key === undefined || id === undefined ? [] : [[key, id]];
      }),
    );
  } catch {
    return new Map();
  }
}

async function write(path: string, uploads: readonly (readonly [string, string])[]): Promise<void> {
  const text = JSON.stringify({ uploads: uploads.map(([key, fileId]) => ({ key, fileId })) });
  await fs.mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const part = `${path}.${String(process.pid)}.tmp`;
  await fs.writeFile(part, text, { mode: 0o600 });
  await fs.rename(part, path);
}
