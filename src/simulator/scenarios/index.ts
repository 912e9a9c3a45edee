import type { Scenario } from '../scenario.ts';
import { demo } from './demo.ts';
import { scripted } from './scripted.ts';

const builtin: readonly Scenario[] = [demo, scripted];

/** A scenario that ships with the simulator, by its name. */
export function builtinScenario(name: string): Scenario | undefined {
  return builtin.find((scenario) => scenario.name === name);
}
