import type { InputPort } from '../inputPort.ts';
import type { SessionLog, Clock, FilesPort, Ids, Logger, ModelInfo, ModelPort, AttachmentPort } from '../ports.ts';
import type { ChosenSkill, LogEntry, NewEntry } from '../session/entries.ts';
import type { LiveEvent } from '../session/live.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Ledger } from '../cost/ledger.ts';
import type { ApprovalTable } from './approvals.ts';
import type { AgentConfig, ControllerDeps } from './controllerTypes.ts';
import type { Questions } from './questions.ts';
import type { Session } from './session.ts';

/** What the functions of one turn share. */
export interface TurnContext {
  readonly log: SessionLog;
  readonly model: ModelPort;
  readonly files: FilesPort;
  readonly attachments: AttachmentPort;
  readonly inputs: InputPort;
  readonly tools: readonly AnyTool[];
  readonly approvals: ApprovalTable;
  readonly questions: Questions;
  /** The session's account as it is now. */
  readonly ledger: () => Ledger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly config: AgentConfig;
  /** Tool versions that the API refused, as `toolVersionKey` spells them; kept for the life of the window. */
  readonly refusedVersions: Set<string>;
  /** The skills that the user chose in this window; undefined for those that the session has. */
  readonly skills: readonly ChosenSkill[] | undefined;
  readonly thumbnail: (hash: string) => Promise<string | undefined>;
  /** Shows. Must not throw. */
  emit(event: LiveEvent): void;
  /** Says in words what the turn waits for. */
  phase(text: string): void;
}

/** The context of a turn of this session: what the controller has, what the session has, and what is the turn's own. */
export function turnContext(
  { model, files, attachments, inputs, clock, ids, logger, thumbnail }: ControllerDeps,
  { tools, skills, approvals, questions, account }: Session,
  own: Pick<TurnContext, 'log' | 'config' | 'refusedVersions' | 'emit' | 'phase'>,
): TurnContext {
  const ports = { model, files, attachments, inputs, clock, ids, logger, thumbnail };
  return { ...ports, tools, skills, approvals, questions, ledger: account.ledger, ...own };
}

/** What the turn learned about its model; unknown is not 'no'. */
export type KnownModel = ModelInfo | undefined;

/** Writes an entry, then shows it. Throws `UserError` when the log can't be written. */
export async function record(context: TurnContext, entry: NewEntry): Promise<LogEntry> {
  const written = await context.log.append(entry);
  context.emit({ type: 'entry', entry: written });
  return written;
}
