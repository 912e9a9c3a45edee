import fs from 'node:fs/promises';

/** What the log needs of the file system, so that a test can make each call fail in turn. */
export type LogFs = Pick<
  typeof fs,
  'chmod' | 'link' | 'lstat' | 'mkdir' | 'open' | 'readFile' | 'readdir' | 'rename' | 'truncate' | 'unlink' | 'utimes'
>;

export const nodeFs: LogFs = fs;

/** The system's error code (`ENOSPC`, …), or '' when it is no such error. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : '';
}
