import * as vscode from 'vscode';
import type { ModelInfo } from '../../core/ports.ts';
import type { Services } from '../services.ts';
import { readSettings, writeModel } from '../settings.ts';

/** Lets the user choose among the models that the API lists; the choice is the user's setting. True when it changed. */
export async function chooseModel({ agent }: Services): Promise<boolean> {
  const abort = new AbortController();
  const current = readSettings().model;
  const items = agent()
    .models(abort.signal)
    .then((models) => models.map((model) => toItem(model, current)));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Choose Model'),
    placeHolder: vscode.l10n.t('Applies from the next message on'),
    matchOnDescription: true,
  });
  abort.abort();
  if (!chosen || chosen.description === current) return false;
  await writeModel(chosen.description);
  await agent().controller.refresh();
  return true;
}

function toItem(model: ModelInfo, current: string) {
  const limit =
    model.maxInputTokens === null ? '' : vscode.l10n.t('{0} tokens of context', model.maxInputTokens.toLocaleString());
  return { label: `${model.id === current ? '$(check) ' : ''}${model.label}`, description: model.id, detail: limit };
}
