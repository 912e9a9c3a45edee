import type { UserRow } from '../../protocol/rows.ts';
import type { SentFile, UserMessage } from './entries.ts';

/** What a message shows: what was typed, and the files that went with it. */
export function userRow({ id, text, files }: UserMessage): UserRow {
  const row = { kind: 'user', id: `u:${id}`, text } as const;
  // A file that was edited by hand may hold anything.
  const sent: readonly SentFile[] = Array.isArray(files) ? (files as readonly SentFile[]) : [];
  return sent.length === 0 ? row : { ...row, files: sent.map(({ name, size, use }) => ({ name, size, use })) };
}
