import * as vscode from 'vscode';
import { createBatchManager } from '../../core/batches/batchManager.ts';
import type { BatchApi, BatchStore } from '../../core/batches/batchTypes.ts';
import { sessionOfItem } from '../../core/batches/itemSession.ts';
import type { SessionController } from '../../core/agent/controllerTypes.ts';
import { asSent } from '../../core/agent/skills.ts';
import type { InputPort } from '../../core/inputPort.ts';
import type { AttachmentPort, Clock, FilesPort, Ids, LogStorePort, ModelPort } from '../../core/ports.ts';
import { codeExecutionTool } from '../../core/tools/codeExecution.ts';
import type { Services } from '../services.ts';
import type { Batches } from './batchTypes.ts';
import { startBatch, submit } from './startBatch.ts';

export interface BatchesDeps {
  readonly api: BatchApi;
  readonly store: BatchStore;
  readonly controller: SessionController;
  readonly started: Promise<void>;
  readonly model: ModelPort;
  readonly files: FilesPort;
  readonly attachments: AttachmentPort;
  readonly inputs: InputPort;
  readonly logs: LogStorePort;
  readonly clock: Clock;
  readonly ids: Ids;
}

export function createBatches(services: Services, deps: BatchesDeps): Batches {
  const { api, store, clock, ids, controller } = deps;
  const baseUrl = async () => (await services.credentials.connection()).baseUrl;
  const manager = createBatchManager({ api, store, clock, ids, logger: services.log, baseUrl });
  const skills = () => controller.skills.current().map(asSent);
  void deps.started.then(() => manager.refresh());
  return {
    manager,
    async start(first, all) {
      await deps.started;
      const given = Array.isArray(all) && all.length > 0 ? all : [first];
      const uris = given.filter((item): item is vscode.Uri => item instanceof vscode.Uri);
      await startBatch(services, { ...deps, manager, skills, baseUrl, logger: services.log }, uris);
    },
    open: (batchId, itemId) => openItem(services, { ...deps, manager }, { batchId, itemId }),
    async retry(batchId) {
      const plan = await manager.failures(batchId);
      const count = plan.items.length;
      const question =
        count === 1 ? vscode.l10n.t('Submit 1 request again?') : vscode.l10n.t('Submit {0} requests again?', count);
      const detail = plan.items.slice(0, 12).map(({ label }) => label);
      const yes = vscode.l10n.t('Submit');
      const options = { modal: true, detail: detail.join('\n') };
      if ((await vscode.window.showInformationMessage(question, options, yes)) !== yes) return;
      await submit({ manager }, async () => ({ ...plan, baseUrl: await baseUrl() }));
    },
    async cancel(batchId) {
      const question = vscode.l10n.t('Cancel this batch? What was done already is kept, and paid.');
      const yes = vscode.l10n.t('Cancel Batch');
      if ((await vscode.window.showWarningMessage(question, { modal: true }, yes)) === yes)
        await manager.cancel(batchId);
    },
    forget: (batchId) => manager.forget(batchId),
    dispose: () => manager.dispose(),
  };
}

/** Written once: opened again, it is the session that it was before, with what was said since. */
async function openItem(
  { view, log, guard }: Services,
  deps: BatchesDeps & Pick<Batches, 'manager'>,
  { batchId, itemId }: { readonly batchId: string; readonly itemId: string },
): Promise<void> {
  const { manager, controller, logs, ids, started } = deps;
  const record = (await manager.records()).find(({ id }) => id === batchId);
  const known = record?.items.find(({ id }) => id === itemId)?.sessionId;
  await started;
  await view.focus();
  if (known !== undefined && (await logs.list()).some(({ id }) => id === known)) return controller.openSession(known);
  const { item, result } = await manager.item(batchId, itemId);
  if (record === undefined) return;
  const session = await logs.create((vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString()));
  const { id } = session.header;
  try {
    const servers = [codeExecutionTool];
    const notFetched = vscode.l10n.t('not downloaded yet');
    const source = { record, item, result, servers, notFetched, random: () => ids.random() };
    for (const entry of sessionOfItem(source)) await session.append(entry);
  } finally {
    session.dispose();
  }
  await manager.noteSession(batchId, itemId, id);
  await controller.openSession(id);
  const missing = (controller.log()?.entries() ?? []).flatMap((entry) =>
    entry.type === 'attachmentStored' && entry.hash === undefined ? [entry.fileId] : [],
  );
  log.info(`Item ${itemId} of a batch opened as session ${id}, with ${String(missing.length)} files`);
  for (const fileId of missing) await guard('batch file', () => controller.files.retry(fileId));
}
