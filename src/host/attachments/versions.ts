import { sanitizeFileName } from '../../node/attachments/fileName.ts';
import type { LoggedFile } from '../../node/attachments/inventory.ts';
import type { SessionGroup } from './library.ts';

/**
 * The version before a file: the newest one of the same name and another content that is older, from its own session
 * where that has one. Undefined when there is none.
 */
export function olderVersion(groups: readonly SessionGroup[], file: LoggedFile): LoggedFile | undefined {
  const name = sanitizeFileName(file.name);
  const candidates = groups
    .flatMap(({ files }) => files)
    .filter(({ hash, at, name: other }) => {
      return hash !== undefined && hash !== file.hash && at <= file.at && sanitizeFileName(other) === name;
    })
    .sort((a, b) => b.at.localeCompare(a.at));
  return candidates.find(({ sessionId }) => sessionId === file.sessionId) ?? candidates[0];
}
