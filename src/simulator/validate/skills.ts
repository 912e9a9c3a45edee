import { asArray, isObject, stringOf } from '../json.ts';
import type { Json } from '../json.ts';
import type { ApiProblem } from '../problem.ts';
import { invalid } from '../problem.ts';
import type { CheckContext } from './context.ts';

const mostSkills = 20;

/** `container.skills`: their shape, that there is a tool to use them with, and that they exist. */
export function checkSkills({ body, state }: CheckContext): ApiProblem | null {
  const { container } = body;
  const skills = isObject(container) ? (container['skills'] ?? undefined) : undefined;
  if (skills === undefined) return null;
  if (!Array.isArray(skills)) return invalid('container.skills: Input should be a valid list');
  if (skills.length > mostSkills) return invalid(`container.skills: List should have at most ${mostSkills} items`);
  const seen = new Set<string>();
  for (const [index, skill] of (skills as unknown[]).entries()) {
    const problem = checkShape(skill, `container.skills.${index}`);
    if (problem) return problem;
    const { type, skill_id: id, version } = skill as Json;
    if (seen.has(`${stringOf(type)} ${stringOf(id)}`))
      return invalid(`container.skills: duplicate skill ${stringOf(id)}`);
    seen.add(`${stringOf(type)} ${stringOf(id)}`);
    if (!state.skill(stringOf(type), stringOf(id), version as string | undefined)) {
      return invalid(`container.skills.${index}: Skill ${stringOf(id)} was not found`);
    }
  }
  const runs = asArray(body['tools']).some((tool) => isObject(tool) && tool['name'] === 'code_execution');
  return skills.length > 0 && !runs
    ? invalid('container.skills: the code execution tool is required to use skills')
    : null;
}

function checkShape(skill: unknown, path: string): ApiProblem | null {
  if (!isObject(skill)) return invalid(`${path}: Input should be an object`);
  const extra = Object.keys(skill).find((key) => !['type', 'skill_id', 'version'].includes(key));
  if (extra) return invalid(`${path}.${extra}: Extra inputs are not permitted`);
  if (skill['type'] !== 'anthropic' && skill['type'] !== 'custom') {
    return invalid(`${path}.type: Input should be 'anthropic' or 'custom'`);
  }
  for (const key of ['skill_id', ...(skill['version'] === undefined ? [] : ['version'])]) {
    const value = skill[key];
    if (typeof value !== 'string' || value.length < 1 || value.length > 64) {
      return invalid(`${path}.${key}: String should have 1 to 64 characters`);
    }
  }
  return null;
}
