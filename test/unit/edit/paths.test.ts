import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolError } from '../../../src/core/errors.ts';
import { resolvePath, type Root } from '../../../src/host/edits/paths.ts';

suite('paths of the model', () => {
  let base: string;
  let roots: Root[];

  suiteSetup(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'loopdock-paths-')));
    for (const folder of ['app/src', 'app/..foo', 'app-evil', 'lib/src', 'outside', 'app/lib']) {
      mkdirSync(join(base, folder), { recursive: true });
    }
    for (const file of ['app/src/a.ts', 'app-evil/x', 'outside/secret', 'lib/src/b.ts', 'app/lib/only-in-app']) {
      writeFileSync(join(base, file), 'x');
    }
    symlinkSync(join(base, 'outside'), join(base, 'app/out'));
    symlinkSync(join(base, 'outside/secret'), join(base, 'app/secret'));
    symlinkSync(join(base, 'outside/new'), join(base, 'app/dangling'));
    symlinkSync('../outside', join(base, 'app/relative'));
    symlinkSync('src/a.ts', join(base, 'app/stays'));
    symlinkSync('loop', join(base, 'app/loop'));
    symlinkSync(join(base, 'app'), join(base, 'link-to-app'));
    linkSync(join(base, 'app/src/a.ts'), join(base, 'app/hard'));
    execFileSync('mkfifo', [join(base, 'app/fifo')]);
    roots = [{ name: 'app', path: join(base, 'app') }];
  });

  suiteTeardown(() => rmSync(base, { recursive: true, force: true }));

  const inside: [string, string][] = [
    ['src/a.ts', 'src/a.ts'],
    ['src/../src/a.ts', 'src/a.ts'],
    ['./src//a.ts', 'src/a.ts'],
    ['..foo', '..foo'],
    ['src/..a/b', 'src/..a/b'],
    ['stays', 'src/a.ts'],
    ['new/deep/file.ts', 'new/deep/file.ts'],
    ['.', '.'],
    ['~/x', '~/x'],
    ['$HOME/x', '$HOME/x'],
    ['%2e%2e/x', '%2e%2e/x'],
    ['file:///etc/passwd', 'file:/etc/passwd'],
    ['hard', 'hard'],
  ];
  for (const [given, display] of inside) {
    test(`inside: ${given}`, async () => {
      const path = await resolvePath(given, roots);
      assert.deepEqual([path.inside, path.display, path.given], [true, display, given]);
    });
  }

  const outside = [
    '../outside',
    'src/../../outside',
    '../app-evil/x',
    '/etc/passwd',
    'out',
    'out/new-file',
    'secret',
    'dangling',
    'relative/secret',
    'out/../app-evil/x',
    '/proc/self/cwd',
    '/dev/zero',
  ];
  for (const given of outside) {
    test(`outside: ${given}`, async () => assert.equal((await resolvePath(given, roots)).inside, false));
  }

  test('an absolute path inside is inside, and a sibling with the same prefix is not', async () => {
    assert.equal((await resolvePath(join(base, 'app/src/a.ts'), roots)).display, 'src/a.ts');
    assert.equal((await resolvePath(join(base, 'app-evil/x'), roots)).inside, false);
  });

  test('the facts of a file: canonical path, segments, type and size', async () => {
    assert.deepEqual(await resolvePath('stays', roots), {
      given: 'stays',
      display: 'src/a.ts',
      canonical: join(base, 'app/src/a.ts'),
      inside: true,
      segments: ['src', 'a.ts'],
      exists: true,
      type: 'file',
      size: 1,
    });
  });

  test('a dangling link is the missing file that a write would create', async () => {
    const path = await resolvePath('dangling', roots);
    assert.deepEqual([path.canonical, path.type, path.exists], [join(base, 'outside/new'), 'missing', false]);
  });

  test('`..` behind a link is the parent of its target, as for the kernel', async () => {
    const path = await resolvePath('out/../lib/src/b.ts', roots);
    assert.deepEqual([path.canonical, path.inside], [join(base, 'lib/src/b.ts'), false]);
  });

  test('only regular files are files', async () => {
    assert.equal((await resolvePath('fifo', roots)).type, 'other');
    assert.equal((await resolvePath('/dev/null', roots)).type, 'other');
    assert.equal((await resolvePath('src', roots)).type, 'directory');
  });

  test('a root that is itself reached through a link holds its files', async () => {
    const linked = [{ name: 'app', path: join(base, 'link-to-app') }];
    const path = await resolvePath('src/a.ts', linked);
    assert.deepEqual([path.inside, path.display, path.canonical], [true, 'src/a.ts', join(base, 'app/src/a.ts')]);
  });

  const bad: [string, string][] = [
    ['empty', ''],
    ['NUL', 'a\0b'],
    ['newline', 'a\nb'],
    ['text direction', 'a\u202Eb'],
    ['half a surrogate pair', 'a\uD800'],
    ['a name of 300 bytes', 'x'.repeat(300)],
    ['a name of 300 bytes in few characters', '\u{1F600}'.repeat(75)],
    ['6,000 characters', 'x/'.repeat(3000)],
    ['through a file', 'src/a.ts/b'],
    ['up from a file', 'src/a.ts/../a.ts'],
    ['a file with a slash', 'src/a.ts/'],
    ['a loop of links', 'loop'],
    ['up from a missing directory', 'nope/../src/a.ts'],
    ['an untitled document', 'untitled:Untitled-1'],
  ];
  for (const [name, given] of bad) {
    test(`refused without naming a place on the host: ${name}`, async () => {
      await assert.rejects(resolvePath(given, roots), (error: Error) => {
        assert.ok(error instanceof ToolError);
        assert.ok(!error.message.includes(base));
        return true;
      });
    });
  }

  test('without a folder relative paths are refused, absolute ones are outside', async () => {
    await assert.rejects(resolvePath('a.ts', []), /No folder is open/);
    assert.equal((await resolvePath(join(base, 'app/src/a.ts'), [])).inside, false);
  });

  test('with several roots a path may begin with the name of one, and is shown so', async () => {
    const several = [...roots, { name: 'lib', path: join(base, 'lib') }];
    assert.equal((await resolvePath('lib/src/b.ts', several)).canonical, join(base, 'lib/src/b.ts'));
    assert.equal((await resolvePath('src/a.ts', several)).display, 'app/src/a.ts');
    assert.equal((await resolvePath('app/src/a.ts', several)).canonical, join(base, 'app/src/a.ts'));
    assert.equal((await resolvePath('lib/only-in-app', several)).canonical, join(base, 'app/lib/only-in-app'));
    assert.equal((await resolvePath('lib/new', several)).canonical, join(base, 'lib/new'));
  });

  test('roots of one name are shown by their absolute paths', async () => {
    const same = [
      { name: 'src', path: join(base, 'app/src') },
      { name: 'src', path: join(base, 'lib/src') },
    ];
    assert.equal((await resolvePath(join(base, 'lib/src/b.ts'), same)).display, join(base, 'lib/src/b.ts'));
  });
});
