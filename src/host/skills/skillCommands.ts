import * as vscode from 'vscode';
import type { RemoteSkill, SkillsApi } from '../../api/skills.ts';
import type { SessionController } from '../../core/agent/controllerTypes.ts';
import { MOST_SKILLS } from '../../core/agent/skills.ts';
import { visibleText } from '../../core/base/visibleText.ts';
import { CancelledError, messageOf } from '../../core/errors.ts';
import type { ChosenSkill } from '../../core/session/entries.ts';
import { notify } from '../notify.ts';
import type { Services } from '../services.ts';
import type { SkillCommands } from './skillTypes.ts';
import { uploadSkill } from './uploadSkill.ts';

interface SkillDeps {
  readonly api: SkillsApi;
  readonly controller: SessionController;
  readonly started: Promise<void>;
}

/** What the API has for everyone, where it can't be asked. */
const BUILT_IN: readonly RemoteSkill[] = ['pptx', 'xlsx', 'docx', 'pdf'].map((id) => ({
  id,
  type: 'anthropic',
  name: id,
}));

export function createSkillCommands(services: Services, deps: SkillDeps): SkillCommands {
  return {
    choose: () => choose(services, deps),
    async upload(folder) {
      await uploadSkill(services, deps.api, folder);
    },
  };
}

interface SkillItem extends vscode.QuickPickItem {
  readonly skill?: ChosenSkill;
}

async function choose(services: Services, { api, controller, started }: SkillDeps): Promise<void> {
  await started;
  const before = controller.skills.current();
  const abort = new AbortController();
  const items = listSkills(services, api, abort.signal).then((skills) => toItems(skills, before));
  const chosen = await vscode.window.showQuickPick<SkillItem>(items, {
    canPickMany: true,
    title: vscode.l10n.t('Skills in the Sandbox'),
    placeHolder: placeHolder(services),
    matchOnDescription: true,
  });
  abort.abort();
  if (!chosen) return;
  const skills = chosen.flatMap(({ skill }) => (skill ? [skill] : []));
  if (skills.length > MOST_SKILLS) {
    const text = vscode.l10n.t('Claude takes {0} skills at most; the first {0} are used.', MOST_SKILLS);
    notify(services.guard, { text, severity: 'warning' });
  }
  await controller.skills.choose(skills);
}

function placeHolder({ agent }: Services): string {
  const hasAnswers = agent().controller.snapshot().rows.length > 0;
  return hasAnswers
    ? vscode.l10n.t('A change gives up the prompt cache once')
    : vscode.l10n.t('For this session, from the next message on');
}

/** Anthropic's own first. What can't be listed is left out, but for the four that everyone has. */
async function listSkills({ log }: Services, api: SkillsApi, signal: AbortSignal): Promise<readonly RemoteSkill[]> {
  const list = async (source: RemoteSkill['type'], otherwise: readonly RemoteSkill[]) => {
    try {
      return await api.list(source, signal);
    } catch (error) {
      if (!(error instanceof CancelledError)) log.warn(`Skills (${source}) can't be listed: ${messageOf(error)}`);
      return otherwise;
    }
  };
  const [anthropic, custom] = await Promise.all([list('anthropic', BUILT_IN), list('custom', [])]);
  return [...(anthropic.length > 0 ? anthropic : BUILT_IN), ...custom];
}

function toItems(skills: readonly RemoteSkill[], before: readonly ChosenSkill[]): SkillItem[] {
  const isChosen = (id: string) => before.some(({ skill_id }) => skill_id === id);
  const known = new Set(skills.map(({ id }) => id));
  // One that is in use and no longer listed can be taken out.
  const gone = before.filter(({ skill_id }) => !known.has(skill_id));
  const listed = skills.map((skill) => ({ chosen: toChosen(skill), description: skill.id }));
  const all = [...listed, ...gone.map((chosen) => ({ chosen, description: vscode.l10n.t('no longer listed') }))];
  return (['anthropic', 'custom'] as const).flatMap((type) => {
    const own = all.filter(({ chosen }) => chosen.type === type);
    if (own.length === 0) return [];
    const label = type === 'anthropic' ? vscode.l10n.t('From Anthropic') : vscode.l10n.t('Your own');
    return [
      { label, kind: vscode.QuickPickItemKind.Separator },
      ...own.map(({ chosen, description }) => ({
        label: plain(chosen.name),
        // The id says nothing where it is the name.
        description: description === chosen.name ? '' : description,
        picked: isChosen(chosen.skill_id),
        skill: chosen,
      })),
    ];
  });
}

/** The version is fixed when a skill is chosen: a newer one would change what was sent, and the cache would be lost. */
function toChosen({ id, type, name, version }: RemoteSkill): ChosenSkill {
  return { type, skill_id: id, ...(version === undefined ? {} : { version }), name: visibleText(name) };
}

/** A quick pick draws `$(name)` as an icon. */
function plain(text: string): string {
  return visibleText(text).replace(/\$\(/g, '$\u200b(');
}
