import { createHmac } from 'node:crypto';
import { canonical, hash } from './chain.ts';
import type { ContainerStatus } from './sandbox.ts';
import { isObject } from './json.ts';
import type { Json } from './json.ts';

/**
 * What this simulator has handed out, as far as later requests are checked against it. Signatures carry their own proof
 * (so that a conversation outlives the process, as it does at the real API); everything else is remembered.
 */
export interface IssuedState {
  /** Canonical content of every block with an id, by id: `tool_use`, `server_tool_use` and, under `result:<id>`, server results. */
  readonly blocks: Map<string, string>;
  /** Blocks of types that the API does not document, canonical: they may be echoed, but not invented. */
  readonly unknownBlocks: Set<string>;
  /** All blocks of a response, by the id of each call in it: to see a thinking block that was left out. */
  readonly responses: Map<string, readonly Json[]>;
  /** Chain hashes at the end of responses that ended unfinished: with `pause_turn` or `compaction`. */
  readonly paused: Set<string>;
  /** Undefined when there is no such file. */
  file(id: string): { readonly mimeType: string; readonly expired?: boolean } | undefined;
  container(id: string): ContainerStatus;
  /** Whether there is such a skill, in this version. */
  skill(type: string, id: string, version: string | undefined): boolean;
  readonly options: IssuedOptions;
}

export interface IssuedOptions {
  /** Takes thinking blocks with a signature that no simulator made, and block types that it never sent. */
  readonly acceptUnknownSignatures?: boolean;
  /** Takes any `file_id`. */
  readonly acceptUnknownFiles?: boolean;
  /** Takes any container id. */
  readonly acceptUnknownContainers?: boolean;
}

/** An empty state; `files` and `containers` default to none. For tests of `validateRequest` without a server, too. */
export function createIssuedState(
  options: IssuedOptions = {},
  lookup: Partial<Pick<IssuedState, 'file' | 'container' | 'skill'>> = {},
): IssuedState {
  return {
    blocks: new Map(),
    unknownBlocks: new Set(),
    responses: new Map(),
    paused: new Set(),
    file: lookup.file ?? (() => undefined),
    container: lookup.container ?? (() => 'unknown'),
    skill: lookup.skill ?? (() => false),
    options,
  };
}

/** Remembers a finished response. `end` is the chain hash after it. */
export function remember(state: IssuedState, blocks: readonly Json[], end: string, stopReason: string | null): void {
  for (const block of blocks) {
    const key = blockKey(block);
    if (key) state.blocks.set(key, canonical(block));
    if (typeof block['id'] === 'string') state.responses.set(block['id'], blocks);
    if (!knownOutput.has(String(block['type']))) state.unknownBlocks.add(canonical(block));
  }
  if (stopReason === 'pause_turn' || stopReason === 'compaction') state.paused.add(end);
}

const knownOutput = new Set([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'server_tool_use',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'code_execution_tool_result',
  'container_upload',
]);

/** The key under which a block is remembered; undefined for blocks without identity. */
export function blockKey(block: Json): string | undefined {
  if (typeof block['id'] === 'string') return block['id'];
  const type = String(block['type']);
  if (type !== 'tool_result' && type.endsWith('_tool_result')) return `result:${String(block['tool_use_id'])}`;
  return undefined;
}

// --- Signatures ------------------------------------------------------------------------------------------------------

export interface Signed {
  readonly model: string;
  /** Chain hash of everything before the block. */
  readonly before: string;
  /** Hash of the thinking text; of the empty text for an omitted one. */
  readonly text: string;
}

// Not a secret: it tells our own signatures from made-up ones and nothing else.
const signingKey = 'simulated-thinking';

/** Makes the signature of a thinking block (or the `data` of a redacted one). */
export function sign(model: string, before: string, thinking: string): string {
  const payload = Buffer.from(
    JSON.stringify({ model, before, text: hash(thinking) } satisfies Signed),
    'utf8',
  ).toString('base64url');
  return `sim1.${payload}.${mac(payload)}`;
}

/** Undefined when no simulator made it. */
export function readSignature(signature: string): Signed | undefined {
  const [scheme, payload, proof] = signature.split('.');
  if (scheme !== 'sim1' || !payload || proof !== mac(payload)) return undefined;
  const parsed: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  return isObject(parsed) ? (parsed as unknown as Signed) : undefined;
}

function mac(payload: string): string {
  return createHmac('sha256', signingKey).update(payload).digest('base64url').slice(0, 22);
}
