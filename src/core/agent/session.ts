import type { Disposable } from '../base/disposable.ts';
import type { SessionLog } from '../ports.ts';
import type { ChosenSkill } from '../session/entries.ts';
import { foldFacts, NO_FACTS, type SessionFacts } from '../session/facts.ts';
import type { LiveEvent } from '../session/live.ts';
import { createTranscript } from '../session/transcript.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Op } from '../../protocol/messages.ts';
import type { Row } from '../../protocol/rows.ts';
import { createAccount, type Account } from './account.ts';
import { createApprovalTable, type ApprovalRequest, type ApprovalTable } from './approvals.ts';
import type { ControllerDeps } from './controllerTypes.ts';
import { presenterOf } from './presenter.ts';
import { createQuestions, type Questions } from './questions.ts';

/** One session as the controller holds it. Disposing ends its shell, its downloads and its hold on the log. */
export interface Session extends Disposable {
  /** Created with the first message. */
  log: SessionLog | undefined;
  readonly tools: readonly AnyTool[];
  /** What the user chose last; undefined for what the epoch has. It holds from the next turn on. */
  skills: readonly ChosenSkill[] | undefined;
  readonly approvals: ApprovalTable;
  readonly questions: Questions;
  readonly account: Account;
  /** Aborted when the session is left. */
  readonly left: AbortSignal;
  /** Files that are fetched again right now. */
  readonly fetching: Set<string>;
  facts(): SessionFacts;
  rows(): readonly Row[];
  /** Takes an event into facts and rows; returns what changed in the rows. */
  apply(event: LiveEvent): readonly Op[];
}

/** What began to wait for the user. */
export type Asked = Pick<ApprovalRequest, 'callId' | 'title'> & {
  /** The whole text for a screen reader, where the title is not all of it. */
  readonly says?: string;
};

export interface SessionHooks {
  emit(session: Session, event: LiveEvent): void;
  changed(session: Session, asked: Asked | undefined): void;
}

export function createSession(deps: ControllerDeps, hooks: SessionHooks): Session {
  const toolSet = deps.createTools(deps.ids.random());
  const transcript = createTranscript(presenterOf(toolSet.tools), {
    toRead: (model, tokens) => session.account.costToRead(model, tokens),
    contextNow: () => session.account.ledger().context.tokens,
  });
  const abort = new AbortController();
  let facts = NO_FACTS;
  const session: Session = {
    log: undefined,
    tools: toolSet.tools,
    skills: undefined,
    approvals: createApprovalTable({
      ids: deps.ids,
      previews: deps.previews,
      emit: (event) => hooks.emit(session, event),
      changed: (asked) => hooks.changed(session, asked),
    }),
    questions: createQuestions({
      emit: (event) => hooks.emit(session, event),
      changed: (asked) => hooks.changed(session, asked),
    }),
    account: createAccount(() => session.log?.entries() ?? []),
    left: abort.signal,
    fetching: new Set(),
    facts: () => facts,
    rows: () => transcript.rows(),
    apply(event) {
      if (event.type === 'entry') {
        facts = foldFacts(facts, event.entry);
        session.account.take(event.entry);
        if (event.entry.type === 'skillsChosen') session.skills = event.entry.skills;
      }
      return transcript.apply(event);
    },
    dispose() {
      abort.abort();
      toolSet.dispose();
      session.log?.dispose();
    },
  };
  return session;
}
