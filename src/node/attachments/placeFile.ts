import * as l10n from '@vscode/l10n';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CancelledError, UserError } from '../../core/errors.ts';
import { errorCode } from '../log/logFs.ts';
import { uniqueName } from './fileName.ts';

const MOST_TRIES = 20;
const FOR_OWNER = 0o600;

/**
 * Copies a file under a name that nothing in the folder has, and returns the path. The name appears when all of the
 * content is there. Never executable. Throws `UserError`, or `CancelledError` before anything has the name.
 */
export async function placeUnderFreeName(
  source: string,
  dir: string,
  name: string,
  signal?: AbortSignal,
): Promise<string> {
  const part = await copyToPart(source, dir, signal);
  try {
    for (let tries = 1; ; tries++) {
      const target = join(dir, await uniqueName(dir, name));
      if (await publish(part, target)) return target;
      if (tries === MOST_TRIES) throw Object.assign(new Error('Every name is taken'), { code: 'EEXIST' });
    }
  } catch (error) {
    throw placeError(error);
  } finally {
    await rm(part, { force: true }).catch(() => undefined);
  }
}

/**
 * Puts a copy in the place of a file, at once and as a whole; a link there is replaced, not followed. The new file
 * keeps the old one's permissions. Throws `UserError`; the old file is then as it was.
 */
export async function placeInsteadOf(source: string, target: string): Promise<void> {
  const part = await copyToPart(source, dirname(target));
  try {
    const there = await lstat(target).catch(() => undefined);
    if (there?.isDirectory()) throw Object.assign(new Error('A folder has this name'), { code: 'EISDIR' });
    if (there?.isFile()) await chmod(part, there.mode & 0o777);
    await rename(part, target);
  } catch (error) {
    throw placeError(error);
  } finally {
    await rm(part, { force: true }).catch(() => undefined);
  }
}

async function copyToPart(source: string, dir: string, signal?: AbortSignal): Promise<string> {
  if (signal?.aborted) throw new CancelledError();
  const part = join(dir, `.loopdock-${randomBytes(9).toString('base64url')}.part`);
  try {
    await copyFile(source, part, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await chmod(part, FOR_OWNER);
    const file = await open(part, 'r+');
    await file.datasync().finally(() => file.close());
    return part;
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw placeError(error);
  }
}

/** False when the name is taken. Where the file system has no hard links the name is taken first, empty. */
async function publish(part: string, target: string): Promise<boolean> {
  try {
    await link(part, target);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
  }
  try {
    await (await open(target, 'wx', FOR_OWNER)).close();
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
  await rename(part, target);
  return true;
}

function placeError(error: unknown): Error {
  if (error instanceof UserError || error instanceof CancelledError) return error;
  const code = errorCode(error);
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  const gone = code === 'ENOENT' || code === 'ENOTDIR';
  const text = full
    ? l10n.t('The disk is full, so the file was not saved. Free some space and try again.')
    : gone
      ? l10n.t('The folder is gone, so the file was not saved. Choose another one.')
      : l10n.t('The file was not saved ({0}). What was there is unchanged.', code || String(error));
  return new UserError(text, { cause: error });
}
