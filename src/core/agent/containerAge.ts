/** A container lives so long after it was made, whatever `expires_at` says (Messages API, "Code execution tool"). */
export const CONTAINER_LIFE_MS = 30 * 24 * 60 * 60 * 1000;
/** About so long after its last use it is put to sleep; the next use wakes it up. */
const AWAKE_MS = 5 * 60 * 1000;

export type ContainerCondition = 'awake' | 'asleep' | 'gone';

/** What a container is doing, by what is known of its age and last use (epoch milliseconds). */
export function conditionOf(
  { since, used }: { readonly since: number; readonly used: number },
  now: number,
): ContainerCondition {
  if (now - since >= CONTAINER_LIFE_MS) return 'gone';
  return now - used < AWAKE_MS ? 'awake' : 'asleep';
}
