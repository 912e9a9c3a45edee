import { startSimulator, type Simulator } from '../../../src/simulator/server.ts';
import { scripted } from '../../../src/simulator/scenarios/scripted.ts';
import { openWorkbench, type Workbench } from '../support/workbench.ts';

/** A window with all files that the features are shown on, and the simulator that it talks to. */
export interface FeatureWindow {
  /** In this process, so that a test can see what was sent. */
  readonly simulator: Simulator;
  readonly workbench: Workbench;
}

/** The window, once the suite around is set up. */
export type Opened = () => FeatureWindow;

const WORKSPACE = {
  'a.txt': 'one\n',
  'a.md': '# One\n',
  'b.md': '# Two\n',
  'report.md': '# Report\n\nOld text\n',
  'data/sales.csv': 'month,revenue\nJan,100\nFeb,120\n',
  'notes.md': '# Notes\n',
  'run.py': 'print(1)\n',
  '.env': 'TOKEN=1\n',
};

/** Opens the window; prompts say what is answered (`scriptPrompt`). */
export async function openFeatureWindow(): Promise<FeatureWindow> {
  const simulator = await startSimulator({ scenario: scripted, delayMs: 12 });
  const env = { ANTHROPIC_BASE_URL: simulator.url, ANTHROPIC_API_KEY: simulator.key, LOOPDOCK_SIMULATED: '1' };
  const workbench = await openWorkbench({ workspace: WORKSPACE, env });
  await workbench.openChat();
  return { simulator, workbench };
}

/** What each feature begins with: no editor, no toast, an empty session in front. */
export async function newSession(workbench: Workbench): Promise<void> {
  await workbench.bridge.evaluate(async (vscode) => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('notifications.clearAll');
    await vscode.commands.executeCommand('loopdock.newSession');
  });
  await workbench.openChat();
  await workbench.chat.rows().first().waitFor({ state: 'detached' });
}

/** Runs the command over files of the workspace, up to the question for the prompt. */
export async function startBatch(wb: Workbench, names: readonly string[], use: string): Promise<void> {
  await wb.bridge.evaluate((vscode, list) => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    if (!folder) return;
    const files = list.map((name) => vscode.Uri.joinPath(folder, name));
    void vscode.commands.executeCommand('loopdock.batch', files[0], files);
  }, names);
  await wb.quickPick(use).click();
  await wb.page.locator('.quick-input-widget').getByText('Runs once for each file').waitFor();
}
