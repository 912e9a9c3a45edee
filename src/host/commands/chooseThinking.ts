import * as vscode from 'vscode';
import { thinkingChoices, type ThinkingWish } from '../../core/agent/thinking.ts';
import type { ModelInfo } from '../../core/ports.ts';
import type { Services } from '../services.ts';
import { readSettings, writeThinking } from '../settings.ts';

interface Choice extends vscode.QuickPickItem {
  readonly wish?: Partial<ThinkingWish>;
}

/** Lets the user choose how much Claude thinks, among what the model can do; the choice is the user's setting. */
export async function chooseThinking({ agent, log }: Services): Promise<void> {
  const { controller, started } = agent();
  await started;
  const wish = readSettings();
  const model = controller.snapshot().state.model || wish.model;
  const abort = new AbortController();
  const items = agent()
    .models(abort.signal)
    .catch((error: unknown) => {
      // A gateway need not list its models: then what can be named is offered.
      log.warn(`the models could not be listed: ${String(error)}`);
      return [];
    })
    .then((models: readonly ModelInfo[]) => choicesFor(wish, models.find(({ id }) => id === model) ?? models[0]));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Thinking and Effort'),
    placeHolder: vscode.l10n.t('From the next message on, which is then read without the cache'),
  });
  abort.abort();
  if (!chosen?.wish) return;
  await writeThinking(chosen.wish);
  await controller.refresh();
}

function choicesFor(wish: ThinkingWish, info: ModelInfo | undefined): readonly Choice[] {
  const { thinking, effort } = thinkingChoices(wish, info);
  const separator = (label: string): Choice => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const item = (label: string, current: boolean, own: Partial<ThinkingWish>): Choice => ({
    label: `${current ? '$(check) ' : ''}${label}`,
    wish: own,
  });
  const list = [
    ...(thinking.length === 0 ? [] : [separator(vscode.l10n.t('Thinking'))]),
    ...thinking.map((value) => item(THINKING[value](), value === wish.thinking, { thinking: value })),
    ...(effort.length === 0 ? [] : [separator(vscode.l10n.t('Effort'))]),
    ...effort.map((value) => item(EFFORT[value](), value === wish.effort, { effort: value })),
  ];
  return list.length > 0 ? list : [{ label: vscode.l10n.t('{0} has nothing to choose here', info?.label ?? '') }];
}

const THINKING: Readonly<Record<ThinkingWish['thinking'], () => string>> = {
  auto: () => vscode.l10n.t('Think as the model does'),
  off: () => vscode.l10n.t('Do not think first'),
};

const EFFORT: Readonly<Record<ThinkingWish['effort'], () => string>> = {
  default: () => vscode.l10n.t("The model's own"),
  low: () => vscode.l10n.t('Low'),
  medium: () => vscode.l10n.t('Medium'),
  high: () => vscode.l10n.t('High'),
  xhigh: () => vscode.l10n.t('Very high'),
  max: () => vscode.l10n.t('Highest'),
};
