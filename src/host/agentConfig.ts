import { release } from 'node:os';
import * as vscode from 'vscode';
import type { AgentConfig } from '../core/agent/controllerTypes.ts';
import type { Connection, Credentials } from './credentials.ts';
import { DEMO_PROMPT } from './demo/demo.ts';
import type { Log } from './log.ts';
import { readSettings } from './settings.ts';

/** What the user chose, now. A refused base URL counts as no key here; the request itself says what is wrong with it. */
export async function agentConfig(credentials: Credentials, log: Log): Promise<AgentConfig> {
  const settings = readSettings();
  const connection = await connectionOrNone(credentials, log);
  for (const problem of settings.mcp.problems) log.warn(problem);
  const simulated = connection?.simulated ?? false;
  return {
    model: simulated ? '' : settings.model,
    mode: 'ask',
    thinking: { thinking: settings.thinking, effort: settings.effort },
    compactAt: settings.compactAt,
    compactBy: settings.compactBy,
    clearOldResults: settings.clearOldResults,
    toolVersions: settings.toolVersions,
    folders: (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.toString()),
    environment: environmentFacts(),
    trusted: vscode.workspace.isTrusted,
    hasKey: connection?.authorized ?? false,
    simulated,
    suggestedPrompt: simulated ? DEMO_PROMPT : '',
    baseUrl: connection?.baseUrl ?? '',
    prices: settings.prices,
    budget: settings.budget,
    web: settings.web,
    mcp: settings.mcp.servers,
    advisor: settings.advisor,
    readWorkspace: settings.readWorkspace,
  };
}

async function connectionOrNone(credentials: Credentials, log: Log): Promise<Connection | undefined> {
  try {
    return await credentials.connection();
  } catch (error) {
    log.warn(`no connection: ${String(error)}`);
    return undefined;
  }
}

/** Facts for the system prompt, in English. Nothing that changes while a session lasts: it is part of the cached prefix. */
function environmentFacts(): string {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const roots = folders.map(
    (folder) => `- ${folder.uri.scheme === 'file' ? folder.uri.fsPath : folder.uri.toString()}`,
  );
  return [
    roots.length === 0 ? 'No workspace folder is open.' : `Workspace folders:\n${roots.join('\n')}`,
    `Platform: ${process.platform} ${process.arch} (${release()})`,
    'Shell: bash',
    `Editor: ${vscode.env.appName} ${vscode.version}`,
  ].join('\n');
}
