import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { createSessionController } from '../core/agent/controller.ts';
import { DisposableStore } from '../core/base/disposable.ts';
import type { Clock, Ids } from '../core/ports.ts';
import { createAttachmentStore } from '../node/attachments/attachmentStore.ts';
import { createBatchStore } from '../node/batches/batchStore.ts';
import { createClock } from '../node/clock.ts';
import { createIds } from '../node/ids.ts';
import { createLogStore } from '../node/logStore.ts';
import { createRecorder } from '../node/streams/recorder.ts';
import { agentConfig } from './agentConfig.ts';
import { createLazyApi, isApiLoaded } from './api.ts';
import { createAttachments } from './attachments/attachments.ts';
import { thumbnail } from './attachments/thumbnail.ts';
import { createBatches } from './batches/batches.ts';
import { createContextPort } from './context/contextPort.ts';
import { createInputs } from './inputs/createInputs.ts';
import { createInspector } from './inspector/inspector.ts';
import { createMcpTokens } from './mcp/mcpTokens.ts';
import { setMcpToken } from './mcp/setToken.ts';
import type { Agent, Services } from './services.ts';
import { createSessionTools } from './sessionTools.ts';
import { readSettings } from './settings.ts';
import { createSkillCommands } from './skills/skillCommands.ts';
import { startAgent, watchAgent } from './watchAgent.ts';

/** What the Files API itself takes. */
const MOST_ATTACHMENT_BYTES = 500 * 1024 * 1024;

/**
 * The entry of `dist/agent.js`: puts the agent together. Called once per window, with the first view or command that
 * needs it.
 */
export function createAgent(services: Services): Agent {
  // This bundle has a copy of its own.
  if (vscode.l10n.bundle) l10n.config({ contents: vscode.l10n.bundle });
  const { credentials, log } = services;
  const store = new DisposableStore();
  const clock = createClock();
  const ids = createIds();
  const { logs, attachments, batches, streams } = createStores(services, clock, ids);
  const inputs = createInputs(services);
  const tokens = createMcpTokens(services.context.secrets, credentials, log);
  const mcpServers = () => tokens.addresses(readSettings().mcp.servers);
  const api = createLazyApi({ credentials, log, clock, recorder: streams, mcpServers });
  const ports = { ...{ api: api.batches, model: api.model, files: api.files }, attachments, inputs, logs, clock, ids };
  const tools = createSessionTools(services);
  let settle = (): void => undefined;
  const configured = new Promise<void>((resolve) => (settle = resolve));
  const controller = store.add(
    createSessionController({
      model: api.model,
      files: api.files,
      attachments,
      inputs,
      logs,
      previews: services.previews,
      editorContext: createContextPort(log),
      createTools: tools.create,
      clock,
      ids,
      logger: log,
      config: () => agentConfig(credentials, log).finally(() => setImmediate(settle)),
      thumbnail: (hash) => thumbnail(attachments, hash),
    }),
  );
  store.add(watchAgent(controller, services));
  const started = startAgent(controller, configured, services);
  return {
    controller,
    attachments: store.add(
      createAttachments(services, { controller, logs, store: attachments, files: api.files, clock, ids }),
    ),
    started,
    models: (signal, refresh) => api.model.models(signal, refresh),
    testConnection: (signal, model) => api.testConnection(signal, model),
    reconnected: () => started.then(() => controller.newSession()),
    async branch(origin, entries) {
      await started;
      await controller.openSession(await logs.branch(origin, entries));
      await controller.continueTurn();
    },
    inspector: store.add(createInspector(services, streams)),
    inputs,
    attachmentStore: attachments,
    batches: store.add(createBatches(services, { ...ports, store: batches, controller, started })),
    skills: createSkillCommands(services, { api: api.skills, controller, started }),
    setMcpToken: () => setMcpToken(services, tokens),
    showTerminal: () => tools.show(),
    apiLoaded: isApiLoaded,
    dispose: () => store.dispose(),
  };
}

/** What is kept on disk. */
function createStores({ context, credentials, log }: Services, clock: Clock, ids: Ids) {
  const storage = context.globalStorageUri.fsPath;
  const secrets = () => credentials.known();
  return {
    logs: createLogStore({ dir: join(storage, 'sessions'), clock, ids, logger: log, secrets }),
    attachments: createAttachmentStore({
      ...{ dir: join(storage, 'attachments'), maxBytes: MOST_ATTACHMENT_BYTES, ids },
      quota: () => readSettings().attachments.quota,
    }),
    batches: createBatchStore({ dir: join(storage, 'batches'), ids, logger: log }),
    streams: createRecorder({
      ...{ dir: join(storage, 'streams'), clock, ids, logger: log, secrets },
      enabled: () => readSettings().keepStreams,
    }),
  };
}
