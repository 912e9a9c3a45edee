import type { ToolUseBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import * as l10n from '@vscode/l10n';
import type { z } from 'zod';
import { decide } from '../approval/decide.ts';
import type { Decision } from '../approval/effects.ts';
import type { Disposable } from '../base/disposable.ts';
import { withGrace } from '../base/grace.ts';
import { cutText } from '../base/text.ts';
import { CancelledError, messageOf, ToolError } from '../errors.ts';
import { foldConversation } from '../session/fold.ts';
import { callerId } from '../session/toMessages.ts';
import type { ClientTool, PreparedCall, ToolOutcome } from '../tools/tool.ts';
import type { ApprovalAnswer } from './approvals.ts';
import type { ToolBody } from '../../protocol/rows.ts';
import { record, type TurnContext } from './context.ts';
import { ledgerOf } from './fate.ts';
import { answerInTime, type Result } from './programmatic.ts';

/** A call of an answer. `invalidInput` is the raw text of an input that is not one JSON object. */
export interface Call {
  readonly block: ToolUseBlock;
  readonly invalidInput?: string;
}

const NOT_RUN = 'Not executed: cancelled by the user.';
const HALF_RUN = 'Cancelled by the user while it ran. Its effects may be partial.';
/** How often a preview may be out of date before the call is given up. */
const MAX_STALE = 5;
const MAX_ERROR_TEXT = 4096;
/** Calls that only read and run at the same time. */
const MAX_OVERLAP = 8;
/** How long a tool may take to stop. The shell's own kill ladder ends well before. */
const STOP_GRACE_MS = 10_000;

/**
 * Runs the calls of one answer and records one result for each, whatever happens. Neighbouring calls that only read
 * overlap; all others run one after the other, in source order.
 */
export async function runCalls(context: TurnContext, calls: readonly Call[], signal: AbortSignal): Promise<void> {
  let group: Promise<void>[] = [];
  for (const call of calls) {
    if (isReadOnly(context, call)) {
      group.push(runCall(context, call, signal));
      if (group.length < MAX_OVERLAP) continue;
    }
    await Promise.all(group);
    group = [];
    if (!isReadOnly(context, call)) await runCall(context, call, signal);
  }
  await Promise.all(group);
}

async function runCall(context: TurnContext, call: Call, signal: AbortSignal): Promise<void> {
  const { id: callId } = call.block;
  // A second call with an id that the ledger knows is never run: one side effect, one id.
  const { results, begun } = foldConversation(context.log.entries());
  if (results.has(callId) || begun.has(callId)) return;
  const result = await (callerId(call.block) === undefined
    ? resultOf(context, call, signal)
    : answerInTime(context, (inTime) => resultOf(context, call, inTime), signal));
  await record(context, { type: 'toolFinished', callId, ...result });
}

async function resultOf(context: TurnContext, call: Call, signal: AbortSignal): Promise<Result> {
  const { name, input } = call.block;
  const tool = findTool(context, name);
  if (tool === undefined) return failed(name, `Error: Tool '${name}' not found`);
  const title = tool.title(input);
  if (call.invalidInput !== undefined) return failed(title, JSON.stringify({ INVALID_JSON: call.invalidInput }));
  const parsed = tool.input.safeParse(input);
  if (!parsed.success) return failed(title, describeInvalidInput(name, parsed.error));
  const progress = { started: false };
  try {
    return await perform(context, { tool, call, title, input: parsed.data, progress }, signal);
  } catch (error) {
    if (signal.aborted || error instanceof CancelledError) {
      return {
        content: progress.started ? HALF_RUN : NOT_RUN,
        isError: true,
        status: 'cancelled',
        title,
        body: { kind: 'none' },
      };
    }
    if (error instanceof ToolError) return failed(title, error.message);
    if (isLogFailure(error)) throw error;
    context.logger.error(`The tool ${name} failed`, error);
    return failed(title, `Error: ${messageOf(error)}`);
  }
}

interface Performance {
  readonly tool: ClientTool;
  readonly call: Call;
  readonly title: string;
  readonly input: never;
  readonly progress: { started: boolean };
}

async function perform(context: TurnContext, performance: Performance, signal: AbortSignal): Promise<Result> {
  const { tool, call, input, progress } = performance;
  const callId = call.block.id;
  for (let attempt = 0; attempt < MAX_STALE; attempt++) {
    signal.throwIfAborted();
    context.emit({ type: 'tool', callId, status: 'preparing' });
    const prepared = await stoppable(context, signal, tool.prepare(input, signal));
    const permission = await permit(context, call, prepared, signal);
    if (permission.decision === 'deny') return denied(prepared, permission);
    if (!progress.started) await recordStart(context, callId, ledgerOf(prepared, permission.revised, context.ids));
    progress.started = true;
    context.phase(prepared.title);
    context.emit({ type: 'tool', callId, status: 'running', title: prepared.title, body: prepared.preview });
    const outcome = await stoppable(
      context,
      signal,
      prepared.invoke({
        signal,
        ...(permission.revised === undefined ? {} : { revised: permission.revised }),
        progress: (text) => context.emit({ type: 'toolOutput', callId, text }),
      }),
    );
    if (outcome !== 'stale') return finished(outcome, prepared);
    progress.started = false;
  }
  throw new ToolError('Error: The file kept changing while this edit waited. View it again before editing.');
}

/** A tool that does not listen to Stop is left behind. */
function stoppable<T>(context: TurnContext, signal: AbortSignal, work: Promise<T>): Promise<T> {
  const timer = (ms: number, run: () => void): Disposable => context.clock.timer(ms, run);
  return withGrace(work, { signal, graceMs: STOP_GRACE_MS, timer, late: () => new CancelledError() });
}

async function recordStart(context: TurnContext, callId: string, ledger: ReturnType<typeof ledgerOf>): Promise<void> {
  if (!foldConversation(context.log.entries()).begun.has(callId))
    await record(context, { type: 'toolStarted', callId, ...ledger });
}

interface Denial {
  readonly decision: 'deny';
  /** For the model. */
  readonly message: string;
  /** For the card. */
  readonly note?: string;
}

/** The policy's answer, or the user's where the policy asks. */
async function permit(
  context: TurnContext,
  call: Call,
  prepared: PreparedCall,
  signal: AbortSignal,
): Promise<Extract<ApprovalAnswer, { decision: 'allow' }> | Denial> {
  const callId = call.block.id;
  const decision: Decision = decide(prepared.effects, context.config.mode, context.config.trusted);
  if (decision.verdict !== 'ask') {
    const verdict = decision.verdict;
    await record(context, { type: 'approvalDecided', callId, decision: verdict, rule: decision.rule, by: 'rule' });
    if (verdict === 'allow') return { decision: 'allow' };
    return { decision: 'deny', message: `Not allowed: ${decision.rule}`, note: decision.rule };
  }
  context.phase(l10n.t('Waiting for your approval'));
  const answer = await context.approvals.ask(
    {
      callId,
      inputHash: context.ids.hash(JSON.stringify(call.block.input)),
      title: prepared.title,
      body: prepared.preview,
      rule: decision.rule,
      ...(prepared.diff === undefined ? {} : { diff: prepared.diff }),
    },
    signal,
  );
  if (context.approvals.waiting === 0) context.phase(l10n.t('Working'));
  await record(context, {
    type: 'approvalDecided',
    callId,
    decision: answer.decision,
    rule: decision.rule,
    by: 'user',
    ...(answer.decision === 'deny' && answer.message !== undefined ? { message: answer.message } : {}),
  });
  return answer.decision === 'deny' ? userDenial(answer.message) : answer;
}

function userDenial(said: string | undefined): Denial {
  const base = 'The user rejected this call; nothing was changed.';
  if (said === undefined) {
    return { decision: 'deny', message: `${base} Ask what they want instead, or go on without it.` };
  }
  return { decision: 'deny', message: `${base} They said: ${said}`, note: l10n.t('You said: {0}', said) };
}

function finished(outcome: ToolOutcome, prepared: PreparedCall): Result {
  const { content, isError, body } = outcome;
  return { content, isError, status: isError ? 'error' : 'done', title: outcome.title ?? prepared.title, body };
}

/** The card of a call that was not allowed says why. */
function denied(prepared: PreparedCall, permission: Denial): Result {
  return {
    content: permission.message,
    isError: true,
    status: 'denied',
    title: prepared.title,
    body: withNote(prepared.preview, permission.note),
  };
}

function withNote(body: ToolBody, note: string | undefined): ToolBody {
  if (note === undefined) return body;
  if (body.kind === 'terminal' || body.kind === 'diff') return { ...body, note };
  return body.kind === 'none' ? { kind: 'text', text: note } : body;
}

function failed(title: string, text: string): Result {
  return {
    content: cutText(text, MAX_ERROR_TEXT),
    isError: true,
    status: 'error',
    title,
    body: { kind: 'text', text: cutText(text, MAX_ERROR_TEXT) },
  };
}

function describeInvalidInput(name: string, error: z.ZodError): string {
  const problems = error.issues.map(
    (issue) => `${issue.path.length > 0 ? issue.path.join('.') : 'input'}: ${issue.message}`,
  );
  return `Error: Invalid input for ${name}. ${problems.join('; ')}`;
}

function findTool(context: TurnContext, name: string): ClientTool | undefined {
  return context.tools.find((tool): tool is ClientTool => tool.kind === 'client' && tool.name === name);
}

function isReadOnly(context: TurnContext, call: Call): boolean {
  const tool = findTool(context, call.block.name);
  const parsed = call.invalidInput === undefined ? tool?.input.safeParse(call.block.input) : undefined;
  return tool !== undefined && parsed?.success === true && tool.readOnly(parsed.data);
}

/** A log that can't be written ends the turn: without a result in the log nothing may go on. */
function isLogFailure(error: unknown): boolean {
  return error instanceof Error && error.name === 'UserError';
}
