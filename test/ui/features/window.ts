import { startSimulator, type Simulator } from '../../vscode/simulator.ts';
import { openWorkbench, type Workbench } from '../support/workbench.ts';

/** A window with all files that the features are shown on, and the simulator that it talks to. */
export interface FeatureWindow {
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
  const simulator = await startSimulator({ scenario: 'scripted' });
  const workbench = await openWorkbench({ workspace: WORKSPACE, env: simulator.env });
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
