import { join } from 'node:path';
import type { ConnectionReport } from '../api/testConnection.ts';
import { createSessionController } from '../core/agent/controller.ts';
import type { SessionController } from '../core/agent/controllerTypes.ts';
import { DisposableStore, type Disposable } from '../core/base/disposable.ts';
import type { ModelInfo } from '../core/ports.ts';
import { createClock } from '../node/clock.ts';
import { createIds } from '../node/ids.ts';
import { agentConfig } from './agentConfig.ts';
import { createLazyApi } from './api.ts';
import { createAttachmentActions, type AttachmentActions } from './attachments/attachmentActions.ts';
import { thumbnail } from './attachments/thumbnail.ts';
import { createStores } from './ports.ts';
import type { Services } from './services.ts';
import { createSessionTools } from './sessionTools.ts';
import { startAgent, watchAgent } from './watchAgent.ts';

/** Everything behind the view: the session's controller, and what commands need beside it. */
export interface Agent extends Disposable {
  readonly controller: SessionController;
  readonly attachments: AttachmentActions;
  /** Settled once the configuration is known and the window's last session is open again. Never rejects. */
  readonly started: Promise<void>;
  /** Throws `ApiError`. */
  models(signal: AbortSignal, refresh?: boolean): Promise<readonly ModelInfo[]>;
  /** Throws `CancelledError`. */
  testConnection(signal: AbortSignal): Promise<ConnectionReport>;
  /** The other side is another one now: a new session begins. */
  reconnected(): Promise<void>;
  showTerminal(): void;
}

/** Puts the agent together. Called once per window, with the first view or command that needs it. */
export function createAgent(services: Services): Agent {
  const { context, credentials, log } = services;
  const storage = context.globalStorageUri.fsPath;
  const store = new DisposableStore();
  const clock = createClock();
  const ids = createIds();
  const api = createLazyApi(credentials, log, clock);
  const { logs, attachments } = createStores({ storage, clock, ids, credentials, log });
  const tools = createSessionTools(services);
  let settle = () => undefined as void;
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
  return {
    controller,
    attachments: createAttachmentActions({
      find: (fileId) => controller.attachment(fileId),
      store: attachments,
      openFolder: join(storage, 'open'),
    }),
    started: startAgent(controller, configured, services),
    models: (signal, refresh) => api.model.models(signal, refresh),
    testConnection: (signal) => api.testConnection(signal),
    reconnected: () => controller.newSession(),
    showTerminal: () => tools.show(),
    dispose: () => store.dispose(),
  };
}
