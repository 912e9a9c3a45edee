import type * as vscode from 'vscode';
import type { ConnectionReport } from '../api/testConnection.ts';
import type { SessionController } from '../core/agent/controllerTypes.ts';
import type { Disposable } from '../core/base/disposable.ts';
import type { InputPort } from '../core/inputPort.ts';
import type { AttachmentPort, ModelInfo } from '../core/ports.ts';
import type { LogEntry, SessionHeader } from '../core/session/entries.ts';
import type { Attachments } from './attachments/attachmentTypes.ts';
import type { Batches } from './batches/batchTypes.ts';
import type { ChatView } from './chat/chatView.ts';
import type { Credentials } from './credentials.ts';
import type { Demo } from './demo/demo.ts';
import type { Previews } from './edits/preview.ts';
import type { Guard } from './guard.ts';
import type { Inspector } from './inspector/inspectorTypes.ts';
import type { Log } from './log.ts';
import type { SkillCommands } from './skills/skillTypes.ts';

/** Everything behind the view: the session's controller, and what commands need beside it. */
export interface Agent extends Disposable {
  readonly controller: SessionController;
  readonly attachments: Attachments;
  /** Settled once the configuration is known and the window's last session is open again. Never rejects. */
  readonly started: Promise<void>;
  /** Throws `ApiError`. */
  models(signal: AbortSignal, refresh?: boolean): Promise<readonly ModelInfo[]>;
  /** Throws `CancelledError`. */
  testConnection(signal: AbortSignal, model: string): Promise<ConnectionReport>;
  /** The other side is another one now: a new session begins. */
  reconnected(): Promise<void>;
  /** Opens a new session that begins with these entries of another one, and goes on from there. */
  branch(origin: SessionHeader, entries: readonly LogEntry[]): Promise<void>;
  readonly inspector: Inspector;
  readonly inputs: InputPort;
  readonly attachmentStore: AttachmentPort;
  readonly skills: SkillCommands;
  readonly batches: Batches;
  /** Asks for the token of a server of the MCP connector. Throws `UserError`. */
  setMcpToken(): Promise<void>;
  showTerminal(): void;
  /** Whether the SDK's bundle has been read. */
  apiLoaded(): boolean;
}

/** What commands and handlers work with. Everything in it is cheap until it is used. */
export interface Services {
  readonly context: vscode.ExtensionContext;
  readonly log: Log;
  readonly guard: Guard;
  readonly credentials: Credentials;
  readonly view: ChatView;
  readonly demo: Demo;
  readonly previews: Previews;
  /** Builds the agent with the first call. */
  readonly agent: () => Agent;
}
