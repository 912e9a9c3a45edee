import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { visibleText } from '../../core/base/visibleText.ts';
import type { ShellEnd } from '../../core/ports.ts';

/** What the terminal shows around a command's output. Only text of ours has escapes in it. */
const DIM = '\x1b[2m';
const BOLD = '\x1b[1m';
const GREEN = '\x1b[32m';
const RED = '\x1b[31m';
const PLAIN = '\x1b[0m';
/** Goes to the start of the line and erases it: the prompt gives way. */
export const ERASE_LINE = `${PLAIN}\r\x1b[K`;

export function greeting(): string {
  return `${DIM}${l10n.t('Claude’s commands run here. You can type commands, too; Ctrl+C interrupts.')}${PLAIN}\r\n`;
}

export function prompt(cwd: string): string {
  return `${DIM}${oneLine(path.basename(cwd) || cwd)}${PLAIN} $ `;
}

/** The command as the card shows it, hidden characters written out. */
export function commandLine(command: string, cwd: string): string {
  return `${prompt(cwd)}${BOLD}${visibleText(command).replaceAll('\n', '\r\n')}${PLAIN}\r\n`;
}

export function endMark(end: ShellEnd, durationMs: number): string {
  const seconds = `${DIM}${(durationMs / 1000).toFixed(1)} s${PLAIN}`;
  const ok = end.kind === 'exit' && end.code === 0;
  return `${ok ? `${GREEN}✓` : `${RED}✗`} ${oneLine(endText(end))}${PLAIN} ${seconds}\r\n`;
}

export function displayCutNote(totalBytes: number): string {
  return note(l10n.t('Not everything is shown here: the command wrote {0} bytes.', totalBytes));
}

export function restartedNote(): string {
  return note(l10n.t('The shell was restarted.'));
}

function note(text: string): string {
  return `${DIM}[${text}]${PLAIN}\r\n`;
}

function endText(end: ShellEnd): string {
  switch (end.kind) {
    case 'exit':
      return String(end.code);
    case 'timeout':
      return l10n.t('stopped after {0} seconds', Math.round(end.afterMs / 1000));
    case 'interrupted':
      return l10n.t('interrupted');
    case 'terminalClosed':
      return l10n.t('the terminal was closed');
    case 'shellEnded':
      return l10n.t('the shell ended ({0})', String(end.code ?? end.signal));
  }
}

function oneLine(text: string): string {
  return visibleText(text).replace(/[\n\t]/g, ' ');
}
