import type { SessionFiles } from '../../node/attachments/inventory.ts';
import type { SessionStorage, StorageReport } from '../../protocol/storage.ts';

type Report = Pick<StorageReport, 'used' | 'unused' | 'sessions'>;

/**
 * Who has what of the stored contents. `titles`: by session, newest session first; `blobs`: bytes by hash. The session
 * that takes most comes first.
 */
export function reportOf(
  logged: readonly SessionFiles[],
  titles: ReadonlyMap<string, string>,
  blobs: ReadonlyMap<string, number>,
): Report {
  const sum = (hashes: Iterable<string>): number =>
    [...hashes].reduce((bytes, hash) => bytes + (blobs.get(hash) ?? 0), 0);
  const had = new Set<string>();
  const sessions = logged.flatMap(({ sessionId, files, needs }): readonly SessionStorage[] => {
    const made = files.flatMap(({ hash }) => (hash !== undefined && blobs.has(hash) ? [hash] : []));
    const pinned = [...needs].filter((hash) => blobs.has(hash));
    const all = new Set([...made, ...pinned]);
    for (const hash of all) had.add(hash);
    if (all.size === 0) return [];
    const title = titles.get(sessionId) ?? sessionId;
    return [{ id: sessionId, title, files: made.length, bytes: sum(all), pinned: sum(pinned) }];
  });
  const used = sum(blobs.keys());
  return { used, unused: used - sum(had), sessions: sessions.sort((a, b) => b.bytes - a.bytes) };
}
