import * as vscode from 'vscode';
import { ATTACHMENTS_VIEW } from '../attachments/attachmentTree.ts';
import { registerContainers } from '../containers/containerCommands.ts';
import { registerBatches } from '../batches/batchCommands.ts';
import type { Services } from '../services.ts';
import { attachFiles } from './attachFiles.ts';
import { clearApiKey, setApiKey, testConnection } from './connection.ts';
import { commandIds, type CommandId } from './commandIds.ts';
import { chooseModel } from './chooseModel.ts';
import { chooseThinking } from './chooseThinking.ts';
import { rerunAnalysis } from './rerunAnalysis.ts';
import { runOnSandbox } from './runOnSandbox.ts';
import { sendPrompt } from './sendPrompt.ts';
import { showSessions } from './showSessions.ts';

/** Registers every command; each one runs under the guard, so a failure is shown and never thrown at the caller. */
export function registerCommands(services: Services): vscode.Disposable {
  const table = commandTable(services);
  return vscode.Disposable.from(
    registerBatches(services),
    registerContainers(services),
    ...commandIds.map((id) =>
      vscode.commands.registerCommand(id, (argument?: unknown, more?: unknown) =>
        services.guard(id, () => table[id](argument, more)),
      ),
    ),
  );
}

function commandTable(services: Services): Readonly<Record<CommandId, (argument: unknown, more?: unknown) => unknown>> {
  const { agent, view, log, demo } = services;
  /** Not before the window's last session is open again: that would end a turn which began meanwhile. */
  const controller = async () => {
    await agent().started;
    return agent().controller;
  };
  return {
    'loopdock.openChat': () => view.focus(),
    'loopdock.newSession': async () => {
      await view.focus();
      await (await controller()).newSession();
    },
    'loopdock.sendPrompt': (argument) => sendPrompt(services, argument),
    'loopdock.stop': async () => (await controller()).stop(),
    'loopdock.continue': async () => {
      await view.reveal();
      await (await controller()).continueTurn();
    },
    'loopdock.compact': async () => {
      await view.reveal();
      await (await controller()).compact();
    },
    'loopdock.showSessions': () => showSessions(services),
    'loopdock.setApiKey': () => setApiKey(services),
    'loopdock.clearApiKey': () => clearApiKey(services),
    'loopdock.setMcpToken': () => agent().setMcpToken(),
    'loopdock.testConnection': () => testConnection(services),
    'loopdock.chooseModel': () => chooseModel(services),
    'loopdock.chooseThinking': () => chooseThinking(services),
    'loopdock.batch': (first, all) => agent().batches.start(first, all),
    'loopdock.chooseSkills': () => agent().skills.choose(),
    'loopdock.uploadSkill': (folder) => agent().skills.upload(folder),
    'loopdock.runOnSandbox': (argument) => runOnSandbox(services, argument),
    'loopdock.rerunAnalysis': () => rerunAnalysis(services),
    'loopdock.attachFiles': (first, all) => attachFiles(services, first, all),
    'loopdock.showAttachments': () => vscode.commands.executeCommand(`${ATTACHMENTS_VIEW}.focus`),
    'loopdock.inspectRequest': async (argument) => {
      await controller();
      await agent().inspector.inspect(argument);
    },
    'loopdock.openSettings': () =>
      vscode.commands.executeCommand('workbench.action.openSettings', '@ext:loopdock.loopdock'),
    'loopdock.showLog': () => log.show(),
    'loopdock.startDemo': () => demo.start(),
  };
}
