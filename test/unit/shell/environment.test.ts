import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ToolError } from '../../../src/core/errors.ts';
import { findBash } from '../../../src/node/shell/findBash.ts';
import { resolveVariables, scrubEnvironment } from '../../../src/node/shell/scrubEnvironment.ts';

suite('The environment of children', () => {
  test('has nothing of ours, of the provider or of the editor', () => {
    const result = scrubEnvironment({
      PATH: '/bin',
      HOME: '/home/me',
      AWS_PROFILE: 'mine',
      ANTHROPIC_API_KEY: 'k',
      anthropic_auth_token: 'k',
      CLAUDE_CODE_X: 'k',
      LOOPDOCK_RESULTS: 'k',
      VSCODE_IPC_HOOK_CLI: 'k',
      VSCODE_GIT_IPC_HANDLE: 'k',
      ELECTRON_RUN_AS_NODE: '1',
      BROWSER: '/vscode/bin/helpers/browser.sh',
      GIT_ASKPASS: '/vscode/extensions/git/dist/askpass.sh',
      UNSET: undefined,
    });
    assert.deepEqual(result, {
      PATH: '/bin',
      HOME: '/home/me',
      AWS_PROFILE: 'mine',
      TERM: 'dumb',
      PAGER: 'cat',
      GIT_PAGER: 'cat',
      MANPAGER: 'cat',
      GIT_EDITOR: 'true',
      GIT_TERMINAL_PROMPT: '0',
      DEBIAN_FRONTEND: 'noninteractive',
      PYTHONUNBUFFERED: '1',
      LOOPDOCK_ACTIVE: '1',
    });
  });

  test('drops every variable with a known credential in its value [XN13]', () => {
    const credentials = ['sk-0123456789', 'short', ''];
    const result = scrubEnvironment(
      { A: 'sk-0123456789', B: 'Bearer sk-0123456789', C: 'shorter', D: '' },
      { credentials },
    );
    assert.deepEqual([result['A'], result['B'], result['C'], result['D']], [undefined, undefined, 'shorter', '']);
  });

  test('lays the terminal settings over it, and scrubs those, too', () => {
    const env = { KEEP: '1', GONE: '1', CHANGED: '1' };
    const overrides = {
      GONE: null,
      CHANGED: '2',
      NEW: '3',
      ANTHROPIC_API_KEY: 'k',
      SNEAKY: 'sk-0123456789',
      PAGER: 'less',
    };
    const result = scrubEnvironment(env, { overrides, credentials: ['sk-0123456789'] });
    const { KEEP, GONE, CHANGED, NEW, ANTHROPIC_API_KEY, SNEAKY, PAGER } = result;
    assert.deepEqual(
      { KEEP, GONE, CHANGED, NEW, ANTHROPIC_API_KEY, SNEAKY, PAGER },
      {
        KEEP: '1',
        GONE: undefined,
        CHANGED: '2',
        NEW: '3',
        ANTHROPIC_API_KEY: undefined,
        SNEAKY: undefined,
        PAGER: 'cat',
      },
    );
    assert.deepEqual(env, { KEEP: '1', GONE: '1', CHANGED: '1' });
  });
});

suite('Variables in the terminal settings', () => {
  test('are filled in where they are known', () => {
    const known = { workspaceFolder: '/ws', userHome: '/home/me', env: { PATH: '/bin' } };
    assert.equal(
      resolveVariables('${workspaceFolder}/bin:${userHome}/bin:${env:PATH}:${env:NONE}:${file}:$x', known),
      '/ws/bin:/home/me/bin:/bin::${file}:$x',
    );
    assert.equal(
      resolveVariables('${workspaceFolder}', { ...known, workspaceFolder: undefined }),
      '${workspaceFolder}',
    );
  });
});

suite('Finding bash', () => {
  test('takes the first executable one on PATH, and none from a relative entry', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'bash-test-'));
    for (const name of ['folder', 'plain', 'good']) mkdirSync(path.join(folder, name));
    mkdirSync(path.join(folder, 'folder', 'bash'));
    writeFileSync(path.join(folder, 'plain', 'bash'), '');
    writeFileSync(path.join(folder, 'good', 'bash'), '');
    chmodSync(path.join(folder, 'good', 'bash'), 0o755);
    const PATH = [
      '.',
      'node_modules/.bin',
      '',
      ...['folder', 'plain', 'good'].map((name) => path.join(folder, name)),
    ].join(':');
    assert.equal(findBash({ PATH }, 'linux'), path.join(folder, 'good', 'bash'));
    rmSync(folder, { recursive: true });
  });

  test('finds one in the usual places without any PATH', () => {
    assert.match(findBash({}, 'linux'), /^\/.*\/bash$/);
  });

  test('says on Windows what to do instead', () => {
    assert.throws(
      () => findBash({ PATH: '/bin' }, 'win32'),
      (error: Error) => error instanceof ToolError && /WSL/.test(error.message),
    );
  });
});
