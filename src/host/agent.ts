import * as vscode from 'vscode';
import { createSessionController } from '../core/agent/controller.ts';
import type { SessionController } from '../core/agent/controllerTypes.ts';
import { DisposableStore, type Disposable } from '../core/base/disposable.ts';
import type { ModelInfo } from '../core/ports.ts';
import { createAttachmentStore } from '../node/attachments/attachmentStore.ts';
import { createClock } from '../node/clock.ts';
import { createIds } from '../node/ids.ts';
import { createLogStore } from '../node/log/logStore.ts';
import { agentConfig } from './agentConfig.ts';
import { lazyApi } from './api.ts';
import { createAttachmentActions, type AttachmentActions } from './attachments/attachmentActions.ts';
import { thumbnail } from './attachments/thumbnail.ts';
import { createSessionTools } from './sessionTools.ts';
import type { Services } from './services.ts';
import { watchAgent } from './watchAgent.ts';

/** Everything behind the view: the session's controller and what host commands need beside it. */
export interface Agent extends Disposable {
  readonly controller: SessionController;
  readonly attachments: AttachmentActions;
  /** Throws `ApiError`. */
  models(signal: AbortSignal, refresh?: boolean): Promise<readonly ModelInfo[]>;
  showTerminal(): void;
}
