import * as vscode from 'vscode';
import type { RemoteSkill, SkillsApi } from '../../api/skills.ts';
import { foldNames, looksSecret } from '../../core/approval/paths.ts';
import { fileSize } from '../../core/base/fileSize.ts';
import { checkSkill, type SkillProblem } from '../../core/base/skillFolder.ts';
import { visibleText } from '../../core/base/visibleText.ts';
import { CancelledError, messageOf, UserError } from '../../core/errors.ts';
import { readSkillFolder, type SkillFiles } from '../../node/inputs/skillFiles.ts';
import { notify } from '../notify.ts';
import type { Services } from '../services.ts';

const MOST_LISTED = 15;
const MAIN_FILE = 'SKILL.md';

/**
 * Uploads a folder as a skill, after its rules were checked and the user saw what is sent and where to. Resolves to the
 * skill's id; undefined when the user changed their mind. Throws `UserError` or `ApiError`.
 */
export async function uploadSkill(services: Services, api: SkillsApi, given: unknown): Promise<string | undefined> {
  const folder = given instanceof vscode.Uri ? given : await pickFolder();
  if (folder === undefined) return undefined;
  if (folder.scheme !== 'file') throw new UserError(vscode.l10n.t('Only a folder of this computer can be uploaded.'));
  const content = await readSkillFolder(folder.fsPath);
  const main = content.files.find(({ path }) => path === MAIN_FILE);
  const check = checkSkill(main === undefined ? undefined : new TextDecoder().decode(main.bytes));
  if (!check.ok) throw new UserError(problemText(check.problem));
  const existing = await ownSkill(services, api, check.name);
  if (existing === 'cancelled') return undefined;
  if (!(await isWanted(services, content, check.name))) return undefined;
  const files = content.files.map(({ path, bytes }) => ({ path: `${check.name}/${path}`, bytes }));
  const id = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Uploading the skill {0}', check.name),
      cancellable: true,
    },
    async (_progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      return api.upload({ files, displayName: check.name }, existing?.id, abort.signal);
    },
  );
  notify(services.guard, {
    text: vscode.l10n.t('The skill {0} is uploaded.', check.name),
    action: { label: vscode.l10n.t('Choose Skills'), run: () => services.agent().skills.choose() },
  });
  return id;
}

async function pickFolder(): Promise<vscode.Uri | undefined> {
  const defaultUri = vscode.workspace.workspaceFolders?.[0]?.uri;
  const uris = await vscode.window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    title: vscode.l10n.t('Upload Skill Folder'),
    openLabel: vscode.l10n.t('Upload'),
    ...(defaultUri ? { defaultUri } : {}),
  });
  return uris?.[0];
}

/** A skill of that name that is there already gets a new version, where the user wants that. */
async function ownSkill(
  { log }: Services,
  api: SkillsApi,
  name: string,
): Promise<RemoteSkill | 'cancelled' | undefined> {
  let known: readonly RemoteSkill[] = [];
  try {
    known = (await api.list('custom', new AbortController().signal)).filter((skill) => skill.name === name);
  } catch (error) {
    if (error instanceof CancelledError) throw error;
    log.info(`Skills can't be listed: ${messageOf(error)}`);
  }
  if (known.length === 0) return undefined;
  const versions = known.map((skill) => ({
    label: vscode.l10n.t('New version of {0}', skill.name),
    description: skill.id,
    skill,
  }));
  const another = { label: vscode.l10n.t('A new skill'), description: '', skill: undefined };
  const title = vscode.l10n.t('There is a skill {0} already', name);
  const chosen = await vscode.window.showQuickPick([...versions, another], { title });
  return chosen === undefined ? 'cancelled' : chosen.skill;
}

async function isWanted({ credentials }: Services, { files, left }: SkillFiles, name: string): Promise<boolean> {
  const { origin } = await credentials.connection();
  const total = files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  const size = (bytes: number) => fileSize(bytes, vscode.env.language);
  const secret = files.filter(({ path }) => looksSecret(foldNames(path.split('/'))));
  const more = files.length - MOST_LISTED;
  const lines = [
    ...secret.map(({ path }) => vscode.l10n.t('{0} looks like it holds secrets.', visibleText(path))),
    ...files.slice(0, MOST_LISTED).map(({ path, bytes }) => `${visibleText(path)} (${size(bytes.byteLength)})`),
    ...(more > 0 ? [vscode.l10n.t('… and {0} more', more)] : []),
    ...(left.length === 0 ? [] : [vscode.l10n.t('Left out: {0}', left.slice(0, 5).map(visibleText).join(', '))]),
    '',
    vscode.l10n.t('Everyone in the workspace of your API key can use it.'),
  ];
  const what = files.length === 1 ? vscode.l10n.t('1 file') : vscode.l10n.t('{0} files', files.length);
  const question = vscode.l10n.t('Send {0} ({1}) to {2} as the skill {3}?', what, size(total), origin, name);
  const yes = vscode.l10n.t('Upload');
  const detail = lines.join('\n');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes;
}

function problemText(problem: SkillProblem): string {
  switch (problem) {
    case 'noFile':
      return vscode.l10n.t('The folder has no SKILL.md. A skill needs one at its root.');
    case 'noFrontmatter':
      return vscode.l10n.t('SKILL.md has to begin with a header between two lines of ---, with name and description.');
    case 'noName':
      return vscode.l10n.t('The header of SKILL.md has no name.');
    case 'name':
      return vscode.l10n.t('The name in SKILL.md may have 64 characters at most, and only a-z, 0-9 and -.');
    case 'reservedName':
      return vscode.l10n.t('The name in SKILL.md may not contain "anthropic" or "claude".');
    case 'noDescription':
      return vscode.l10n.t('The header of SKILL.md has no description.');
    case 'longDescription':
      return vscode.l10n.t('The description in SKILL.md may have 1024 characters at most.');
    case 'tags':
      return vscode.l10n.t('The description in SKILL.md may not hold XML tags.');
  }
}
