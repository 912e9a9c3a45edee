import * as l10n from '@vscode/l10n';
import { UserError } from '../errors.ts';
import type { SessionLog } from '../ports.ts';
import { containersOf, type SessionContainers } from './containers.ts';
import { record, type TurnContext } from './context.ts';
import type { Session } from './session.ts';

/** The session that is shown, to record what the user chose for it. */
export interface Shown {
  session(): Session;
  busy(): boolean;
  /** Creates the session's log where there is none yet. */
  log(session: Session): Promise<SessionLog>;
  context(session: Session, log: SessionLog): TurnContext;
}

export function createSessionContainers(shown: Shown): SessionContainers {
  return {
    view: () => containersOf(shown.session().log?.entries() ?? []),
    async choose(container) {
      if (shown.busy()) throw new UserError(l10n.t('A turn is running. Stop it first, or wait for its end.'));
      const session = shown.session();
      const log = await shown.log(session);
      const chosen = container === null ? null : { id: container.id, expires_at: container.expiresAt };
      await record(shown.context(session, log), { type: 'containerChosen', container: chosen });
    },
  };
}
