import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.ts';
import type { Screen } from '../../node/shell/terminalSession.ts';

export interface TerminalScreen extends Screen, Disposable {
  /** Brings the terminal into view and gives it the focus: the user asked for it. */
  reveal(): void;
}

/** Text that is kept for a terminal that VS Code has not opened yet (it takes up to two seconds). */
const MAX_PENDING = 1024 * 1024;

interface Open {
  readonly terminal: vscode.Terminal;
  readonly writes: vscode.EventEmitter<string>;
}

/** A pseudoterminal named `Loopdock`, made by `open`, again after the user closed it. */
export function createTerminalScreen(events: {
  readonly onInput: (data: string) => void;
  readonly onClose: () => void;
}): TerminalScreen {
  let current: Open | undefined;
  let pending: string | undefined;
  const closed = (writes: Open['writes']): void => {
    if (current?.writes !== writes) return;
    current = undefined;
    writes.dispose();
    events.onClose();
  };
  // A terminal that is closed before VS Code has opened it never hears of its end.
  const closing = vscode.window.onDidCloseTerminal((terminal) => {
    if (current !== undefined && terminal === current.terminal) closed(current.writes);
  });
  const create = (): Open => {
    const writes = new vscode.EventEmitter<string>();
    pending = '';
    const pty: vscode.Pseudoterminal = {
      onDidWrite: writes.event,
      open() {
        const text = pending ?? '';
        pending = undefined;
        if (text !== '') writes.fire(text);
      },
      handleInput: (data) => events.onInput(data),
      close: () => closed(writes),
    };
    const iconPath = new vscode.ThemeIcon('sparkle');
    const terminal = vscode.window.createTerminal({ name: 'Loopdock', pty, iconPath, isTransient: true });
    return { terminal, writes };
  };
  return {
    open() {
      if (current) return false;
      current = create();
      current.terminal.show(true);
      return true;
    },
    write(text) {
      if (!current) return;
      if (pending === undefined) current.writes.fire(text);
      else if (pending.length < MAX_PENDING) pending += text;
    },
    reveal: () => current?.terminal.show(false),
    dispose() {
      closing.dispose();
      const last = current;
      current = undefined;
      last?.writes.dispose();
      last?.terminal.dispose();
    },
  };
}
