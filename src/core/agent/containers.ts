import { isObject, stringAt } from '../base/json.ts';
import { createContainerTime } from '../cost/containers.ts';
import type { AssistantBlock, LogEntry, SentFile } from '../session/entries.ts';

/** A container as a session's log knows it. */
export interface ContainerFacts {
  readonly id: string;
  /** When an answer first named it, in epoch milliseconds: it is at least that old. */
  readonly since: number;
  readonly used: number;
  /** ISO 8601; the rolling value of the API, not the end of the container's 30 days. */
  readonly expiresAt: string;
  readonly state: 'current' | 'left' | 'lost';
  /** The user's files in it. */
  readonly inputs: readonly SentFile[];
  /** Names of the files that came out of it. */
  readonly outputs: readonly string[];
  /** How long code ran in it, by our own clock, and what that may cost in nanodollars. */
  readonly ms: number;
  readonly nano: number;
}

export interface Containers {
  /** Newest first. */
  readonly list: readonly ContainerFacts[];
  /** The user's files that the next request's container does not have, though they were put into one before. */
  readonly absent: readonly SentFile[];
  /** A listing of the current container did not show one of them. */
  readonly missing: boolean;
}

/** The containers of the session that is shown now. */
export interface SessionContainers {
  view(): Containers;
  /**
   * Lets the next requests use this container, or a new one. The user's files go there with the next message. Throws
   * `UserError` while a turn runs, where this window may not write the session, or when the log can't be written.
   */
  choose(container: { readonly id: string; readonly expiresAt: string } | null): Promise<void>;
}

interface Draft {
  readonly id: string;
  readonly since: number;
  used: number;
  expiresAt: string;
  lost: boolean;
  readonly inputs: Map<string, SentFile>;
  readonly calls: Set<string>;
}

interface State {
  readonly drafts: Map<string, Draft>;
  current: string | undefined;
  /** Every file that was meant for a container, the newest of a name. */
  readonly wanted: Map<string, SentFile>;
  /** Sent, and no answer has named a container since. */
  readonly pending: Map<string, SentFile>;
  /** Names that a listing of the current container has, or has not. */
  readonly listed: Map<string, boolean>;
  /** Commands of the container by the id of their call. */
  readonly commands: Map<string, string>;
  /** Calls since the last answer that named a container. */
  readonly calls: Set<string>;
  readonly outputs: Map<string, Map<string, string>>;
}

/** The containers of a session, from its log. */
export function containersOf(entries: readonly LogEntry[]): Containers {
  const state: State = {
    drafts: new Map(),
    current: undefined,
    wanted: new Map(),
    pending: new Map(),
    listed: new Map(),
    commands: new Map(),
    calls: new Set(),
    outputs: new Map(),
  };
  const time = createContainerTime();
  for (const entry of entries) {
    time.take(entry);
    take(state, entry);
  }
  const list = [...state.drafts.values()].map((draft) => ({ ...factsOf(draft, state), ...time.of(draft.id) }));
  return { list: list.sort((a, b) => b.used - a.used), absent: absentIn(state), missing: isMissing(state) };
}

function take(state: State, entry: LogEntry): void {
  switch (entry.type) {
    case 'userMessage':
      return noteInputs(state, entry.files ?? []);
    case 'inputsSent':
      // Asked for once: what is not to be had now will not come back by itself.
      for (const name of entry.failed) state.wanted.delete(name);
      return noteInputs(state, entry.files);
    case 'assistantBlock':
      return noteBlock(state, entry);
    case 'messageFinished':
      return noteAnswer(state, entry.container ?? undefined, Date.parse(entry.at));
    case 'attachmentStored': {
      const files = state.outputs.get(entry.callId) ?? new Map<string, string>();
      state.outputs.set(entry.callId, files.set(entry.fileId, entry.name));
      return;
    }
    case 'containerLost': {
      const draft = state.drafts.get(entry.containerId);
      if (draft) draft.lost = true;
      if (state.current === entry.containerId) leave(state, undefined);
      return;
    }
    case 'containerChosen':
      return leave(state, entry.container?.id);
    default:
      return;
  }
}

function leave(state: State, next: string | undefined): void {
  state.current = next;
  state.pending.clear();
  state.listed.clear();
}

function noteInputs(state: State, files: readonly SentFile[]): void {
  for (const file of files) {
    if (file.use !== 'container') continue;
    state.wanted.set(file.name, file);
    state.pending.set(file.name, file);
    state.listed.delete(file.name);
  }
}

function noteBlock(state: State, { block }: AssistantBlock): void {
  const type = stringAt(block, 'type') ?? '';
  const id = stringAt(block, 'id');
  const input: unknown = isObject(block) ? (block as unknown as Record<string, unknown>)['input'] : undefined;
  if (type === 'server_tool_use' && id !== undefined) state.commands.set(id, stringAt(input, 'command') ?? '');
  const answered = type.endsWith('code_execution_tool_result') ? stringAt(block, 'tool_use_id') : undefined;
  if (answered === undefined) return;
  state.calls.add(answered);
  const content: unknown = (block as unknown as Record<string, unknown>)['content'];
  const stdout = stringAt(content, 'stdout');
  if (stdout !== undefined) noteListing(state, state.commands.get(answered) ?? '', stdout);
}

/** Claude is told to list the folder of the inputs; a name that shows up in whatever output is there, too. */
function noteListing(state: State, command: string, stdout: string): void {
  const lists = /\bls\b/.test(command) && command.includes('INPUT_DIR');
  const there = state.current === undefined ? [] : [...(state.drafts.get(state.current)?.inputs.keys() ?? [])];
  for (const name of new Set([...state.pending.keys(), ...there])) {
    if (stdout.includes(name)) state.listed.set(name, true);
    else if (lists && state.listed.get(name) !== true) state.listed.set(name, false);
  }
}

function noteAnswer(
  state: State,
  container: { readonly id: string; readonly expires_at: string } | undefined,
  at: number,
): void {
  if (container === undefined) return;
  const known = state.drafts.get(container.id);
  const draft = known ?? {
    ...{ id: container.id, since: at, used: at, expiresAt: '', lost: false },
    ...{ inputs: new Map<string, SentFile>(), calls: new Set<string>() },
  };
  state.drafts.set(container.id, draft);
  draft.used = at;
  draft.lost = false;
  draft.expiresAt = container.expires_at;
  for (const [name, file] of state.pending) draft.inputs.set(name, file);
  for (const call of state.calls) draft.calls.add(call);
  state.pending.clear();
  state.calls.clear();
  state.current = container.id;
}

function factsOf(draft: Draft, { current, outputs }: State): Omit<ContainerFacts, 'ms' | 'nano'> {
  const { id, since, used, expiresAt, lost } = draft;
  return {
    ...{ id, since, used, expiresAt },
    state: lost ? 'lost' : id === current ? 'current' : 'left',
    inputs: [...draft.inputs.values()],
    outputs: [...draft.calls].flatMap((call) => [...(outputs.get(call)?.values() ?? [])]),
  };
}

function absentIn({ drafts, current, wanted, pending, listed }: State): readonly SentFile[] {
  const there = current === undefined ? undefined : drafts.get(current)?.inputs;
  return [...wanted.values()].filter((file) => {
    if (listed.get(file.name) === false) return true;
    const has = there?.get(file.name) ?? pending.get(file.name);
    return has?.hash !== file.hash;
  });
}

function isMissing({ listed }: State): boolean {
  return [...listed.values()].includes(false);
}
