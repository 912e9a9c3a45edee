import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FenceScanner, fence } from '../../../src/node/shell/fenceScanner.ts';
import { OutputCapture, type CapturedOutput, type CaptureLimits } from '../../../src/node/shell/outputCapture.ts';
import { pruneOutputs } from '../../../src/node/shell/outputFile.ts';
import { testShell } from './support.ts';

interface Captured extends CapturedOutput {
  readonly display: string;
  readonly live: string;
}

suite('What is made of a command\u2019s output', () => {
  let directory: string;
  setup(() => (directory = mkdtempSync(path.join(tmpdir(), 'capture-test-'))));
  teardown(() => rmSync(directory, { recursive: true, force: true }));

  async function capture(chunks: readonly (string | Buffer)[], limits: Partial<CaptureLimits> = {}): Promise<Captured> {
    let [display, live] = ['', ''];
    const output = new OutputCapture({
      directory,
      limits,
      onDisplay: (text) => (display += text),
      onLive: (text) => (live += text),
    });
    for (const chunk of chunks) await output.write(Buffer.from(chunk as string));
    return { ...(await output.finish()), display, live };
  }

  test('leaves plain text as it is, and makes no file', async () => {
    const { text, truncated, totalBytes, live, display } = await capture(['a\tb\n', 'c']);
    assert.deepEqual(
      { text, truncated, totalBytes, live, display },
      {
        text: 'a\tb\nc',
        truncated: false,
        totalBytes: 5,
        live: 'a\tb\nc',
        display: 'a\tb\r\nc',
      },
    );
    assert.deepEqual(readdirSync(directory), []);
  });

  test('decodes characters that were cut between chunks', async () => {
    const bytes = Buffer.from('ä€😀\n');
    const { text, live } = await capture([...bytes].map((byte) => Buffer.of(byte)));
    assert.equal(text, 'ä€😀\n');
    assert.equal(live, 'ä€😀\n');
  });

  test('gives the same text wherever the output is cut', async () => {
    const whole =
      '\x1b]0;title\x07\x1b[1;31mred\x1b[0m\r\n10%\r20%\r\x1b[Kdone\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\x1bPq#1\x1b\\\x1b(B.\n';
    for (let at = 0; at <= whole.length; at++) {
      const { text, display } = await capture([whole.slice(0, at), whole.slice(at)]);
      assert.equal(text, 'red\ndonelink.\n', `cut at ${at}`);
      assert.equal(display, '\x1b[1;31mred\x1b[0m\r\r\n10%\r20%\r\x1b[Kdonelink.\r\n', `cut at ${at}`);
    }
  });

  test('folds progress to its last state', async () => {
    const cases: readonly [string, string][] = [
      ['0%\r50%\r100%\n', '100%\n'],
      ['longer line\rshort\n', 'shortr line\n'],
      ['longer line\r\x1b[Kshort\n', 'short\n'],
      ['abc\b\bX\n', 'aXc\n'],
      ['a\x1b[2Kb\x1b[1Gc\n', 'cb\n'],
      ['windows\r\nline\r\n', 'windows\nline\n'],
    ];
    for (const [output, expected] of cases)
      assert.equal((await capture([output])).text, expected.replace('cb', 'cb'), output);
  });

  test('shows the card each line once, and a rewritten one again', async () => {
    const { live } = await capture(['start ', 'ed\n', '10%', '\r20%', '\r30%\n', 'end\n']);
    assert.equal(live, 'start ed\n10%\n30%\nend\n');
  });

  test('lets nothing through to the terminal that acts on it', async () => {
    const hostile = [
      '\x1b[2J', '\x1b[H', '\x1b[5A', '\x1b[6n', '\x1b[c', '\x1b[?1049h', '\x1b[?25l', '\x1b[21t', '\x1b[3J', '\x1bc',
      '\x1b]0;t\x07', '\x1b]52;c;aGk=\x07', '\x1b]633;D;0\x07', '\x1b]8;;command:x\x1b\\', '\x1bP+q544e\x1b\\', '\x1b_x\x1b\\',
      '\x9b2J', '\x9d52;c;aGk=\x9c', '\x07', '\x05', '\x0e', '\x7f', '\x1b[1;1r', '\x1b[!p', '\x1b(0',
    ]; // prettier-ignore
    for (const escape of hostile) {
      const { display, text } = await capture([`a${escape}b`]);
      assert.equal(display, 'ab', JSON.stringify(escape));
      assert.equal(text, 'ab', JSON.stringify(escape));
    }
  });

  test('does not lose what follows a sequence that never ends', async () => {
    assert.equal((await capture(['a\x1b[', '1'.repeat(200), 'm end\n'])).text.endsWith(' end\n'), true);
    assert.equal((await capture(['a\x1b]0;', 'x'.repeat(2_000_000), ' end\n'])).text.endsWith(' end\n'), true);
    assert.equal((await capture(['a\x1b]0;x\x18b\n'])).text, 'ab\n');
  });

  test('cuts long output in the middle for the model and keeps it whole in a private file [C114]', async () => {
    const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n}\n`).join('');
    const { text, truncated, fullOutputPath = '', totalBytes } = await capture([lines]);
    assert.equal(truncated, true);
    assert.equal(totalBytes, lines.length);
    assert.ok(text.length < 30_300, `${text.length}`);
    assert.match(text, /^line 0\n/);
    assert.match(text, /\nline 19999\n$/);
    const omitted = /\[\.\.\. (\d+) characters left out; the whole output is in (.*) \.\.\.\]/.exec(text) ?? [];
    assert.equal(omitted[2], fullOutputPath);
    assert.equal(Number(omitted[1]), lines.length - 30_000);
    assert.equal(readFileSync(fullOutputPath, 'utf8'), lines);
    assert.equal(statSync(fullOutputPath).mode & 0o777, 0o600);
  });

  test('removes the file again when the folded text fits', async () => {
    const progress = Array.from({ length: 40_000 }, (_, n) => `${n}%\r`).join('');
    const { text, truncated, fullOutputPath } = await capture([
      progress.slice(0, 150_000),
      progress.slice(150_000),
      'done\x1b[K\n',
    ]);
    assert.deepEqual(
      { text, truncated, fullOutputPath },
      { text: 'done\n', truncated: false, fullOutputPath: undefined },
    );
    assert.deepEqual(readdirSync(directory), []);
  });

  test('stops the file at its limit and says so', async () => {
    const { text, fullOutputPath = '' } = await capture(['x'.repeat(5_000), 'y'.repeat(5_000)], {
      model: 1_000,
      fileBytes: 6_000,
    });
    assert.match(text, /the first 6000 bytes of the output are in /);
    assert.equal(statSync(fullOutputPath).size, 6_000);
  });

  test('goes on without the file when the disk refuses it', async () => {
    writeFileSync(path.join(directory, 'file'), '');
    const output = new OutputCapture({
      directory: path.join(directory, 'file', 'sub'),
      onDisplay: () => undefined,
      onLive: () => undefined,
    });
    await output.write(Buffer.from('x'.repeat(200_000)));
    await output.write(Buffer.from('end'));
    const { text, fullOutputPath } = await output.finish();
    assert.match(text, /the whole output could not be kept/);
    assert.match(text, /end$/);
    assert.equal(fullOutputPath, undefined);
  });

  test('never cuts a character in two', async () => {
    const { text } = await capture(['😀'.repeat(1_000)], { model: 101 });
    assert.equal(/[\ud800-\udbff](?![\udc00-\udfff])|\ufffd/.test(text), false);
    assert.match(text, /^😀+\n\[.*\]\n😀+$/u);
  });

  test('shows a note instead of binary output, which is kept [XD16]', async () => {
    const binary = Buffer.from(Array.from({ length: 3_000 }, (_, n) => (n * 7) % 256));
    const { text, truncated, fullOutputPath = '' } = await capture([binary]);
    assert.equal(truncated, true);
    assert.equal(text, `[3000 bytes of binary output, not shown; the whole output is in ${fullOutputPath}]\n`);
    assert.deepEqual(readFileSync(fullOutputPath), binary);
  });

  test('shows a list that is separated by NUL characters', async () => {
    assert.equal((await capture(['./some/path\0./another/path\0'])).text, './some/path␀./another/path␀');
  });

  test('limits what the card and the terminal are given', async () => {
    const { live, display, displayCut, text } = await capture(
      Array.from({ length: 100 }, () => 'x'.repeat(100) + '\n'),
      {
        live: 500,
        display: 1_000,
      },
    );
    assert.ok(live.length < 510 && display.length <= 1_000);
    assert.equal(displayCut, true);
    assert.equal(text.length, 10_100);
  });

  test('takes 50 MB in one line within seconds and without holding it [XD16]', async function () {
    this.timeout(8_000);
    const shell = testShell();
    const before = process.memoryUsage().rss;
    let most = 0;
    const output = new OutputCapture({ directory, onDisplay: () => undefined, onLive: () => undefined });
    const started = Date.now();
    const { end } = await shell.run("head -c 50000000 /dev/zero | tr '\\0' x; echo end", {
      onData(bytes) {
        most = Math.max(most, process.memoryUsage.rss());
        return output.write(bytes);
      },
    });
    const { text, totalBytes, fullOutputPath = '' } = await output.finish();
    assert.deepEqual(end, { kind: 'exit', code: 0 });
    assert.equal(totalBytes, 50_000_004);
    assert.equal(statSync(fullOutputPath).size, 50_000_004);
    assert.ok(text.length < 30_300 && text.endsWith('xend\n'));
    assert.ok(most - before < 120_000_000, `${Math.round((most - before) / 1e6)} MB more`);
    assert.ok(Date.now() - started < 6_000, `${Date.now() - started} ms`);
    await shell.dispose();
  });

  test('removes whole outputs that are old, and nothing else', () => {
    mkdirSync(path.join(directory, 'session'));
    const names = ['session/output-old.txt', 'session/output-new.txt', 'session/other.txt'];
    for (const name of names) writeFileSync(path.join(directory, name), '');
    for (const name of [names[0], names[2]]) utimesSync(path.join(directory, name as string), 1, 1);
    pruneOutputs(directory, 1_000_000);
    assert.deepEqual(
      names.map((name) => existsSync(path.join(directory, name))),
      [false, true, true],
    );
  });
});

suite('The fence scanner', () => {
  const name = '0123456789abcdef0123456789abcdef';

  test('finds the fence wherever the stream is cut, and keeps the bytes around it in order', () => {
    const other = 'f'.repeat(32);
    const stream = Buffer.concat([
      Buffer.from('a\x1b]7777;b\x1b'), fence(other), Buffer.from('\x1b]777'), fence(name), Buffer.from('after\x1b]7777;'),
    ]); // prettier-ignore
    for (let at = 0; at <= stream.length; at++) {
      const seen: string[] = [];
      const scanner = new FenceScanner((bytes) => seen.push(bytes.toString('latin1')));
      scanner.expect(name, () => seen.push('|'));
      scanner.feed(stream.subarray(0, at));
      scanner.feed(stream.subarray(at));
      scanner.flush();
      assert.equal(
        seen.join(''),
        `a\x1b]7777;b\x1b${fence(other).toString('latin1')}\x1b]777|after\x1b]7777;`,
        `cut at ${at}`,
      );
    }
  });

  test('calls back once for each fence', () => {
    let count = 0;
    const scanner = new FenceScanner(() => undefined);
    scanner.expect(name, () => (count += 1));
    scanner.feed(Buffer.concat([fence(name), fence(name)]));
    assert.equal(count, 1);
  });
});
