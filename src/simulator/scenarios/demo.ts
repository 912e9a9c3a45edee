/**
 * The offline demo: a script that walks the whole path on the demo workspace. Each answer follows from the transcript
 * alone (the calls since the prompt and what came back), so that it adapts to what the user allows, and goes on after
 * a restart.
 */
import { stringOf } from '../json.ts';
import type { LateStep, Reply, Scenario, ServerResult, Step } from '../scenario.ts';
import type { Call, Turn } from '../turn.ts';
import { plotScript } from './plotScript.ts';

/** The prompt that the demo's button sends. */
export const demoPrompt = 'Fix the failing test, then chart the sales data';

const asked = /failing test.*(chart|sales)/is;

export const demo: Scenario = {
  name: 'demo',
  rules: [
    { when: { prompt: asked }, reply: (turn) => walk(turn, turn.calls) },
    { when: { prompt: /^(continue|go on)\b/i, test: (turn) => unfinished(turn) !== undefined }, reply: resume },
    { reply: explain },
  ],
};

const editor = 'str_replace_based_edit_tool';
const testCommand = 'node test/sum.test.js';
const notice = '*Simulated answers, no model:* this is a script. The edits, commands and files are real.';

function explain(): Reply {
  return say(
    `${notice}\n\nI can't answer questions, because there is no model behind this demo. ` +
      `Try this prompt:\n\n> ${demoPrompt}\n\nTo talk to Claude, set an API key with *Loopdock: Set API Key*.`,
  );
}

/** Where the walk is, read from the transcript. */
interface Progress {
  readonly source: Call | undefined;
  readonly tests: readonly Call[];
  readonly edit: Call | undefined;
  readonly table: Call | undefined;
  readonly charted: boolean;
}

/** After an interruption the walk goes on where it was. */
function resume(turn: Turn): Reply {
  return walk(turn, [...(unfinished(turn) ?? []), ...turn.calls]);
}

/** The calls since the demo's prompt, where it was sent before. */
function unfinished(turn: Turn): readonly Call[] | undefined {
  const start = turn.earlier.findLastIndex(({ prompt }) => asked.test(prompt));
  return start < 0 ? undefined : turn.earlier.slice(start).flatMap(({ calls }) => calls);
}

function walk(turn: Turn, calls: readonly Call[]): Reply {
  const progress = progressOf(calls);
  if (!progress.source) return begin(turn);
  if (progress.source.isError) return say(`I can't read \`src/sum.js\`, so I stop here: ${quote(progress.source)}`);
  return progress.table ? chart(turn, progress.table, progress) : fix(progress.source, progress);
}

function progressOf(calls: readonly Call[]): Progress {
  const viewOf = (name: string): Call | undefined =>
    calls.find((call) => call.name === editor && call.input['command'] === 'view' && call.input['path'] === name);
  return {
    source: viewOf('src/sum.js'),
    tests: calls.filter((call) => call.name === 'bash'),
    edit: calls.find((call) => call.name === editor && call.input['command'] === 'str_replace'),
    table: viewOf('data/sales.csv'),
    charted: calls.some((call) => call.name === 'bash_code_execution'),
  };
}

function begin(turn: Turn): Reply {
  const missing = [editor, 'bash'].filter((name) => !turn.tools.includes(name));
  if (missing.length > 0) return say(`${notice}\n\nThe demo needs these tools, which are off: ${missing.join(', ')}.`);
  return {
    steps: [
      { type: 'thinking', text: 'I should read the code before I change it.' },
      text(`${notice}\n\nI'll look at the code first.`),
      view('src/sum.js'),
    ],
  };
}

/** The first half: run the test, edit, run it again. */
function fix(source: Call, { tests, edit }: Progress): Reply {
  const [before, after] = tests;
  if (!before) return { steps: [text("Now I'll run the test to see it fail."), runTest()] };
  if (outcome(before) === 'passed') return readTable('The test passes already, so there is nothing to fix.');
  if (!edit) return proposeEdit(source, before);
  if (edit.isError) return readTable(`The edit was not made (${quote(edit)}). I leave \`src/sum.js\` as it is.`);
  if (!after) return { steps: [text("The edit is in. I'll run the test again."), runTest()] };
  return readTable(
    {
      passed: 'The test is green.',
      failed: 'The test still fails; the script knows no other fix, so I leave it.',
      unknown: `The test did not run (${quote(after)}), so I can't tell whether it passes now.`,
    }[outcome(after)],
  );
}

function proposeEdit(source: Call, before: Call): Reply {
  const line = /^.*return a - b;?.*$/m.exec(plainText(source))?.[0];
  if (line === undefined) return readTable("I don't see the bug that this script knows how to fix in `src/sum.js`.");
  const lead =
    outcome(before) === 'unknown'
      ? `The test did not run (${quote(before)}), but the bug is plain to see: \`sum\` subtracts.`
      : 'It fails because `sum` subtracts. It should add.';
  return {
    steps: [
      text(lead),
      {
        type: 'tool_use',
        name: editor,
        input: { command: 'str_replace', path: 'src/sum.js', old_str: line, new_str: line.replace('a - b', 'a + b') },
      },
    ],
  };
}

function readTable(lead: string): Reply {
  return { steps: [text(`${lead}\n\nNext the sales data: I'll read the table.`), view('data/sales.csv')] };
}

/** The second half: everything in the container happens within one response. */
function chart(turn: Turn, table: Call, progress: Progress): Reply {
  if (table.isError) return say(`I can't read \`data/sales.csv\`, so there is no chart: ${quote(table)}`);
  if (progress.charted) return say('The chart was made above.');
  if (!turn.tools.includes('code_execution')) {
    return say('Code execution is off in this request, so I have no container to draw the chart in.');
  }
  const create = (path: string, content: string): Step => ({
    type: 'text_editor_code_execution',
    input: { command: 'create', path, file_text: content },
  });
  const finish: LateStep = (results) => [text(summary(results, progress))];
  return {
    steps: [
      text("I'll copy the table into the container and draw it there."),
      create('sales.csv', `${plainText(table)}\n`),
      create('plot.mjs', plotScript),
      { type: 'bash_code_execution', command: 'node plot.mjs' },
      finish,
    ],
  };
}

const noChart = 'The chart could not be drawn in the container:';

function summary(results: readonly ServerResult[], { edit, tests }: Progress): string {
  const content = results.at(-1)?.content;
  if (content?.type !== 'bash_code_execution_result') return `${noChart} ${content?.type ?? 'no result'}`;
  if (content.return_code !== 0) return `${noChart} ${content.stderr.slice(0, 300)}`;
  const facts = JSON.parse(content.stdout) as { kept: number; dropped: number; total: number; best: [string, number] };
  const last = tests.at(-1);
  const fixed = edit && !edit.isError && last && outcome(last) === 'passed';
  return [
    'Done.',
    '',
    fixed ? '- **Test**: `sum` adds now, and all tests pass.' : '- **Test**: see above.',
    `- **Sales**: ${facts.kept} rows kept, ${facts.dropped} dropped (doubled, or without revenue). ` +
      `Revenue ${facts.total} in total; the best month is ${facts.best[0]} with ${facts.best[1]}.`,
    '- **Files**: `chart.png` and `cleaned.csv` are attached.',
    '',
    notice,
  ].join('\n');
}

/** What a run of the test said; unknown when it did not run (denied, timed out, no node). */
function outcome(call: Call): 'passed' | 'failed' | 'unknown' {
  const counts = /(\d+) passed, (\d+) failed/.exec(call.result ?? '');
  if (!counts) return 'unknown';
  return counts[2] === '0' ? 'passed' : 'failed';
}

/** The file's text out of a view: without the line numbers in front. */
function plainText(call: Call): string {
  const lines = stringOf(call.result).split(/\r?\n/);
  const numbered = lines.map((line) => /^\s*\d+(?:: ?|\t| ?\| ?)(.*)$/.exec(line)?.[1]);
  return numbered.some((line) => line !== undefined)
    ? numbered.filter((line) => line !== undefined).join('\n')
    : lines.join('\n');
}

function quote(call: Call): string {
  const line = stringOf(call.result).trim().split('\n').at(-1) ?? '';
  return line === '' ? 'no output' : `“${line.slice(0, 200)}”`;
}

function text(value: string): Step {
  return { type: 'text', text: value };
}

function view(path: string): Step {
  return { type: 'tool_use', name: editor, input: { command: 'view', path } };
}

function runTest(): Step {
  return { type: 'tool_use', name: 'bash', input: { command: testCommand } };
}

function say(value: string): Reply {
  return { steps: [text(value)] };
}
