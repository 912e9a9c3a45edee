import type { ApiProblem } from './problem.ts';
import { invalid } from './problem.ts';
import { isObject } from './json.ts';
import type { IssuedState } from './issued.ts';
import type { ValidateOptions } from './validate/context.ts';
import { checkCacheControl } from './validate/cache.ts';
import { checkCompaction } from './validate/compaction.ts';
import { checkConnectors } from './validate/connectors.ts';
import { checkEcho } from './validate/echo.ts';
import { checkEdits } from './validate/edits.ts';
import { checkEncoding } from './validate/encoding.ts';
import { checkEnvelope, modelOf } from './validate/envelope.ts';
import { checkImages } from './validate/images.ts';
import { checkMessages } from './validate/messages.ts';
import { checkPairing } from './validate/pairing.ts';
import { checkSkills } from './validate/skills.ts';
import { checkThinking } from './validate/thinking.ts';
import { checkToolChanges } from './validate/toolChanges.ts';
import { checkTools } from './validate/tools.ts';

/**
 * Judges a body of `POST /v1/messages` as the API does. Pure: neither the body nor the state is changed.
 * Returns the status and error of the first thing that is wrong, or null.
 */
export function validateRequest(body: unknown, state: IssuedState, options: ValidateOptions = {}): ApiProblem | null {
  if (!isObject(body)) return invalid('The request body must be a JSON object');
  const problem = checkEncoding(body) ?? checkEnvelope(body, options);
  if (problem) return problem;
  const model = modelOf(body);
  const context = { body, model, state, betas: options.betas ?? [] };
  for (const check of checks) {
    const found = check(context);
    if (found) return found;
  }
  return null;
}

const checks = [
  checkTools,
  checkSkills,
  checkEdits,
  checkCompaction,
  checkToolChanges,
  checkConnectors,
  checkMessages,
  checkImages,
  checkPairing,
  checkEcho,
  checkThinking,
  checkCacheControl,
];
