import * as vscode from 'vscode';
import { rerunOf } from '../../core/agent/rerun.ts';
import type { Services } from '../services.ts';

/** Does the last analysis in the container again, with the files that have changed since. */
export async function rerunAnalysis({ agent, view }: Services): Promise<void> {
  const { controller, inputs, attachmentStore, started } = agent();
  await started;
  const entries = controller.log()?.entries() ?? [];
  const location = vscode.ProgressLocation.Window;
  const title = vscode.l10n.t('Looking for changed files…');
  const { text, files } = await vscode.window.withProgress({ location, title }, () =>
    rerunOf(entries, { inputs, attachments: attachmentStore }, new AbortController().signal),
  );
  await view.reveal();
  await controller.submit(text, files);
}
