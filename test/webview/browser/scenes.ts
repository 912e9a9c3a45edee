import type { ViewState } from '../../../src/protocol/messages.ts';
import type { Row } from '../../../src/protocol/rows.ts';
import { approval, state, text, tool, usage, user } from '../support/sample.ts';

export interface Scene {
  readonly state: ViewState;
  readonly rows: readonly Row[];
}

const thumbnail =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAPAAAAB4CAIAAABD1OhwAAABmElEQVR42u3TsQ3AIBAEwe+ERuiLxujPVGDJEgmcZ+X4gmdcjxRUOYGAloCWgJaAFtAS0BLQEtAS0AJaAlp6qY25+QEtoCWgJaAFNNACGmgBLQGtRBZAC2igBTTQQAMNNNBAC2igBTTQAhpooIEGGmigBTTQAhpoAQ000EADDTTQAhpoAQ20gAY62xzQQAMNtIAGWkADDTTQQAMNNNBAA61/gQ77FYEGGmgxBzTQQAMNtHGggQZaQAMt5oAGGmiggTYONNBAR7MAGmiggQYaaOaABto40EADDTTQQAMNNNBAMwe0lzMONBZAA20caKCNAw20caC9nHGgsQAaaONAA20caKCNA+3ljANtHGigjQMNtPEE0I5rHGgvZxxo48aBNg400MaBdlzjQHs540AbNw60caCBNg604xoH2rhxoI0bB9o40EAbB9pxjQNt3DjQxo0DbRxoxzUOtJczDrRx40AbNw60caAd1zjQXs440MaNA20caKCNA+24xjNAd+nIgBbQ0m0BLaAloCWgJaAFtAS0BLQEtPSxBU/dlvQ97BGZAAAAAElFTkSuQmCC';

const diff = {
  kind: 'diff',
  path: 'src/sum.ts',
  added: 4,
  removed: 1,
  hunks: [
    {
      oldStart: 8,
      oldLines: 5,
      newStart: 8,
      newLines: 8,
      lines: [
        ' /** Adds up the amounts of all rows. */',
        ' export function sum(rows: readonly Row[]): number {',
        '-  return rows.reduce((total, row) => total - row.amount, 0);',
        '+  let total = 0;',
        '+  for (const row of rows) total += row.amount;',
        '+  // An empty table has the sum 0.',
        '+  return total;',
        ' }',
      ],
    },
  ],
} as const;

const answer = `I'll look at the test first. It fails because \`sum\` **subtracts** instead of adding:

\`\`\`ts
export function sum(rows: readonly Row[]): number {
  return rows.reduce((total, row) => total - row.amount, 0); // wrong sign
}
\`\`\`

What I am going to do:

1. Change the operator in \`src/sum.ts\`.
2. Run \`npm test\`.
3. Draw the chart from *your* CSV.

| Month | Amount |
|---|---:|
| January | 1,204 |
| February | 987 |

See the [documentation](https://example.com/docs) for more.`;

const readFile = tool('t1', {
  tool: 'str_replace_based_edit_tool',
  title: 'Read src/sum.ts',
  body: { kind: 'text', text: 'export const a = 1;\n', language: 'ts' },
});

const testRun = tool('t3', {
  title: 'npm test',
  body: {
    kind: 'terminal',
    command: 'npm test',
    output:
      '> demo@1.0.0 test\n> node --test\n\n✔ sums all rows (1.2ms)\n✔ an empty table has the sum 0 (0.1ms)\nℹ tests 2\nℹ pass 2\nℹ fail 0',
    exitCode: 0,
    durationMs: 1_830,
    cwd: '/home/user/demo',
  },
});

/** The states that are looked at in all themes, by name. */
export const scenes: Readonly<Record<string, Scene>> = {
  empty: {
    state: state({
      title: '',
      simulated: true,
      suggestedPrompt: 'Fix the failing test, then draw a chart of sales.csv and give me a cleaned CSV.',
    }),
    rows: [],
  },
  noKey: { state: state({ title: '', hasKey: false, trusted: false }), rows: [] },
  answer: {
    state: state({ contextTokens: 82_400, contextLimit: 200_000, usage: usage({ cacheMiss: 'pause' }) }),
    rows: [
      user('u1', 'Fix the failing test, then draw a chart of sales.csv.'),
      { kind: 'thinking', id: 'k1', text: 'The user wants the test fixed.', streaming: false },
      text('a1', answer, { first: true }),
      readFile,
    ],
  },
  approvals: {
    state: state({
      busy: true,
      waiting: 2,
      phase: 'Waits for your decision',
      queued: [{ text: 'Also update the README, please.', files: ['notes.md'] }],
    }),
    rows: [
      user('u1', 'Fix the failing test.'),
      text('a1', 'The sign is wrong. I fix it and run the tests.', { first: true }),
      readFile,
      tool('t2', {
        tool: 'str_replace_based_edit_tool',
        title: 'Edit src/sum.ts',
        status: 'approval',
        body: diff,
        approval: approval({
          question: 'Apply this edit to src/sum.ts?',
          rule: 'Edits ask first in the mode Ask.',
          choices: [
            { id: 'allow', label: 'Accept' },
            { id: 'deny', label: 'Reject' },
            { id: 'denyWithMessage', label: 'Reject with a Message…' },
          ],
          canOpenDiff: true,
        }),
      }),
      tool('t4', {
        status: 'approval',
        body: { kind: 'terminal', command: 'npm test', output: '' },
        approval: approval({ id: 'approval-2', live: false }),
      }),
    ],
  },
  results: {
    state: state({
      simulated: true,
      container: { id: 'container_011CUnT8sWqd7', expiresAt: '2099-01-01T12:00:00Z' },
      contextTokens: 12_345,
      usage: usage({ forecast: null }),
    }),
    rows: [
      testRun,
      tool('t5', {
        tool: 'bash_code_execution',
        title: 'python plot.py',
        place: 'container',
        body: {
          kind: 'terminal',
          command: 'python plot.py --in sales.csv --out "$OUTPUT_DIR/chart.png"',
          output: '',
          exitCode: 0,
          durationMs: 4_200,
        },
      }),
      {
        kind: 'attachment',
        id: 'f1',
        fileId: 'file_1',
        name: 'chart.png',
        mimeType: 'image/png',
        size: 24_680,
        state: 'stored',
        thumbnail,
      },
      {
        kind: 'attachment',
        id: 'f2',
        fileId: 'file_2',
        name: 'cleaned.csv',
        mimeType: 'text/csv',
        size: 1_234,
        state: 'failed',
        failure: 'the connection was closed',
      },
      text('a9', 'The test is green, and the chart is attached.', { first: true }),
    ],
  },
  trouble: {
    state: state({ busy: true, phase: 'Waits for the API', readOnly: true }),
    rows: [
      user('u1', 'Go on.'),
      text('a1', 'I was about to', { first: true, notSent: true }),
      {
        kind: 'notice',
        id: 'n1',
        severity: 'error',
        title: 'The API refused the key',
        detail: 'invalid x-api-key',
        requestId: 'req_011CUnTk2vY7sWqd7',
        actions: [
          { id: 'setApiKey', label: 'Set API Key' },
          { id: 'retry', label: 'Retry' },
        ],
      },
      {
        kind: 'notice',
        id: 'n2',
        severity: 'warning',
        title: 'The API is overloaded',
        actions: [{ id: 'cancelRetry', label: 'Cancel' }],
        until: Date.now() + 60_000,
      },
      {
        kind: 'notice',
        id: 'n3',
        severity: 'info',
        title: 'The turn was interrupted.',
        actions: [{ id: 'continue', label: 'Continue' }],
      },
      tool('t7', {
        title: 'npm run build',
        status: 'running',
        body: { kind: 'terminal', command: 'npm run build', output: 'bundling…' },
      }),
      tool('t8', {
        tool: 'bash',
        title: 'rm -rf dist',
        status: 'denied',
        body: { kind: 'terminal', command: 'rm -rf dist', output: '' },
      }),
      tool('t9', {
        tool: 'str_replace_based_edit_tool',
        title: 'Edit src/missing.ts',
        status: 'error',
        body: { kind: 'text', text: 'The file src/missing.ts does not exist.' },
      }),
    ],
  },
};
