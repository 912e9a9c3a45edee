import type { ChosenSkill } from '../session/entries.ts';
import { foldConversation } from '../session/fold.ts';
import { record } from './context.ts';
import type { SkillChoice } from './controllerTypes.ts';
import type { Shown } from './sessionContainers.ts';
import { MOST_SKILLS, skillsOf } from './skills.ts';

export function createSkillChoice(shown: Shown): SkillChoice {
  const current = (): readonly ChosenSkill[] => {
    const { skills, log } = shown.session();
    return skills ?? skillsOf(foldConversation(log?.entries() ?? []).epoch);
  };
  return {
    current,
    async choose(skills) {
      const before = current();
      const kept = before.filter((one) => skills.some((other) => isSame(one, other)));
      const added = skills.filter((one) => !before.some((other) => isSame(one, other)));
      // One that was chosen before keeps its place and its version: what was sent of it is in the cache.
      const session = shown.session();
      const context = shown.context(session, await shown.log(session));
      await record(context, { type: 'skillsChosen', skills: [...kept, ...added].slice(0, MOST_SKILLS) });
    },
  };
}

function isSame(a: ChosenSkill, b: ChosenSkill): boolean {
  return a.type === b.type && a.skill_id === b.skill_id;
}
