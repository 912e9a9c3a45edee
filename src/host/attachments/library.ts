import * as vscode from 'vscode';
import type { SessionController } from '../../core/agent/controllerTypes.ts';
import { fetchFile } from '../../core/agent/downloads.ts';
import { findAttachment, forgotten } from '../../core/agent/sessionFiles.ts';
import type { Disposable } from '../../core/base/disposable.ts';
import { Emitter, type Event } from '../../core/base/event.ts';
import { UserError } from '../../core/errors.ts';
import type {
  AttachmentPort,
  Clock,
  FilesPort,
  Logger,
  LogStorePort,
  SessionLog,
  StoredFile,
} from '../../core/ports.ts';
import type { AttachmentStored } from '../../core/session/entries.ts';
import type { Inventory, LoggedFile, SessionFiles } from '../../node/attachments/inventory.ts';

/** The files of one session, for people. */
export interface SessionGroup {
  readonly sessionId: string;
  readonly title: string;
  /** Newest first; without those that the user deleted. */
  readonly files: readonly LoggedFile[];
}

/** Every file of every session. What the logs say is the truth; nothing is kept beside them. */
export interface Library extends Disposable {
  /** Something was stored, deleted or fetched again. */
  readonly onDidChange: Event<void>;
  changed(): void;
  /** The sessions that have files, newest session first. Throws `UserError` where the logs can't be read. */
  groups(): Promise<readonly SessionGroup[]>;
  /** Titles by session, newest session first. */
  titles(): Promise<ReadonlyMap<string, string>>;
  /** All that the logs say, deleted files included. */
  logged(): Promise<readonly SessionFiles[]>;
  /** The newest state of a file; undefined for ids that no log has. */
  find(sessionId: string, fileId: string): Promise<LoggedFile | undefined>;
  blob(file: AttachmentStored): Promise<StoredFile | undefined>;
  /** Fetches a file again that is not on this computer. Throws `UserError`. */
  retry(file: LoggedFile): Promise<void>;
  /** Records that a file was deleted. The blob itself goes with the next `removeBlob` of its hash. Throws `UserError`. */
  forget(file: LoggedFile, deleted: NonNullable<AttachmentStored['deleted']>): Promise<void>;
}

export interface LibraryDeps {
  readonly controller: SessionController;
  readonly logs: LogStorePort;
  readonly inventory: Inventory;
  readonly store: AttachmentPort;
  readonly files: FilesPort;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createLibrary(deps: LibraryDeps): Library {
  const { controller, inventory, store } = deps;
  const emitter = new Emitter<void>((error) => deps.logger.error('A listener of the attachments failed', error));
  const subscription = controller.onPatch(({ ops }) => {
    if (ops.some((op) => op.op === 'put' && op.row.kind === 'attachment')) emitter.fire();
  });
  const logged = (): Promise<readonly SessionFiles[]> => inventory.read().catch(unreadable);
  return {
    onDidChange: emitter.event,
    changed: () => emitter.fire(),
    logged,
    titles: async () => new Map((await controller.sessions()).map(({ id, title }) => [id, title] as const)),
    async groups() {
      const [found, sessions] = await Promise.all([logged(), controller.sessions()]);
      const byId = new Map(found.map((one) => [one.sessionId, one.files] as const));
      return sessions
        .map(({ id, title }) => ({ sessionId: id, title, files: (byId.get(id) ?? []).filter(isKept) }))
        .filter(({ files }) => files.length > 0);
    },
    async find(sessionId, fileId) {
      const session = (await logged()).find((one) => one.sessionId === sessionId);
      return session?.files.find((file) => file.fileId === fileId);
    },
    blob: async ({ hash }) => (hash === undefined ? undefined : store.find(hash)),
    async retry(file) {
      if (controller.log()?.header.id === file.sessionId) await controller.files.retry(file.fileId);
      else await inLog(deps, file.sessionId, (log) => fetchInto(deps, log, file));
      emitter.fire();
    },
    async forget(file, deleted) {
      if (controller.log()?.header.id === file.sessionId) await controller.files.forget(file.fileId, deleted);
      else {
        await inLog(deps, file.sessionId, async (log) => {
          const known = findAttachment(log, file.fileId);
          if (known) await log.append(forgotten(known, deleted));
        });
      }
      emitter.fire();
    },
    dispose() {
      subscription.dispose();
      emitter.dispose();
    },
  };
}

function isKept({ deleted }: LoggedFile): boolean {
  return deleted === undefined;
}

function unreadable(error: unknown): never {
  throw new UserError(vscode.l10n.t('The sessions can’t be read now. Nothing was changed; try again.'), {
    cause: error,
  });
}

async function fetchInto(
  { files, store, clock, logger }: LibraryDeps,
  log: SessionLog,
  file: LoggedFile,
): Promise<void> {
  const signal = new AbortController().signal;
  const unseen = { emit: () => undefined, thumbnail: () => Promise.resolve(undefined) };
  await fetchFile({ log, files, attachments: store, clock, logger, ...unseen }, file, signal);
}

/** A session that is not shown, opened for one entry. */
async function inLog({ logs }: LibraryDeps, id: string, run: (log: SessionLog) => Promise<void>): Promise<void> {
  const log = await logs.open(id);
  try {
    if (log.readOnly) {
      throw new UserError(vscode.l10n.t('Another window has this session open. Do it there, or close it there first.'));
    }
    await run(log);
  } finally {
    log.dispose();
  }
}
