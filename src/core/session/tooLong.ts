import type { ApiFailure } from '../errors.ts';

/** The API refused the request because it does not fit: into the model's window, or into a request at all. */
export function isTooLong({ kind, message }: ApiFailure): boolean {
  return kind === 'too-large' || (kind === 'invalid-request' && /prompt is too long/i.test(message));
}
