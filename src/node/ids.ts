import { createHash, randomBytes } from 'node:crypto';
import type { Ids } from '../core/ports.ts';

/** Ids of 128 random bits in base64url, and SHA-256 in hex. */
export function createIds(): Ids {
  return {
    random: () => randomBytes(16).toString('base64url'),
    hash: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
  };
}
