import type { ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import type { ChosenSkill, EpochStarted, SkillRef } from '../session/entries.ts';

/** So many a request may name (Messages API, "Agent Skills"). */
export const MOST_SKILLS = 20;

export function isCodeExecution(tool: ToolUnion): boolean {
  return tool.type?.startsWith('code_execution') ?? false;
}

/** The skills of an epoch; a file that was edited by hand may hold anything. */
export function skillsOf(epoch: EpochStarted | undefined): readonly ChosenSkill[] {
  const skills = epoch?.skills;
  return Array.isArray(skills) ? (skills as readonly ChosenSkill[]) : [];
}

/** What may go along with these tools: skills are read and run by code execution, and without it the API refuses them. */
export function skillsFor(tools: readonly ToolUnion[], skills: readonly ChosenSkill[]): readonly ChosenSkill[] {
  return tools.some(isCodeExecution) ? skills.slice(0, MOST_SKILLS) : [];
}

/** The API takes no other fields. */
export function asSent({ type, skill_id, version }: SkillRef): SkillRef {
  return { type, skill_id, ...(version === undefined ? {} : { version }) };
}
