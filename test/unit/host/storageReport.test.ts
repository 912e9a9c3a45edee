import assert from 'node:assert/strict';
import { reportOf } from '../../../src/host/attachments/storageReport.ts';
import type { LoggedFile, SessionFiles } from '../../../src/node/attachments/inventory.ts';

function file(sessionId: string, hash?: string): LoggedFile {
  return {
    ...{ type: 'attachmentStored', id: 'e', parentId: null, at: '', callId: 'c', fileId: 'f', name: 'n' },
    ...{ mimeType: '', size: 1, sessionId, ...(hash === undefined ? {} : { hash }) },
  };
}

function session(
  sessionId: string,
  made: readonly (string | undefined)[],
  needs: readonly string[] = [],
): SessionFiles {
  const files = made.map((hash) => file(sessionId, hash));
  return { sessionId, files, needs: new Set(needs), released: new Set() };
}

suite('the report on storage', () => {
  const blobs = new Map([
    ['a', 10],
    ['b', 200],
    ['c', 3000],
    ['orphan', 5],
  ]);

  test('says which session has what, and counts each content once in the sum', () => {
    const logged = [
      session('s1', ['a', 'a', 'gone', undefined]),
      session('s2', ['b', 'a'], ['c']),
      session('s3', ['gone']),
    ];
    assert.deepEqual(reportOf(logged, new Map([['s2', 'Charts']]), blobs), {
      used: 3215,
      unused: 5,
      sessions: [
        { id: 's2', title: 'Charts', files: 2, bytes: 3210, pinned: 3000 },
        { id: 's1', title: 's1', files: 2, bytes: 10, pinned: 0 },
      ],
    });
  });

  test('is empty where nothing is stored', () => {
    assert.deepEqual(reportOf([], new Map(), new Map()), { used: 0, unused: 0, sessions: [] });
  });
});
