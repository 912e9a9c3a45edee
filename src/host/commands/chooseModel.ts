import * as vscode from 'vscode';
import type { ModelInfo } from '../../core/ports.ts';
import type { Services } from '../services.ts';
import type { CommandId } from './commandIds.ts';
import { readSettings, writeModel } from '../settings.ts';

/** Lets the user choose among the models that the API lists; the choice is the user's setting. True when it changed. */
export async function chooseModel({ agent }: Services): Promise<boolean> {
  const abort = new AbortController();
  const current = readSettings().model;
  const items = agent()
    .models(abort.signal)
    .then((models): readonly ModelItem[] => [...models.map((model) => toItem(model, current)), ...more()]);
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Choose Model'),
    placeHolder: vscode.l10n.t('Applies from the next message on'),
    matchOnDescription: true,
  });
  abort.abort();
  if (chosen?.command !== undefined) await vscode.commands.executeCommand(chosen.command);
  if (chosen?.id === undefined || chosen.id === current) return false;
  await writeModel(chosen.id);
  await agent().controller.refresh();
  return true;
}

interface ModelItem extends vscode.QuickPickItem {
  readonly id?: string;
  readonly command?: CommandId;
}

/** What belongs to the choice of a model and is no model. */
function more(): readonly ModelItem[] {
  return [
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    {
      label: `$(lightbulb) ${vscode.l10n.t('Thinking and Effort')}…`,
      alwaysShow: true,
      command: 'loopdock.chooseThinking',
    },
  ];
}

function toItem(model: ModelInfo, current: string): ModelItem {
  const limit =
    model.maxInputTokens === null ? '' : vscode.l10n.t('{0} tokens of context', model.maxInputTokens.toLocaleString());
  return {
    label: `${model.id === current ? '$(check) ' : ''}${model.label}`,
    id: model.id,
    description: model.id,
    detail: limit,
  };
}
