import assert from 'node:assert/strict';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scanContainers } from '../../../src/node/containers/containerScan.ts';

suite('containers in the logs', () => {
  let folder = '';
  setup(async () => (folder = await mkdtemp(join(tmpdir(), 'loopdock-scan-'))));
  teardown(() => rm(folder, { recursive: true, force: true }));
  let count = 0;
  const line = (type: string, at: number, fields: object): string =>
    JSON.stringify({ id: `e${String(count++)}`, parentId: null, at: new Date(at).toISOString(), type, ...fields });
  const finished = (id: string, at: number): string =>
    line('messageFinished', at, { messageId: 'm', model: 'x', container: { id, expires_at: 'later' } });
  const write = (name: string, ...lines: readonly string[]) => writeFile(join(folder, name), lines.join('\n'));

  test('each one once, with its first and its last use, newest first, and none that was refused', async () => {
    await write('a.jsonl', finished('c1', 1000), '{torn', finished('c1', 5000), finished('c2', 3000));
    await write(
      'b.jsonl',
      finished('c3', 9000),
      finished('c4', 9500),
      line('containerLost', 9600, { containerId: 'c4' }),
    );
    await write('notes.txt', finished('c5', 9000));
    assert.deepEqual(await scanContainers(folder, 0), [
      { sessionId: 'b', id: 'c3', expiresAt: 'later', since: 9000, used: 9000 },
      { sessionId: 'a', id: 'c1', expiresAt: 'later', since: 1000, used: 5000 },
      { sessionId: 'a', id: 'c2', expiresAt: 'later', since: 3000, used: 3000 },
    ]);
    assert.deepEqual(
      (await scanContainers(folder, 4000)).map(({ id }) => id),
      ['c3', 'c1'],
    );
  });

  test('a session that was not written since is not read, and what only quotes an entry is none', async () => {
    await write('old.jsonl', finished('c1', 9000));
    await utimes(join(folder, 'old.jsonl'), 5, 5);
    await write('quote.jsonl', line('userMessage', 9000, { text: finished('c2', 9000), content: [] }));
    assert.deepEqual(await scanContainers(folder, 6000), []);
    assert.deepEqual(await scanContainers(join(folder, 'nowhere'), 0), []);
  });
});
