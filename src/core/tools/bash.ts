import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { ToolBody } from '../../protocol/rows.ts';
import type { Effect } from '../approval/effects.ts';
import { isObject, stringAt } from '../base/json.ts';
import { cutText } from '../base/text.ts';
import { visibleText } from '../base/visibleText.ts';
import { ToolError } from '../errors.ts';
import type { ShellResult, TerminalPort } from '../ports.ts';
import { plainBash } from './plainTools.ts';
import type { ClientTool, PreparedCall, ToolOutcome, ToolRun } from './tool.ts';

export interface BashInput {
  readonly command?: string | undefined;
  readonly restart?: boolean | undefined;
}

const TITLE_LENGTH = 120;

const input: z.ZodType<BashInput> = z
  .object({
    command: z.string({ error: 'Parameter `command` must be a string.' }).optional(),
    restart: z.boolean({ error: 'Parameter `restart` must be true or false.' }).optional(),
  })
  .refine(({ command, restart }) => restart === true || (command !== undefined && command.trim() !== ''), {
    error: 'Parameter `command` is required unless `restart` is true.',
  });

/** `bash`: runs commands in the session's one shell, shown in the integrated terminal. */
export function bashTool(port: TerminalPort): ClientTool<BashInput> {
  return {
    kind: 'client',
    name: 'bash',
    versions: ['bash_20250124'],
    declare: () => ({ type: 'bash_20250124', name: 'bash' }),
    plain: () => plainBash,
    input,
    readOnly: () => false,
    title: titleOf,
    prepare: (call) => Promise.resolve(prepare(port, call)),
  };
}

function titleOf(call: unknown): string {
  const command = stringAt(call, 'command');
  if (command === undefined) {
    return isObject(call) && call['restart'] === true ? l10n.t('Restart Terminal') : l10n.t('Terminal');
  }
  const [first = ''] = visibleText(command.trim()).split('\n');
  return l10n.t('Terminal · {0}', first.length > TITLE_LENGTH ? `${cutText(first, TITLE_LENGTH)}…` : first);
}

function prepare(port: TerminalPort, call: BashInput): PreparedCall {
  const { command, restart } = call;
  const title = titleOf(call);
  if (command === undefined) {
    return { title, effects: [], preview: { kind: 'none' }, invoke: ({ signal }) => restartShell(port, signal) };
  }
  refuseControls(command);
  const cwd = port.cwd();
  const effects: readonly Effect[] = [{ kind: 'execute', command, cwd }];
  const preview: ToolBody = { kind: 'terminal', command: visibleText(command), output: '', cwd };
  return {
    title,
    effects,
    preview,
    async invoke(run) {
      // The user may have changed the directory in the terminal: the card would then have shown another command.
      if (port.cwd() !== cwd) return 'stale';
      if (restart === true) await port.restart(run.signal);
      return execute(port, command, run);
    },
  };
}

/** What a terminal would act on, and NUL, is never part of an honest command; and no card could show it as it is. */
function refuseControls(command: string): void {
  const found = /(?![\n\t])\p{Cc}/u.exec(command);
  if (found === null) return;
  throw new ToolError(
    `Error: the command was not run: it contains the control character ${visibleText(found[0])}. ` +
      "Write such characters as escapes, for example $'\\r' or printf '\\033'.",
  );
}

async function restartShell(port: TerminalPort, signal: AbortSignal): Promise<ToolOutcome> {
  await port.restart(signal);
  return {
    content: 'bash session restarted',
    isError: false,
    body: { kind: 'text', text: l10n.t('The shell was restarted.') },
  };
}

async function execute(port: TerminalPort, command: string, run: ToolRun): Promise<ToolOutcome> {
  const result = await port.run(command, run.signal, (chunk) => run.progress(chunk));
  const { output, end, durationMs, cwd, truncated } = result;
  const note = noteOf(result);
  return {
    content: textForModel(result),
    isError: end.kind !== 'exit' || end.code !== 0,
    body: {
      kind: 'terminal',
      command: visibleText(command),
      output,
      exitCode: end.kind === 'exit' ? end.code : null,
      durationMs,
      cwd,
      truncated,
      ...(note === '' ? {} : { note }),
    },
  };
}

function textForModel(result: ShellResult): string {
  const { end } = result;
  const output = result.output.replace(/\n+$/, '');
  if (end.kind === 'exit') {
    if (end.code === 0) return output.trim() === '' ? '(no output)' : output;
    return joinLines(output, `exit code ${end.code}`);
  }
  if (end.kind === 'shellEnded') return joinLines(output, shellEndText(end, result.cwd));
  const partial = output === '' ? 'It had written nothing.' : `Partial output:\n${output}`;
  return joinLines(stopText(end, result.cwd), partial);
}

function shellEndText(end: Extract<ShellResult['end'], { kind: 'shellEnded' }>, cwd: string): string {
  const how = end.signal === null ? `with code ${end.code ?? 'unknown'}` : `by signal ${end.signal}`;
  return `the shell ended ${how}; the next command gets a new shell in ${cwd} (variables and functions are lost)`;
}

function stopText(end: Exclude<ShellResult['end'], { kind: 'exit' | 'shellEnded' }>, cwd: string): string {
  switch (end.kind) {
    case 'timeout': {
      const seconds = Math.round(end.afterMs / 100) / 10;
      return `Error: command did not finish within ${seconds} seconds\nIt was killed; the next command gets a new shell in ${cwd}.`;
    }
    case 'interrupted':
      return 'Error: the user interrupted the command; its exit code is unknown.';
    case 'terminalClosed':
      return 'Error: the user closed the terminal and with it ended the command; its exit code is unknown.';
  }
}

function noteOf({ end, truncated, fullOutputPath }: ShellResult): string {
  const notes = [endNote(end)];
  if (truncated && fullOutputPath !== undefined) notes.push(l10n.t('The whole output is in {0}', fullOutputPath));
  return notes.filter((note) => note !== '').join(' ');
}

function endNote(end: ShellResult['end']): string {
  switch (end.kind) {
    case 'exit':
      return '';
    case 'timeout':
      return l10n.t('Stopped after {0} seconds.', Math.round(end.afterMs / 1000));
    case 'interrupted':
      return l10n.t('Interrupted.');
    case 'terminalClosed':
      return l10n.t('The terminal was closed.');
    case 'shellEnded':
      return l10n.t('The shell ended; the next command gets a new one.');
  }
}

function joinLines(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}
