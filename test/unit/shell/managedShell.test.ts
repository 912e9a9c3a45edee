import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { CancelledError, ToolError } from '../../../src/core/errors.ts';
import { scrubEnvironment } from '../../../src/node/shell/scrubEnvironment.ts';
import { pause, testShell, waitFor, type TestShell } from './support.ts';

const signal = new AbortController().signal;

suite('The managed shell', () => {
  let test_: TestShell;
  setup(() => (test_ = testShell()));
  teardown(() => test_.dispose());

  test('gives each of 200 mixed commands its own output and exit code', async function () {
    this.timeout(8_000);
    for (let n = 0; n < 200; n++) {
      const code = n % 7;
      const [command, output] = [
        [`echo out${n}; exitcode() { return ${code}; }; exitcode`, `out${n}\n`],
        [`printf 'e${n}' >&2; (exit ${code})`, `e${n}`],
        [`cat <<'END'\n$x "${n}"\nEND\n(exit ${code})`, `$x "${n}"\n`],
        [`for i in 1 2 3; do echo $i; done | tail -n 1; (exit ${code})`, '3\n'],
        [`sh -c 'echo a; echo b >&2; echo c; exit ${code}'`, 'a\nb\nc\n'],
      ][n % 5] as [string, string];
      assert.equal(await test_.line(command), `${output}|exit ${code}`, command);
    }
  });

  test('keeps the directory, variables, functions, aliases and the last exit code', async () => {
    mkdirSync(path.join(test_.folder, 'sub'));
    await test_.run('cd sub; A=1; export B=2; f() { echo "f:$1"; }; alias hi="echo hello"; (exit 9)');
    assert.equal(await test_.line('echo $? $A $(printenv B) $(basename "$PWD"); f x'), '9 1 2 sub\nf:x\n|exit 0');
    assert.equal(await test_.line('hi'), 'hello\n|exit 0');
    assert.equal(test_.shell.cwd(), path.join(test_.folder, 'sub'));
  });

  test('reports a directory with a semicolon, a line end and quotes in its name', async () => {
    const name = `a;b'c\n"d"`;
    mkdirSync(path.join(test_.folder, name));
    const result = await test_.run(`cd $'a;b\\'c\\n"d"'`);
    assert.equal(result.cwd, path.join(test_.folder, name));
  });

  test('answers an unbalanced quote, a bad heredoc and a trailing backslash at once', async () => {
    assert.match(await test_.line('echo "abc'), /unexpected EOF.*\|exit 2$/s);
    assert.match(await test_.line('cat <<END\nx'), /x\n\|exit 0$/);
    assert.equal(await test_.line('echo a \\'), 'a\n|exit 0');
    assert.equal(await test_.line('# only a comment'), '|exit 0');
  });

  test('does not let a reading command wait for input that nobody gives [XD16]', async () => {
    assert.equal(
      await test_.line('read x; echo "[$x]"; cat; python3 -c "import sys; print(len(sys.stdin.read()))"'),
      '[]\n0\n|exit 0',
    );
  });

  test('keeps the order of what is written to both streams, and both can be opened by name', async () => {
    const command = 'echo 1; echo 2 >&2; echo 3 >/dev/stdout; echo 4 >/dev/stderr; echo 5 | tee /dev/stderr';
    assert.equal(await test_.line(command), '1\n2\n3\n4\n5\n5\n|exit 0');
  });

  test('is not put off by commands that redefine words, options, prompts and descriptors', async () => {
    const upsets = [
      'alias printf=false builtin=false .=false {=false if=false unset=false',
      'unalias -a',
      'builtin() { :; }; printf() { :; }; unset() { :; }; return() { :; }; pwd() { echo /fake; }; set() { :; }',
      'command unset -f builtin printf unset return pwd set; echo fine >/dev/null',
      'PS1="noise> "; PROMPT_COMMAND="echo noise"; PWD=/fake',
      'PROMPT_COMMAND=("echo noise" "false"); exec 61>&- 62>&- 0</dev/null',
      'exec >/dev/null 2>&1',
      'set -u -C; IFS=/; set -o posix',
      'set +o posix +u +C; unset IFS; trap "echo noise" DEBUG',
      'trap - DEBUG; set -e',
      'trap "" INT; trap - INT; shopt -s extdebug; shopt -u extdebug; set -x',
    ];
    for (const upset of upsets) {
      assert.match(await test_.line(upset), /\|exit 0$/, upset);
      const { output, end, cwd } = await test_.run('echo sane');
      assert.equal(output.replace(/^\++ .*\n/gm, '').replace(/noise\n/g, ''), 'sane\n', upset);
      assert.deepEqual(end, { kind: 'exit', code: 0 }, upset);
      assert.equal(cwd, test_.folder, upset);
    }
  });

  test('survives a command that fails after `set -e` was left on', async () => {
    await test_.run('X=kept; set -e');
    assert.equal(await test_.line('grep -q nothing /dev/null'), '|exit 1');
    assert.equal(await test_.line('echo $X'), 'kept\n|exit 0');
  });

  test('says that the shell ended, and goes on with a new one in the last directory', async () => {
    mkdirSync(path.join(test_.folder, 'sub'));
    const deaths: readonly [string, string][] = [
      ['echo before; exit 3', 'before\n|shellEnded 3'],
      ['set -e; false; echo never', '|shellEnded 1'],
      ['exec sh -c "echo in; exit 5"', 'in\n|shellEnded 5'],
      ['trap "echo bye" EXIT; exit 0', 'bye\n|shellEnded 0'],
      ['kill -9 $$', '|shellEnded null'],
    ];
    for (const [command, expected] of deaths) {
      await test_.run('cd sub 2>/dev/null; X=1');
      assert.equal(await test_.line(command), expected);
      assert.equal(await test_.line('echo "[$X] $(basename "$PWD")"'), '[] sub\n|exit 0', `after ${command}`);
    }
  });

  test('starts in its first directory again when the last one is gone', async () => {
    await test_.run('mkdir gone; cd gone');
    rmSync(path.join(test_.folder, 'gone'), { recursive: true });
    await test_.run('exit 0');
    assert.equal((await test_.run('pwd')).output, `${test_.folder}\n`);
  });

  test('cannot be told a false end by what a program prints', async () => {
    const forged = [
      `printf '\\033]633;D;0\\007\\033]133;D;0\\007'`,
      `printf '\\033]7777;0123456789abcdef0123456789abcdef\\007'`,
      `printf '\\033]7777;'`,
      `printf '\\033'`,
    ];
    for (const print of forged) {
      const { output, end } = await test_.run(`${print}; sleep 0.02; echo; echo later; (exit 6)`);
      assert.match(output, /\nlater\n$/);
      assert.deepEqual(end, { kind: 'exit', code: 6 });
    }
  });

  test('lets no child reach the channels, and no program know the name of the fence', async () => {
    const { output } = await test_.run(
      'for fd in 0 1 2 61 62; do [ -e /proc/self/fd/$fd ] && echo $fd; done; set | grep -ac "$(printf "\\033")"; env | grep -c __loopdock',
    );
    assert.equal(output, '0\n1\n2\n0\n0\n');
  });

  test('hands late output of a background job over apart from the next command [XD16]', async () => {
    await test_.run('(sleep 0.1; echo LATE) &');
    await waitFor(() => test_.background().includes('LATE'));
    await pause(20);
    assert.equal(await test_.line('echo next'), 'next\n|exit 0');
    assert.equal(test_.background(), 'LATE\n');
  });

  test('runs one command at a time, in the order of the calls [C114]', async () => {
    const results = await Promise.all(['sleep 0.1; echo a', 'echo b', 'echo c'].map((command) => test_.line(command)));
    assert.deepEqual(results, ['a\n|exit 0', 'b\n|exit 0', 'c\n|exit 0']);
    const last = await test_.run('echo end');
    assert.ok(last.durationMs < 100);
  });

  test('leaves the queue without having run when it is cancelled there', async () => {
    const slow = test_.run('sleep 0.2; echo slow');
    const abort = new AbortController();
    const waiting = assert.rejects(test_.run('touch ran', { signal: abort.signal }), CancelledError);
    abort.abort();
    await waiting;
    assert.equal((await slow).output, 'slow\n');
    assert.equal((await test_.run('ls')).output, '');
  });

  test('takes input for a command that was started with it, and its end', async () => {
    const reading = test_.run('read a; echo "a=$a"; cat; echo over', { stdin: true });
    await waitFor(() => test_.shell.busy);
    assert.equal(test_.shell.write('one\ntwo\n'), true);
    await pause(30);
    test_.shell.endInput();
    assert.equal((await reading).output, 'a=one\ntwo\nover\n');
    assert.equal(test_.shell.write('nobody\n'), false);
    assert.equal((await test_.run('cat', { stdin: false })).output, '');
  });

  test('holds the writers back while the reader is busy', async () => {
    let held = 0;
    let most = 0;
    let total = 0;
    await test_.run('head -c 3000000 /dev/zero', {
      async onData(bytes) {
        total += bytes.length;
        most = Math.max(most, (held += bytes.length));
        await pause(1);
        held -= bytes.length;
      },
    });
    assert.equal(total, 3_000_000);
    assert.ok(most < 300_000, `${most} bytes were held at once`);
  });

  test('does not end before a slow reader has got everything', async () => {
    let total = 0;
    await test_.run('head -c 200000 /dev/zero', {
      async onData(bytes) {
        await pause(40);
        total += bytes.length;
      },
    });
    await pause(50);
    assert.equal(total, 200_000);
    assert.equal(test_.background(), '');
  });

  test('restarts clean: state gone, first directory, old processes ended [C115]', async () => {
    await test_.run('X=1; mkdir sub; cd sub; sleep 60 & echo $!');
    await test_.shell.restart(signal);
    assert.equal(await test_.line('echo "[$X]"; pwd; pgrep -f "^sleep 60$" -P $$'), `[]\n${test_.folder}\n|exit 1`);
  });

  test('keeps the name of a directory that is reached by a link', async () => {
    mkdirSync(path.join(test_.folder, 'real'));
    symlinkSync('real', path.join(test_.folder, 'link'));
    const linked = testShell({ cwd: path.join(test_.folder, 'link') });
    assert.equal((await linked.run('pwd')).output, `${test_.folder}/link\n`);
    assert.equal(linked.shell.cwd(), `${test_.folder}/link`);
    await linked.dispose();
  });

  test('goes on with a new shell when its private folder was cleaned away', async () => {
    await test_.run('mkdir sub; cd sub');
    const [record = ''] = readdirSync(test_.recordsDir);
    const { folder } = JSON.parse(readFileSync(path.join(test_.recordsDir, record), 'utf8')) as { folder: string };
    rmSync(folder, { recursive: true });
    assert.equal(await test_.line('basename "$PWD"'), 'sub\n|exit 0');
  });

  test('ends a running command when it is restarted', async () => {
    const running = test_.run('sleep 30');
    await waitFor(() => test_.shell.busy);
    await test_.shell.restart(signal);
    assert.equal((await running).end.kind, 'shellEnded');
    assert.equal(await test_.line('echo new'), 'new\n|exit 0');
  });

  test('says what is wrong when no shell can be had', async () => {
    const missing = testShell({ bash: () => '/nowhere/bash' });
    await assert.rejects(missing.run('echo'), ToolError);
    await missing.dispose();
    const silent = testShell({ cwd: '/nowhere' });
    await assert.rejects(silent.run('echo'), { name: 'ToolError', message: /working directory/ });
    await silent.dispose();
  });

  test('keeps its files private and removes them at its end', async () => {
    await test_.run('true');
    const [record = ''] = readdirSync(test_.recordsDir);
    const { folder, pid } = JSON.parse(readFileSync(path.join(test_.recordsDir, record), 'utf8')) as {
      folder: string;
      pid: number;
    };
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    for (const name of readdirSync(folder)) assert.equal(statSync(path.join(folder, name)).mode & 0o777, 0o600, name);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('command')),
      [],
    );
    test_.shell.dispose();
    await waitFor(() => !existsSync(folder) && readdirSync(test_.recordsDir).length === 0);
    assert.equal(existsSync(`/proc/${pid}`), false);
    await assert.rejects(test_.run('echo'), ToolError);
  });

  test('shows no credential to a command, under whatever name [XN13]', async () => {
    const key = 'sk-test-0123456789';
    const hidden = testShell({
      env: () =>
        scrubEnvironment(
          { ...process.env, ANTHROPIC_API_KEY: key, MY_KEY: key, CLAUDE_TOKEN: 'x', VSCODE_IPC_HOOK_CLI: '/tmp/s' },
          { credentials: [key] },
        ),
    });
    const { output } = await hidden.run('env; declare -p; cat /proc/$$/environ | tr "\\0" "\\n"');
    assert.equal(output.includes(key), false);
    assert.equal(/ANTHROPIC|CLAUDE|VSCODE_/.test(output), false);
    assert.match(output, /LOOPDOCK_ACTIVE=1/);
    await hidden.dispose();
  });

  test('runs a command file only as text: nothing of it is in a process list', async () => {
    writeFileSync(path.join(test_.folder, 'x'), '');
    const { output } = await test_.run('ps -eo args | grep -c "[s]ecret-in-the-command"');
    assert.equal(output, '0\n');
  });
});
