import * as l10n from '@vscode/l10n';
import { cutText, toWellFormed } from '../base/text.ts';
import { splitLines } from '../edit/lineEnds.ts';
import { ToolError } from '../errors.ts';
import type { DirectoryEntry, EditPort } from '../ports.ts';
import type { PathFacts } from '../approval/effects.ts';
import type { ViewInput } from './textEditorInput.ts';
import {
  factsOf,
  NOT_FOUND,
  pathForModel,
  requireFile,
  showPath,
  showSize,
  throwIfAborted,
  type ResolvedPath,
} from './textEditorText.ts';
import type { PreparedCall, ToolOutcome } from './tool.ts';

/** Larger files are read in parts by `bash`; nothing would be gained by loading them whole to show a cut. */
const MAX_VIEW_BYTES = 10_000_000;
const MAX_LISTED = 1000;
/** What the card keeps of a view; the model's result has all of it. */
const MAX_CARD = 4000;

interface ViewOptions {
  readonly signal: AbortSignal;
  readonly maxCharacters: number;
}

export async function prepareView(port: EditPort, input: ViewInput, options: ViewOptions): Promise<PreparedCall> {
  const path = await port.resolve(input.path);
  throwIfAborted(options.signal);
  checkView(path, input);
  const facts = factsOf(path);
  const range = input.view_range;
  const title = range
    ? l10n.t('Read {0} {1}', showPath(path.display), showRange(range))
    : l10n.t('Read {0}', showPath(path.display));
  return {
    title,
    effects: [{ kind: 'read', path: facts }],
    preview: { kind: 'none' },
    async invoke({ signal }) {
      throwIfAborted(signal);
      const text =
        path.type === 'directory'
          ? await listDirectory(port, facts, signal)
          : await viewFile(port, facts, range, options.maxCharacters);
      throwIfAborted(signal);
      return shown(text);
    },
  };
}

function shown(text: string): ToolOutcome {
  const card = text.length > MAX_CARD ? `${cutText(text, MAX_CARD)}\n…` : text;
  return { content: text, isError: false, body: { kind: 'text', text: card } };
}

function showRange([start, end]: readonly [number, number]): string {
  return end === -1 ? `${String(start)}–` : `${String(start)}–${String(end)}`;
}

function checkView(path: ResolvedPath, { view_range: range }: ViewInput): void {
  if (path.type === 'missing') throw new ToolError(NOT_FOUND);
  if (path.type === 'directory') {
    if (range) throw new ToolError('Error: The `view_range` parameter is not allowed when `path` is a directory.');
    return;
  }
  requireFile(path);
  if (range) checkRange(range);
  if (/\.(png|jpe?g|gif|webp|bmp|ico|tiff?|avif|heic)$/i.test(path.canonical)) {
    throw new ToolError(`Error: ${pathForModel(path)} is an image. This tool shows text only.`);
  }
  if (path.size > MAX_VIEW_BYTES) throw new ToolError(tooLarge(path));
}

function tooLarge(path: ResolvedPath): string {
  return (
    `Error: ${pathForModel(path)} has ${showSize(path.size)}; files over ${showSize(MAX_VIEW_BYTES)} are not shown. ` +
    'Read a part of it with bash, for example `sed -n 1,200p FILE` or `head -c 20000 FILE`.'
  );
}

function checkRange([start, end]: readonly [number, number]): void {
  const shownRange = `[${String(start)}, ${String(end)}]`;
  if (start < 1) {
    throw new ToolError(`Error: Invalid \`view_range\` parameter: ${shownRange}. Lines are counted from 1.`);
  }
  if (end !== -1 && end < start) {
    throw new ToolError(
      `Error: Invalid \`view_range\` parameter: ${shownRange}. The end must be -1 or not smaller than the start.`,
    );
  }
}

async function viewFile(
  port: EditPort,
  path: PathFacts,
  range: readonly [number, number] | undefined,
  maxCharacters: number,
): Promise<string> {
  const { text, dirty } = await port.readText(path, MAX_VIEW_BYTES);
  const lines = splitLines(text);
  const notes = dirty ? ['[The file has unsaved changes in the editor; this is the text with them.]'] : [];
  if (lines.length === 0 && !range) return [`The file ${pathForModel(path)} is empty.`, ...notes].join('\n');
  const start = range?.[0] ?? 1;
  if (start > Math.max(lines.length, 1)) {
    throw new ToolError(
      `Error: Invalid \`view_range\` parameter: [${String(start)}, ${String(range?.[1])}]. The file has ${String(lines.length)} lines.`,
    );
  }
  const wanted = range && range[1] !== -1 ? Math.min(range[1], lines.length) : lines.length;
  return [...numbered(lines, { start, end: wanted, maxCharacters }), ...notes].join('\n');
}

/** The numbered lines as far as they fit, and a note on how to go on where they don't. */
function numbered(
  lines: readonly string[],
  { start, end, maxCharacters }: { start: number; end: number; maxCharacters: number },
): string[] {
  const out: string[] = [];
  let used = 0;
  for (let line = start; line <= end; line++) {
    const text = `${String(line)}: ${toWellFormed(lines[line - 1] ?? '')}`;
    if (used + text.length <= maxCharacters) {
      out.push(text);
      used += text.length + 1;
      continue;
    }
    if (out.length > 0) return [...out, pageNote(line, lines.length, start, maxCharacters)];
    const cut = `[Line ${String(line)} has ${String(text.length)} characters and was cut at ${String(maxCharacters)}. Read the rest with bash, for example with \`cut -c\`.]`;
    out.push(cutText(text, maxCharacters), cut);
    return line < end ? [...out, pageNote(line + 1, lines.length, start, maxCharacters)] : out;
  }
  return out;
}

function pageNote(next: number, total: number, start: number, maxCharacters: number): string {
  return (
    `[Truncated at ${String(maxCharacters)} characters: lines ${String(start)}-${String(next - 1)} of ${String(total)} are shown. ` +
    `Continue with \`view_range\` [${String(next)}, -1].]`
  );
}

async function listDirectory(port: EditPort, path: PathFacts, signal: AbortSignal): Promise<string> {
  const name = pathForModel(path);
  const lines: string[] = [];
  let left = 0;
  const add = (line: string) => {
    if (lines.length < MAX_LISTED) lines.push(line);
    else left++;
  };
  for (const entry of visible(await port.list(path))) {
    throwIfAborted(signal);
    add(entryLine('', entry));
    if (entry.kind !== 'directory' || lines.length >= MAX_LISTED) continue;
    for (const child of visible(await listChild(port, path, entry.name))) add(entryLine(`${entry.name}/`, child));
  }
  const head = `Here're the files and directories up to 2 levels deep in ${name}, excluding hidden items and node_modules:`;
  if (lines.length === 0) return `${head}\n(none)`;
  return [head, ...lines, ...(left > 0 ? [`[${String(left)} more entries are not listed.]`] : [])].join('\n');
}

/** A directory that can't be read does not spoil the listing of its parent. */
async function listChild(port: EditPort, parent: PathFacts, name: string): Promise<readonly DirectoryEntry[]> {
  try {
    const child = await port.resolve(`${parent.canonical.replace(/[/\\]$/, '')}/${name}`);
    return child.type === 'directory' && child.inside === parent.inside ? await port.list(factsOf(child)) : [];
  } catch (error) {
    if (error instanceof ToolError) return [];
    throw error;
  }
}

function visible(entries: readonly DirectoryEntry[]): DirectoryEntry[] {
  return entries
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function entryLine(prefix: string, { name, kind, size }: DirectoryEntry): string {
  const shownName = prefix + showPath(name);
  if (kind === 'directory') return `${shownName}/`;
  if (kind === 'file') return `${shownName}\t${showSize(size)}`;
  return `${shownName}\t(${kind === 'link' ? 'symbolic link' : 'special file'})`;
}
