import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decide } from '../../../src/core/approval/decide.ts';
import type { Decision, Effect, PathFacts } from '../../../src/core/approval/effects.ts';

/** As the host computes it for a path in the root `/w`. */
function inside(path: string, given = path): PathFacts {
  const segments = path.split('/').filter((segment) => segment !== '');
  return { given, display: path, canonical: `/w/${path}`, inside: true, segments, exists: true };
}

function outside(path: string, given = path): PathFacts {
  return { given, display: path, canonical: path, inside: false, segments: [], exists: true };
}

const read = (path: PathFacts): Effect => ({ kind: 'read', path });
const write = (path: PathFacts, creates = false): Effect => ({ kind: 'write', path, creates });
const execute = (command: string): Effect => ({ kind: 'execute', command, cwd: '/w' });
const judge = (...effects: readonly Effect[]): Decision => decide(effects, 'ask', true);

function assertVerdicts(verdict: Decision['verdict'], effects: readonly (readonly [string, Effect])[]): void {
  for (const [name, effect] of effects) {
    const decision = judge(effect);
    assert.equal(decision.verdict, verdict, `${JSON.stringify(name)}: ${decision.rule}`);
    assert.notEqual(decision.rule, '');
  }
}

const readsOf = (paths: readonly string[]): [string, Effect][] => paths.map((path) => [path, read(inside(path))]);
const writesOf = (paths: readonly string[]): [string, Effect][] => paths.map((path) => [path, write(inside(path))]);

suite('approval: reads', () => {
  test('inside the workspace are allowed, whatever dots the names have', () => {
    assertVerdicts(
      'allow',
      readsOf(['src/a.ts', '..foo', 'src/..a/b', 'a b/c.txt', 'ü/日本.md', 'src/new/deep/file', 'README']),
    );
    assert.equal(judge(read({ ...inside('src/a.ts'), given: 'src/../src/a.ts' })).verdict, 'allow');
    assert.equal(judge(read({ ...inside('src/a.ts'), given: '/w/src/a.ts' })).verdict, 'allow');
    assert.equal(judge(read({ ...inside('Untitled-1'), given: 'untitled:Untitled-1' })).verdict, 'allow');
  });

  test('outside of it ask, also where the path begins like the workspace', () => {
    const paths = [
      '/outside',
      '/etc/passwd',
      '/w-evil/x',
      '/wx',
      'C:\\Users\\x',
      '\\\\server\\share\\x',
      '/proc/self/environ',
    ];
    assertVerdicts(
      'ask',
      paths.map((path) => [path, read(outside(path))]),
    );
  });

  const secrets = [
    [
      '.env',
      '.env.local',
      '.env.production',
      'api/.ENV',
      '.env.',
      '.e\u200Bnv',
      'server.pem',
      'deploy.key',
      'cert.p12',
    ],
    ['.ssh/config', 'home/.ssh/id_rsa', 'id_ed25519', 'ID_RSA', '.npmrc', '.netrc', '.pypirc', '.aws/credentials'],
    ['.kube/config', '.docker/config.json', '.git-credentials', '.git/config', 'credentials.json', 'secrets.yaml'],
    ['service-account-prod.json', '.pgpass', 'terraform.tfstate', '.envrc', '.gnupg/secring.gpg', '.env:stream'],
  ].flat();

  test('of files that look like credentials ask, in every spelling', () => {
    assertVerdicts('ask', readsOf(secrets));
    for (const path of secrets) assert.match(judge(read(inside(path))).rule, /credentials/);
  });

  test('of credentials outside of the workspace say that they are', () => {
    assert.match(judge(read(outside('/home/me/.ssh/id_rsa'))).rule, /credentials/);
    assert.match(judge(read(outside('C:\\Users\\me\\.aws\\config'))).rule, /credentials/);
  });

  test('of files that only sound like it are allowed', () => {
    const harmless = [
      '.env.example',
      '.env.sample',
      'env.ts',
      'keyboard.ts',
      'src/secrets/index.ts',
      'id_rsa.pub',
      'pem.md',
    ];
    assertVerdicts('allow', [
      ...readsOf(harmless),
      ...readsOf(['environment.ts', 'credentials.test.ts', '.gitignore']),
    ]);
  });

  test('of text that can mean another path ask', () => {
    const odd = [
      '~/x',
      '$HOME/x',
      '${HOME}/x',
      'file:///etc/passwd',
      '%2e%2e/x',
      'vscode-userdata:/x',
      'a\u202Eb',
      'a\u0000b',
    ];
    const windows = [
      'CON',
      'aux.ts',
      'src/NUL',
      'a.ts:stream',
      '//server/share',
      '\\\\?\\C:\\x',
      'COM1 .txt',
      'lpt9.log',
    ];
    assertVerdicts(
      'ask',
      [...odd, ...windows].map((given) => [given, read({ ...inside('x'), given })]),
    );
  });
});

suite('approval: writes', () => {
  test('inside the workspace ask, and say whether the file is new', () => {
    assertVerdicts('ask', writesOf(['src/a.ts', '..foo', 'src/..a/b', 'new/deep/file.txt']));
    assert.notEqual(judge(write(inside('a'), true)).rule, judge(write(inside('a'))).rule);
  });

  test('outside of it are denied, links that leave it included', () => {
    const paths = [
      '/outside',
      '/etc/passwd',
      '/w-evil/x',
      '/home/me/.bashrc',
      'C:\\Windows\\x',
      '\\\\server\\share\\x',
    ];
    assertVerdicts(
      'deny',
      paths.flatMap((path): [string, Effect][] => [
        [path, write(outside(path))],
        [path, write(outside(path, 'link/in/the/workspace'), true)],
      ]),
    );
  });

  const git = [
    [
      '.git',
      '.git/config',
      '.git/hooks/pre-commit',
      '.GIT/config',
      '.Git/HEAD',
      '.git /config',
      '.git./config',
      '.git. ./x',
    ],
    [
      'GIT~1/config',
      'git~2/config',
      '.g\u200Cit/config',
      '.git\u200B/config',
      '.\uFEFFgit/config',
      '.gi\u00ADt/x',
      '.\u2060git/x',
    ],
    [
      '.git::$INDEX_ALLOCATION/config',
      '.git:x/config',
      '.git. ::$INDEX_ALLOCATION/x',
      'sub/.git/config',
      'a/b/c/.git/hooks/x',
    ],
    ['.git/modules/x/config', '.g\u0131t/config', '.\uFF47\uFF49\uFF54/config', '.g\u{E0067}it/x', 'sub/.git'],
  ].flat();

  test('into .git are denied in every spelling that some file system takes for it', () => {
    assertVerdicts('deny', writesOf(git));
  });

  test('beside .git are not taken for it', () => {
    assertVerdicts(
      'ask',
      writesOf(['.github/x', '.gitignore', 'git/config', 'a.git/x', '.gitx/y', 'git~x/y', 'my.git.txt']),
    );
  });

  const protectedPaths = [
    [
      '.gitmodules',
      '.gitattributes',
      '.vscode/settings.json',
      '.vscode/tasks.json',
      '.vscode/launch.json',
      'x.code-workspace',
    ],
    [
      '.devcontainer/devcontainer.json',
      '.devcontainer.json',
      '.github/workflows/ci.yml',
      '.mcp.json',
      '.cursor/mcp.json',
    ],
    [
      '.claude/settings.json',
      'CLAUDE.md',
      'AGENTS.md',
      'sub/agents.md',
      '.github/copilot-instructions.md',
      '.husky/pre-commit',
    ],
    [
      '.npmrc',
      '.envrc',
      '.env',
      '.bashrc',
      '.zshrc',
      '.profile',
      'package.json',
      'node_modules/.bin/tsc',
      '.idea/workspace.xml',
    ],
    [
      '.VSCODE/Settings.json',
      '.vscode./settings.json',
      '.vs\u200Bcode/tasks.json',
      '.CURSOR/MCP.json',
      'Package.JSON',
      'claude.MD',
    ],
    [
      '.cursorrules',
      '.clinerules/a.md',
      'x.instructions.md',
      '.gitlab-ci.yml',
      '.pre-commit-config.yaml',
      'Jenkinsfile',
      '.ssh/config',
    ],
    ['.vscode', '.vscode/deep/er/x', 'PACKAGE.json ', 'package.json::$DATA', '.envrc.'],
  ].flat();

  test('of files that something runs or obeys later ask with a rule of their own', () => {
    const general = [judge(write(inside('a'))).rule, judge(write(inside('a'), true)).rule];
    for (const path of protectedPaths) {
      for (const creates of [false, true]) {
        const { verdict, rule } = judge(write(inside(path), creates));
        assert.equal(verdict, 'ask', path);
        assert.ok(!general.includes(rule) && rule.includes(path), `${path}: ${rule}`);
      }
    }
  });

  test('of names that only resemble those ask by the general rule', () => {
    const general = judge(write(inside('a'))).rule;
    for (const path of [
      'vscode/settings.json',
      'packages.json',
      'mypackage.json',
      'agents.ts',
      'env',
      'bin/x',
      'src/profile.ts',
    ]) {
      assert.equal(judge(write(inside(path))).rule, general, path);
    }
  });
});

suite('approval: commands and combinations', () => {
  test('a command asks, and says so when it hides something [XN15]', () => {
    const plain = judge(execute('ls -la\n\tgrep x'));
    assert.equal(plain.verdict, 'ask');
    for (const command of [
      'ls \u202E x',
      'ls\rtouch PWNED',
      'ls \u0007',
      'ls\0x',
      'ls \u2066; x\u2069',
      'ls\u2028x',
      'ls \uFEFF',
      'ls \u00AD',
    ]) {
      const decision = judge(execute(command));
      assert.equal(decision.verdict, 'ask');
      assert.notEqual(decision.rule, plain.rule, JSON.stringify(command));
    }
  });

  test('deny beats ask beats allow, wherever in the call it stands', () => {
    const effects = [read(inside('a')), write(inside('b')), write(inside('.git/config')), read(outside('/x'))];
    for (const order of [effects, effects.toReversed()]) assert.equal(judge(...order).verdict, 'deny');
    assert.equal(judge(read(inside('a')), write(inside('b')), read(inside('c'))).verdict, 'ask');
    assert.equal(judge(read(inside('a')), read(inside('c'))).verdict, 'allow');
  });

  test('of several questions the more telling rule is shown', () => {
    const { rule } = judge(write(inside('a')), write(inside('package.json')), write(inside('b')));
    assert.match(rule, /package\.json/);
  });

  test('without trust only a call without effects is allowed', () => {
    for (const effect of [read(inside('a')), write(inside('a')), execute('ls')]) {
      assert.equal(decide([effect], 'ask', false).verdict, 'deny');
    }
    assert.equal(decide([], 'ask', false).verdict, 'allow');
    assert.equal(judge().verdict, 'allow');
  });

  const anyPath = fc.array(
    fc.oneof(fc.constantFrom('.git', 'src', '.env', 'package.json', '.GIT '), fc.string({ unit: 'binary' })),
    {
      minLength: 1,
      maxLength: 6,
    },
  );
  const anyEffect = fc.oneof(
    fc.tuple(anyPath, fc.boolean(), fc.boolean()).map(([segments, isInside, writes]): Effect => {
      const path = { ...inside(segments.join('/')), segments, inside: isInside };
      return writes ? write(path) : read(path);
    }),
    fc.string({ unit: 'binary' }).map(execute),
  );

  test('never throws, and another effect never makes a call more allowed', () => {
    const rank = { allow: 0, ask: 1, deny: 2 };
    fc.assert(
      fc.property(fc.array(anyEffect, { maxLength: 5 }), anyEffect, (effects, more) => {
        assert.ok(rank[judge(...effects, more).verdict] >= rank[judge(...effects).verdict]);
      }),
    );
  });

  test('no write is ever allowed without asking, and none below .git or outside but denied', () => {
    fc.assert(
      fc.property(anyPath, fc.boolean(), (segments, isInside) => {
        const { verdict } = judge(write({ ...inside(segments.join('/')), segments, inside: isInside }));
        assert.notEqual(verdict, 'allow');
        if (!isInside || segments.includes('.git')) assert.equal(verdict, 'deny');
      }),
    );
  });

  test('decides within a millisecond on a very long path', () => {
    const path = inside(Array.from({ length: 150 }, () => 'a.b c').join('/'));
    const times = Array.from({ length: 30 }, () => {
      const start = performance.now();
      judge(write(path));
      return performance.now() - start;
    });
    assert.ok(Math.min(...times) < 1, `${Math.min(...times)} ms`);
  });
});
