import { join } from 'node:path';
import { createSessionController } from '../core/agent/controller.ts';
import { DisposableStore } from '../core/base/disposable.ts';
import { createAttachmentStore } from '../node/attachments/attachmentStore.ts';
import { createClock } from '../node/clock.ts';
import { createIds } from '../node/ids.ts';
import { createLogStore } from '../node/logStore.ts';
import { agentConfig } from './agentConfig.ts';
import { createLazyApi } from './api.ts';
import { createAttachmentActions } from './attachments/attachmentActions.ts';
import { thumbnail } from './attachments/thumbnail.ts';
import type { Agent, Services } from './services.ts';
import { createSessionTools } from './sessionTools.ts';
import { startAgent, watchAgent } from './watchAgent.ts';

/** What the Files API itself takes. */
const MOST_ATTACHMENT_BYTES = 500 * 1024 * 1024;

/** Puts the agent together. Called once per window, with the first view or command that needs it. */
export function createAgent(services: Services): Agent {
  const { context, credentials, log } = services;
  const storage = context.globalStorageUri.fsPath;
  const store = new DisposableStore();
  const clock = createClock();
  const ids = createIds();
  const api = createLazyApi(credentials, log, clock);
  const logs = createLogStore({
    dir: join(storage, 'sessions'),
    clock,
    ids,
    logger: log,
    secrets: () => credentials.known(),
  });
  const attachments = createAttachmentStore({
    dir: join(storage, 'attachments'),
    maxBytes: MOST_ATTACHMENT_BYTES,
    ids,
  });
  const tools = createSessionTools(services);
  let settle = (): void => undefined;
  const configured = new Promise<void>((resolve) => (settle = resolve));
  const controller = store.add(
    createSessionController({
      model: api.model,
      files: api.files,
      attachments,
      logs,
      previews: services.previews,
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
    attachments: createAttachmentActions({
      find: (fileId) => controller.attachment(fileId),
      store: attachments,
      openFolder: join(storage, 'open'),
      guard: services.guard,
    }),
    started,
    models: (signal, refresh) => api.model.models(signal, refresh),
    testConnection: (signal, model) => api.testConnection(signal, model),
    async reconnected() {
      await started;
      await controller.newSession();
    },
    showTerminal: () => tools.show(),
    dispose: () => store.dispose(),
  };
}
