import type {
  BashCodeExecutionToolResultBlock,
  Message,
  TextEditorCodeExecutionToolResultBlock,
} from '@anthropic-ai/sdk/resources/messages/messages';
import type { ConnectorStep } from './connectors.ts';
import type { Fault } from './faults.ts';
import type { Json } from './json.ts';
import type { Container } from './sandbox.ts';
import type { Turn } from './turn.ts';

/** The model's side of a conversation: the first rule that matches a request answers it. */
export interface Scenario {
  readonly name: string;
  readonly rules: readonly Rule[];
}

export interface Rule {
  /** All given conditions must hold; without any the rule always matches. */
  readonly when?: Match;
  readonly reply: Reply | ((turn: Turn) => Reply);
}

export interface Match {
  /** On the last text that the user wrote; a string is the source of a case-insensitive expression. */
  readonly prompt?: RegExp | string;
  /** Number of the request to this scenario, from 0. */
  readonly request?: number;
  /** The newest message holds a result of a call of this tool. */
  readonly resultOf?: string;
  /** The request goes on with a paused response. */
  readonly resumes?: boolean;
  readonly test?: (turn: Turn) => boolean;
}

export interface Reply {
  readonly steps: readonly (Step | LateStep)[];
  readonly stop?: Stop;
  readonly faults?: readonly ReplyFault[];
}

/** A fault of this reply. It hits the first `attempts` (1) tries of the same conversation; later ones get through. */
export type ReplyFault = Fault & { readonly attempts?: number };

/** Steps that depend on what the server tools of this same response brought. */
export type LateStep = (results: readonly ServerResult[]) => readonly Step[];

export type Step =
  | ThinkingStep
  | TextStep
  | ToolUseStep
  | BashStep
  | EditorStep
  | WebSearchStep
  | WebFetchStep
  | ProgramStep
  | ProgramCallStep
  | ProgramResultStep
  | ConnectorStep
  | BlockStep
  | ExpireStep
  | WaitStep;

/** A search of the small web of ./web.ts. `inCode`: code in the container makes it and filters what comes. */
export interface WebSearchStep {
  readonly type: 'web_search';
  readonly query: string;
  readonly inCode?: boolean;
}

export interface WebFetchStep {
  readonly type: 'web_fetch';
  readonly url: string;
}

/** Code in the container begins to run; it goes on over several responses until `program_result`. */
export interface ProgramStep {
  readonly type: 'program';
  readonly code: string;
}

/** The running code calls a client tool. */
export interface ProgramCallStep {
  readonly type: 'program_call';
  readonly name: string;
  readonly input: Json;
}

/** The running code ends. */
export interface ProgramResultStep {
  readonly type: 'program_result';
  readonly stdout: string;
}

export interface ThinkingStep {
  readonly type: 'thinking';
  readonly text: string;
  /** Comes as `redacted_thinking`. */
  readonly redacted?: boolean;
}

export interface TextStep {
  readonly type: 'text';
  readonly text: string;
  /** Addresses of pages of ./web.ts that the text cites. */
  readonly cites?: readonly string[];
}

/** A call of a client tool. `raw` is streamed in place of the input's JSON, cut or malformed as it may be. */
export interface ToolUseStep {
  readonly type: 'tool_use';
  readonly name: string;
  readonly input: Json;
  readonly id?: string;
  readonly raw?: string;
}

/** Runs in the container. `deferred`: emitted without result; it runs when the conversation goes on. */
export interface BashStep {
  readonly type: 'bash_code_execution';
  readonly command: string;
  /** Milliseconds; 90 s when missing. */
  readonly timeoutMs?: number;
  readonly deferred?: boolean;
  /** Names in the Files API for captured files, by their real name: to serve names that no file system takes. */
  readonly fileNames?: Readonly<Record<string, string>>;
}

export interface EditorStep {
  readonly type: 'text_editor_code_execution';
  /** `view {path}`, `create {path, file_text}`, `str_replace {path, old_str, new_str}`. */
  readonly input: Json;
  readonly deferred?: boolean;
}

/** A block sent as it is, complete in its start event; for block types that no client knows. */
export interface BlockStep {
  readonly type: 'block';
  readonly block: Json;
}

/** The container of this response is gone from here on: the next request that names it is refused. */
export interface ExpireStep {
  readonly type: 'expire_container';
  readonly refusal?: Container['refusal'];
}

export interface WaitStep {
  readonly type: 'wait';
  readonly ms: number;
}

export interface Stop {
  /** Any text; the API may add reasons. Without: `tool_use` when a client call is there, else `end_turn`. */
  readonly reason?: string;
  readonly sequence?: string;
  readonly details?: Message['stop_details'];
}

export type ServerResult = BashCodeExecutionToolResultBlock | TextEditorCodeExecutionToolResultBlock;

/** The rule that answers; undefined when none does. */
export function findReply(scenario: Scenario, turn: Turn): Reply | undefined {
  const rule = scenario.rules.find(({ when }) => !when || matches(when, turn));
  if (!rule) return undefined;
  return typeof rule.reply === 'function' ? rule.reply(turn) : rule.reply;
}

function matches(when: Match, turn: Turn): boolean {
  if (when.prompt !== undefined && !new RegExp(when.prompt, flagsOf(when.prompt)).test(turn.prompt)) return false;
  if (when.request !== undefined && when.request !== turn.request) return false;
  if (when.resumes !== undefined && when.resumes !== turn.resumes) return false;
  if (when.resultOf !== undefined && !turn.newResults.some((result) => result.name === when.resultOf)) return false;
  return when.test?.(turn) ?? true;
}

function flagsOf(expression: RegExp | string): string {
  return typeof expression === 'string' ? 'i' : expression.flags.replace(/[gy]/g, '');
}
