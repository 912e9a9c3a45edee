import { builtinModules } from 'node:module';
import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const TYPESCRIPT = ['src/**/*.{ts,tsx}', 'media/**/*.{ts,tsx}', 'test/**/*.{ts,tsx}'];
const TESTS = ['test/**/*.{ts,tsx}'];

/** The budgets of ARCHITECTURE.md. */
const budgets = {
  'max-lines': ['error', { max: 400, skipBlankLines: false, skipComments: false }],
  'max-lines-per-function': ['error', { max: 60, skipBlankLines: false, skipComments: false }],
  // A `switch` that only dispatches counts once.
  complexity: ['error', { max: 12, variant: 'modified' }],
  'max-params': ['error', 4],
  'max-depth': ['error', 4],
};

/** What the core may have only through a port, so that it runs the same anywhere and at any time. */
const pureCore = {
  'no-restricted-imports': [
    'error',
    {
      paths: [...builtinModules, 'vscode'].map((name) => ({ name, message: 'The core asks a port.' })),
      patterns: [{ group: ['node:*'], message: 'The core asks a port.' }],
    },
  ],
  'no-restricted-globals': [
    'error',
    ...[
      ...[
        'window',
        'document',
        'navigator',
        'localStorage',
        'fetch',
        'XMLHttpRequest',
        'WebSocket',
        'process',
        'Buffer',
      ],
      ...['require', 'global', 'setTimeout', 'setInterval', 'setImmediate', 'performance', 'crypto'],
    ].map((name) => ({ name, message: 'The core asks a port.' })),
  ],
  'no-restricted-properties': [
    'error',
    { object: 'Date', property: 'now', message: 'The core asks `Clock`.' },
    { object: 'Math', property: 'random', message: 'The core asks `Ids`.' },
  ],
  'no-restricted-syntax': [
    'error',
    { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'The core asks `Clock`.' },
  ],
};

export default tseslint.config(
  {
    ignores: [
      ...['dist/**', 'out/**', 'coverage/**', '.vscode-test/**', '.demo/**'],
      // A user's project, as data; and files that break the rules on purpose.
      ...['media/demo/**', 'test/lint/fixtures/**', 'test/fixtures/**', 'test/golden/**'],
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: TYPESCRIPT,
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['tsconfig.json', 'media/tsconfig.json', 'test/ui/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      ...budgets,
      // TypeScript reports both.
      'no-undef': 'off',
      'no-unused-vars': 'off',
      '@typescript-eslint/no-unused-vars': 'off',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': ['error', { checkThenables: true }],
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      // Numbers and booleans have one obvious text.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // `() => socket.destroy()` is the shape of a disposable, and `return fail()` that of an early end.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // Ports and props are objects made of closures: their methods have no `this` to lose.
      '@typescript-eslint/unbound-method': 'off',
      // `vscode.Disposable` is a class, and any object with `dispose` is one.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // An `async` function that only throws or returns still promises to answer later.
      '@typescript-eslint/require-await': 'off',
    },
  },
  { files: ['src/**/*.{ts,tsx}', 'media/**/*.{ts,tsx}'], rules: { 'no-console': 'error' } },
  { files: ['src/core/**/*.ts', 'src/protocol/**/*.ts'], rules: pureCore },
  {
    files: TESTS,
    rules: {
      // A suite is one function.
      'max-lines-per-function': 'off',
      'no-restricted-properties': [
        'error',
        ...['test', 'suite'].map((object) => ({ object, property: 'only', message: 'The other tests would not run.' })),
      ],
      // A test that finds nothing where it looks shall fail right there.
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // Scripts of the build and of the editors' bootstrap.
    files: ['**/*.{js,cjs,mjs}'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: {
      globals: Object.fromEntries(
        ['require', 'module', 'exports', '__dirname', 'process', 'console', 'Buffer', 'setTimeout', 'URL'].map(
          (name) => [name, 'readonly'],
        ),
      ),
    },
    rules: { 'max-lines': budgets['max-lines'] },
  },
);
