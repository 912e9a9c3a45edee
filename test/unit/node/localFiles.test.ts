import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UserError } from '../../../src/core/errors.ts';
import { isGitIgnored } from '../../../src/node/inputs/gitIgnored.ts';
import { createLocalFiles } from '../../../src/node/inputs/localFiles.ts';
import { imageBytes } from '../../support/images.ts';

suite('files of this computer', () => {
  let folder = '';
  setup(async () => (folder = await mkdtemp(join(tmpdir(), 'loopdock-inputs-'))));
  teardown(() => rm(folder, { recursive: true, force: true }));

  const files = createLocalFiles({ roots: () => [folder], isIgnored: () => Promise.resolve(false) });
  const uriOf = (name: string): string => pathToFileURL(join(folder, name)).toString();
  const put = async (name: string, content: string | Uint8Array): Promise<string> => {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
    return uriOf(name);
  };
  const read = async (content: AsyncIterable<Uint8Array>): Promise<string> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(Uint8Array.from(chunk));
    return Buffer.concat(chunks).toString();
  };

  test('a file is what its bytes say, and the name where they say nothing', async () => {
    const kinds = async (name: string, content: string | Uint8Array) => {
      const { mimeType, content: kind } = await files.look(await put(name, content));
      return [kind, mimeType];
    };
    assert.deepStrictEqual(await kinds('photo.txt', imageBytes('png', 8, 8)), ['image', 'image/png']);
    assert.deepStrictEqual(await kinds('x.dat', '%PDF-1.7\n'), ['pdf', 'application/pdf']);
    assert.deepStrictEqual(await kinds('a.csv', 'a,b\n'), ['text', 'text/csv']);
    assert.deepStrictEqual(await kinds('Makefile', 'all:\n'), ['text', 'text/plain']);
    assert.deepStrictEqual(await kinds('fake.png', 'no image'), ['text', 'text/plain']);
    assert.deepStrictEqual(await kinds('a.zip', Buffer.from([0x50, 0x4b, 3, 4, 0])), ['binary', 'application/zip']);
    assert.deepStrictEqual(await kinds('latin1.txt', Buffer.from([0xe4, 0x20])), ['binary', 'text/plain']);
    // A character that the end of the head cuts is no reason to call it binary.
    assert.deepStrictEqual(await kinds('long.md', 'ä'.repeat(5000) + 'x'), ['text', 'text/markdown']);
  });

  test('it is shown by its path in the workspace, with its size and a name that the API takes', async () => {
    const file = await files.look(await put('data/so:me "x".csv', 'a\n'));
    assert.deepStrictEqual([file.path, file.name, file.size], ['data/so:me "x".csv', 'so_me _x_.csv', 2]);
  });

  test('what looks like a secret says so, and what git ignores, too', async () => {
    assert.equal((await files.look(await put('.env', 'A=1'))).caution, 'secret');
    assert.equal((await files.look(await put('.ssh/known', 'x'))).caution, 'secret');
    assert.equal((await files.look(await put('main.ts', 'x'))).caution, undefined);
    const ignoring = createLocalFiles({ roots: () => [folder], isIgnored: () => Promise.resolve(true) });
    assert.equal((await ignoring.look(uriOf('main.ts'))).caution, 'ignored');
  });

  test('git is asked what it ignores; where there is no repository nothing is', async () => {
    await put('build/out.bin', 'x');
    const out = join(folder, 'build', 'out.bin');
    assert.equal(await isGitIgnored(out), false);
    execFileSync('git', ['init', '-q', folder]);
    await put('.gitignore', 'build/\n');
    assert.equal(await isGitIgnored(out), true);
    assert.equal(await isGitIgnored(join(folder, '.gitignore')), false);
  });

  test('a folder, a pipe, a device and a file that is not there are refused at once, each in its words', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await symlink('/dev/zero', join(folder, 'zero'));
    const texts = await Promise.all(
      [pathToFileURL(folder).toString(), uriOf('pipe'), uriOf('zero'), uriOf('nothing'), 'https://example.com/x'].map(
        (uri) =>
          files.look(uri).then(
            () => assert.fail(uri),
            (error: unknown) => (error instanceof UserError ? error.message : assert.fail(String(error))),
          ),
      ),
    );
    assert.match(texts[0] ?? '', /is a folder/);
    assert.match(texts[1] ?? '', /no regular file/);
    assert.match(texts[2] ?? '', /no regular file/);
    assert.match(texts[3] ?? '', /not there/);
    assert.match(texts[4] ?? '', /Only files on this computer/);
  });

  test('the bytes come as they are', async () => {
    const text = 'x'.repeat(600_000);
    assert.equal(await read(files.read(await files.look(await put('a.txt', text)))), text);
  });

  test('a file that changed since it was looked at is not read', async () => {
    const file = await files.look(await put('a.txt', '12345'));
    await writeFile(join(folder, 'a.txt'), '54321');
    await utimes(join(folder, 'a.txt'), 1, 1);
    await assert.rejects(read(files.read(file)), UserError);
  });

  for (const [what, change] of [
    ['grows', (path: string) => appendFile(path, 'more')],
    ['shrinks', (path: string) => truncate(path, 300_000)],
  ] as const) {
    test(`a file that ${what} while it is read ends in an error, not in a half file`, async () => {
      const file = await files.look(await put('a.txt', 'x'.repeat(600_000)));
      const content = files.read(file)[Symbol.asyncIterator]();
      await content.next();
      await change(join(folder, 'a.txt'));
      await assert.rejects(async () => {
        while (!(await content.next()).done);
      }, UserError);
    });
  }

  test('leaving in the middle closes the file', async () => {
    const file = await files.look(await put('a.txt', 'x'.repeat(600_000)));
    for await (const _chunk of files.read(file)) break;
    await rm(join(folder, 'a.txt'));
  });
});
