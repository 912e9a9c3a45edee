import * as vscode from 'vscode';
import type { Services } from '../services.ts';
import { chooseModel } from '../commands/chooseModel.ts';
import { attachDropped } from '../commands/attachFiles.ts';
import { createDropTarget } from '../commands/dropFiles.ts';
import { mentionFile } from '../commands/mentionFile.ts';
import { openRules } from '../commands/openRules.ts';
import type { CommandId } from '../commands/commandIds.ts';
import type { NoticeAction } from '../../protocol/rows.ts';
import type { WebviewHandlers } from './handlers.ts';
import { openLink } from './links.ts';

const LONGEST_LOG_TEXT = 4000;

/** What each message of the view does. The view only asks: ids are looked up, and unknown ones do nothing. */
export function webviewHandlers(services: Services): WebviewHandlers {
  const { agent, view, log } = services;
  const controller = () => agent().controller;
  const drops = createDropTarget(services);
  const files = () => agent().attachments.actions;
  const shown = (fileId: string) => agent().attachments.shown(fileId);
  const tryAnotherModel = async (): Promise<void> => {
    if (await chooseModel(services)) await controller().continueTurn();
  };
  const serviceActions: Readonly<Record<string, (id: string) => PromiseLike<unknown>>> = {
    tryAnotherModel,
    openRules: (id) => openRules(services, id),
    inspectRequest: (row) => run('loopdock.inspectRequest', { row }),
  };
  return {
    ready: async () => {
      await agent().started;
      view.postSnapshot();
    },
    resync: () => view.postSnapshot(),
    'prompt/submit': ({ text }) => controller().submit(text),
    'composer/changed': ({ text }) => controller().composerChanged(text),
    'prompt/unqueue': ({ index, edit = false }) => controller().unqueue(index, edit),
    'input/mention': () => mentionFile(services),
    'input/pick': () => run('loopdock.attachFiles'),
    'input/drop': ({ uris }) => attachDropped(services, uris),
    'input/dropFiles': ({ files: dropped }) => drops.take(dropped),
    'input/dropPiece': ({ id, at, data }) => drops.piece(id, at, data),
    'input/use': ({ id, use }) => controller().tray.setUse(id, use),
    'input/remove': ({ id }) => controller().tray.remove(id),
    'turn/stop': () => controller().stop(),
    'turn/continue': () => controller().continueTurn(),
    'session/new': () => controller().newSession(),
    'session/list': async () => view.post({ type: 'sessions', sessions: await controller().sessions() }),
    'session/open': ({ id }) => controller().openSession(id),
    'approval/answer': ({ id, choice, message }) => controller().answerApproval(id, choice, message),
    'approval/openDiff': ({ id }) => controller().openDiff(id),
    'attachment/open': ({ fileId }) => files().open(shown(fileId)),
    'attachment/saveAs': ({ fileId }) => files().saveAs(shown(fileId)),
    'attachment/addToWorkspace': ({ fileId }) => files().addToWorkspace(shown(fileId)),
    'attachment/retry': ({ fileId }) => controller().files.retry(fileId),
    'notice/action': ({ id, action }) =>
      Object.hasOwn(serviceActions, action)
        ? serviceActions[action]?.(id)
        : noticeAction(id, action, (i, a) => controller().noticeAction(i, a)),
    'request/inspect': ({ row }) => run('loopdock.inspectRequest', { row }),
    'model/choose': () => run('loopdock.chooseModel'),
    'link/open': ({ url }) => openLink(url),
    'terminal/show': () => agent().showTerminal(),
    log: ({ level, text }) => log[level](`view: ${text.slice(0, LONGEST_LOG_TEXT)}`),
  };
}

/** What the host does itself; the rest (retry, continue, …) is the controller's. */
const hostActions: Partial<Record<NoticeAction['id'], () => Thenable<unknown>>> = {
  setApiKey: () => run('loopdock.setApiKey'),
  openSettings: () => run('loopdock.openSettings'),
  showLog: () => run('loopdock.showLog'),
  newSession: () => run('loopdock.newSession'),
  startDemo: () => run('loopdock.startDemo'),
  manageTrust: () => vscode.commands.executeCommand('workbench.trust.manage'),
};

function noticeAction(id: string, action: string, other: (id: string, action: string) => void): unknown {
  const own = Object.hasOwn(hostActions, action) ? hostActions[action as NoticeAction['id']] : undefined;
  return own ? own() : other(id, action);
}

function run(command: CommandId, ...rest: readonly unknown[]): Thenable<unknown> {
  return vscode.commands.executeCommand(command, ...rest);
}
