import type * as vscode from 'vscode';
import type { Agent } from './agent.ts';
import type { ChatView } from './chat/chatView.ts';
import type { Credentials } from './credentials.ts';
import type { Demo } from './demo/demo.ts';
import type { Previews } from './edits/preview.ts';
import type { Guard } from './guard.ts';
import type { Log } from './log.ts';

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
