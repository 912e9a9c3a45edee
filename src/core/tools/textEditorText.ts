import type { PathFacts } from '../approval/effects.ts';
import { cutText, toWellFormed } from '../base/text.ts';
import { CancelledError, ToolError } from '../errors.ts';
import type { EditPort } from '../ports.ts';

export type ResolvedPath = Awaited<ReturnType<EditPort['resolve']>>;

export const NOT_FOUND = 'Error: File not found';

/** A path for a card: one line, and nothing in it that isn't seen (control and direction characters). */
export function showPath(path: string): string {
  const visible = toWellFormed(path).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (unit) => `\\u{${(unit.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return visible.length > 200 ? `…${visible.slice(-199)}` : visible;
}

/** How the model is told about a path: never by a place outside the roots that it did not name itself. */
export function pathForModel(path: PathFacts): string {
  return path.inside ? path.display : path.given;
}

export function factsOf({ given, display, canonical, inside, segments, exists }: ResolvedPath): PathFacts {
  return { given, display, canonical, inside, segments, exists };
}

/** `12: text` for each line; `first` is the number of the first. */
export function numberLines(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${String(first + index)}: ${line}`).join('\n');
}

/** Cuts a text for the model at whole lines where it can. */
export function cutForModel(text: string, max: number): string {
  if (text.length <= max) return toWellFormed(text);
  const head = cutText(text, max);
  const end = head.lastIndexOf('\n');
  return `${toWellFormed(end > 0 ? head.slice(0, end) : head)}\n[…]`;
}

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new CancelledError();
}

/** Refuses what an edit or a view of a text can't be about. */
export function requireFile(path: ResolvedPath): void {
  if (path.type === 'missing') throw new ToolError(NOT_FOUND);
  if (path.type === 'directory') {
    throw new ToolError(`Error: ${pathForModel(path)} is a directory. Only \`view\` takes a directory.`);
  }
  if (path.type === 'other') throw new ToolError(`Error: ${pathForModel(path)} is not a regular file.`);
}

/** Human size: `5.5 KB`. */
export function showSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? String(value) : value.toFixed(1).replace(/\.0$/, '')} ${units[unit] as string}`;
}
