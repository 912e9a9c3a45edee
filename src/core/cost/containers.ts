import type { LogEntry } from '../session/entries.ts';
import { isObject, stringAt } from '../base/json.ts';
import { containerCost } from './cost.ts';

/** Time that containers ran, by our own clock: an estimate, because the API reports none. */
export interface ContainerTime {
  take(entry: LogEntry): void;
  /** Milliseconds in which code ran. */
  readonly ms: number;
  /** At most this, in nanodollars; 0 where the request has a web tool, which makes the container free. */
  readonly nano: number;
  /** The same of one container. */
  of(id: string): { readonly ms: number; readonly nano: number };
}

/** Web tools of this date and later make code execution free (Messages API, "Code execution tool", pricing). */
const FREE_SINCE = 20260209;

export function createContainerTime(): ContainerTime {
  const begun = new Map<string, number>();
  const charged = new Map<string, number>();
  const ran = new Map<string, number>();
  let waiting = 0;
  let total = 0;
  let container = '';
  let free = false;
  const settle = (): void => {
    if (waiting === 0) return;
    ran.set(container, (ran.get(container) ?? 0) + waiting);
    if (!free) charged.set(container, (charged.get(container) ?? 0) + waiting);
    waiting = 0;
  };
  return {
    take(entry) {
      if (entry.type === 'epochStarted') free = entry.tools.some(isFreeing);
      if (entry.type === 'toolsChanged') free ||= entry.added.some(isFreeing);
      if (entry.type === 'assistantBlock') {
        const ran = durationOf(entry.block, Date.parse(entry.at), begun);
        waiting += ran;
        total += ran;
      }
      if (entry.type === 'messageFinished') container = entry.container?.id ?? container;
      if (entry.type === 'messageFinished' || entry.type === 'turnEnded') settle();
    },
    of: (id) => ({ ms: ran.get(id) ?? 0, nano: charged.has(id) ? containerCost(charged.get(id) ?? 0) : 0 }),
    get ms() {
      return total;
    },
    get nano() {
      return [...charged.values()].reduce((sum, ms) => sum + containerCost(ms), 0);
    },
  };
}

/** The milliseconds between a call that runs in the container and its result; 0 for every other block. */
function durationOf(block: unknown, at: number, begun: Map<string, number>): number {
  const type = stringAt(block, 'type') ?? '';
  const id = stringAt(block, 'id');
  if (type === 'server_tool_use' && id !== undefined && stringAt(block, 'name')?.endsWith('code_execution')) {
    begun.set(id, at);
    return 0;
  }
  const answered = type.endsWith('code_execution_tool_result') ? stringAt(block, 'tool_use_id') : undefined;
  const from = answered === undefined ? undefined : begun.get(answered);
  if (answered === undefined || from === undefined) return 0;
  begun.delete(answered);
  const ms = at - from;
  // A clock that was set back measures nothing; a call that took no time still ran.
  return Number.isFinite(ms) ? Math.max(1, ms) : 1;
}

function isFreeing(tool: unknown): boolean {
  if (!isObject(tool)) return false;
  const date = /^web_(?:search|fetch)_(\d{8})$/.exec(stringAt(tool, 'type') ?? '')?.[1];
  return date !== undefined && Number(date) >= FREE_SINCE;
}
