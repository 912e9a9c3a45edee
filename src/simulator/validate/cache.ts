import type { ApiProblem } from '../problem.ts';
import { invalid } from '../problem.ts';
import { asArray, blocksOf, isObject } from '../json.ts';
import type { Json } from '../json.ts';
import type { CheckContext } from './context.ts';

interface Mark {
  readonly path: string;
  readonly ttl: string;
  readonly block: Json;
}

/** Cache breakpoints: how many, on what, and in which order of lifetimes. */
export function checkCacheControl({ body }: CheckContext): ApiProblem | null {
  const marks = cacheMarks(body);
  for (const mark of marks) {
    const problem = checkMark(mark);
    if (problem) return problem;
  }
  return checkCount(body, marks.length) ?? checkLifetimes(marks);
}

/** At most four, with the automatic one, which costs nothing where the last block is marked already. */
function checkCount(body: Json, explicit: number): ApiProblem | null {
  const automatic = body['cache_control'];
  let count = explicit;
  if (isObject(automatic)) {
    const ttl = ttlOf(automatic);
    const lastTtl = ttlOf(lastBlock(body)?.['cache_control']);
    if (!ttl) return invalid("cache_control.ttl: Input should be '5m' or '1h'");
    if (lastTtl !== undefined && lastTtl !== ttl) {
      return invalid('cache_control: the last block already has a cache_control with a different ttl');
    }
    if (lastTtl === undefined) count += 1;
  }
  return count > 4 ? invalid(`A maximum of 4 blocks with cache_control may be provided. Found ${count}.`) : null;
}

function checkLifetimes(marks: readonly Mark[]): ApiProblem | null {
  const shorter = marks.findIndex((mark) => mark.ttl === '5m');
  const longer = marks.findLastIndex((mark) => mark.ttl === '1h');
  if (shorter >= 0 && longer > shorter) {
    return invalid(
      `${marks[longer]?.path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block`,
    );
  }
  return null;
}

/** Every explicit breakpoint in the order of the prefix: tools, system, messages with what is inside tool results. */
export function cacheMarks(body: Json): readonly Mark[] {
  const marks: Mark[] = [];
  const visit = (path: string, values: readonly unknown[]): void => {
    values.forEach((value, index) => {
      if (!isObject(value)) return;
      if (Array.isArray(value['content'])) visit(`${path}.${index}.content`, value['content']);
      const control = value['cache_control'];
      if (control === undefined || control === null) return;
      marks.push({ path: `${path}.${index}`, ttl: ttlOf(control) ?? 'invalid', block: value });
    });
  };
  visit('tools', asArray(body['tools']));
  visit('system', asArray(body['system']));
  asArray(body['messages']).forEach((message, index) => {
    if (isObject(message)) visit(`messages.${index}.content`, blocksOf(message['content']));
  });
  return marks;
}

function checkMark({ path, ttl, block }: Mark): ApiProblem | null {
  if (ttl === 'invalid') return invalid(`${path}.cache_control: Input should be an ephemeral cache_control`);
  if (block['type'] === 'thinking' || block['type'] === 'redacted_thinking') {
    return invalid(`${path}.${block['type']}.cache_control: Extra inputs are not permitted`);
  }
  if (block['type'] === 'text' && block['text'] === '') {
    return invalid(`${path}: cache_control cannot be set for empty text blocks`);
  }
  if (block['defer_loading'] === true) {
    return invalid(`${path}: cache_control cannot be set for tools with defer_loading`);
  }
  return null;
}

function ttlOf(control: unknown): '5m' | '1h' | undefined {
  if (!isObject(control) || control['type'] !== 'ephemeral') return undefined;
  if (Object.keys(control).some((key) => key !== 'type' && key !== 'ttl')) return undefined;
  const ttl = control['ttl'] ?? '5m';
  return ttl === '5m' || ttl === '1h' ? ttl : undefined;
}

function lastBlock(body: Json): Json | undefined {
  const message = asArray(body['messages']).at(-1);
  return isObject(message) ? blocksOf(message['content']).at(-1) : undefined;
}
