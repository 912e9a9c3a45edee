import type { ItemChange, ItemRef, LogEntry } from './entries.ts';

/** What Claude reads where the user removed an item. */
export const REMOVED_ITEM = '[The user removed this item from the conversation.]';

/** What became of items of the log, decided once and for ever. Later decisions about the same item replace earlier ones. */
export interface Repairs {
  /** How many decisions there are; two conversations of one log with the same number have the same ones. */
  readonly count: number;
  of(ref: ItemRef): ItemChange | undefined;
}

/**
 * Where blocks come from. It tells nothing that the log does not, so it is kept beside the blocks: they go to the API as
 * they are.
 */
const origins = new WeakMap<object, ItemRef>();

/** Notes where a block is in the log; returns the block. */
export function cameFrom<T extends object>(block: T, ref: ItemRef | undefined): T {
  if (ref !== undefined) origins.set(block, ref);
  return block;
}

/** Where a block, or the copy of one that goes into a request, is in the log; undefined for what the projection made up. */
export function originOf(block: object): ItemRef | undefined {
  return origins.get(block);
}

/** Entries with a list of blocks that goes into requests. */
const LISTS = new Set<LogEntry['type']>(['userMessage', 'contextNoted', 'inputsSent', 'toolFinished']);

/** Notes the origin of every block that an entry holds. */
export function noteOrigins(entry: LogEntry): void {
  if (entry.type === 'assistantBlock') cameFrom(entry.block, { entry: entry.id });
  if (!LISTS.has(entry.type) || !('content' in entry)) return;
  if (!Array.isArray(entry.content)) return;
  (entry.content as readonly unknown[]).forEach((block, index) => {
    if (typeof block === 'object' && block !== null) cameFrom(block, { entry: entry.id, block: index });
  });
}

/** The same for the same item of one log. */
export function keyOf({ entry, block }: ItemRef): string {
  return `${entry}#${block === undefined ? '' : String(block)}`;
}

/** A block as its repair leaves it; undefined when the repair takes it out. */
export function mended<T extends { readonly type: string }>(block: T, repairs: Repairs): T | undefined {
  if (repairs.count === 0) return block;
  const ref = originOf(block);
  const change = ref === undefined ? undefined : repairs.of(ref);
  if (change === undefined) return block;
  switch (change.kind) {
    case 'drop':
      return undefined;
    case 'remove':
      // Nothing of ours belongs into an answer of Claude's.
      return ref?.block === undefined ? undefined : (noteFor(REMOVED_ITEM, ref) as T);
    case 'replace':
      return noteFor(change.text, ref) as T;
    case 'fileId':
      return cameFrom(withFileId(block, change.fileId), ref);
    case 'mediaType': {
      const { source } = block as unknown as { readonly source?: object };
      return cameFrom({ ...block, source: { ...source, media_type: change.mediaType } }, ref);
    }
  }
}

/** A `container_upload` has the id itself, an image or a document in its source. */
function withFileId<T extends object>(block: T, fileId: string): T {
  if ('file_id' in block) return { ...block, file_id: fileId };
  const { source } = block as unknown as { readonly source?: object };
  return { ...block, source: { ...source, file_id: fileId } };
}

/** Every list that a block can stand in takes a text, too. */
function noteFor(text: string, ref: ItemRef | undefined): object {
  return cameFrom({ type: 'text', text }, ref);
}
