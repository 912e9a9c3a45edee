import * as l10n from '@vscode/l10n';
import type { InputUse, InputView } from '../../protocol/inputs.ts';
import { UserError } from '../errors.ts';
import type { LocalFile } from '../inputPort.ts';
import type { Ids } from '../ports.ts';

/** A file that is to go with a message: one of this computer, or one of the attachment store. */
export type InputFile = Pick<LocalFile, 'name' | 'path' | 'size' | 'mimeType' | 'content' | 'caution'> & {
  readonly from: { readonly local: LocalFile } | { readonly hash: string };
};

export interface ChosenFile {
  readonly id: string;
  readonly file: InputFile;
  readonly use: InputUse;
}

/** The files that go with the next message. */
export interface Tray {
  /** Takes a file, unless it is there already. Throws `UserError` for one that is too large. */
  add(file: InputFile, use?: InputUse): void;
  /** Ignores ids that are not known and uses that the file does not have. */
  setUse(id: string, use: InputUse): void;
  remove(id: string): void;
  /** Hands the files over; there are none left. */
  take(): readonly ChosenFile[];
  giveBack(files: readonly ChosenFile[]): void;
  chosen(): readonly ChosenFile[];
  view(): readonly InputView[];
}

const MB = 1024 * 1024;
/** The Files API takes no more. */
const MOST_BYTES = 500 * MB;
/** Base64 makes four of three, and an image may have 5 MB of it (Messages API, "Vision"). */
const MOST_IMAGE_BYTES = 3.75 * MB;
/** A request has 32 MB, and a PDF in it is base64 where it was not uploaded. */
const MOST_PDF_BYTES = 32 * MB;
/** Larger texts fill the context window. */
const MOST_TEXT_BYTES = 512 * 1024;
/** What is read by programs rather than by people is better off in the container, and so is what is long. */
const USUAL_TEXT_BYTES = 64 * 1024;
const DATA_TYPES = new Set(['text/csv', 'text/tab-separated-values']);

export function createTray(ids: Pick<Ids, 'random'>, changed: () => void): Tray {
  let files: readonly ChosenFile[] = [];
  const change = (next: readonly ChosenFile[]): void => {
    files = next;
    changed();
  };
  return {
    add(file, use) {
      const chosen = choose(ids, file, use);
      if (!files.some((known) => sameFile(known.file, file))) change([...files, chosen]);
    },
    setUse(id, use) {
      change(files.map((known) => (known.id === id && usesOf(known.file).includes(use) ? { ...known, use } : known)));
    },
    remove: (id) => change(files.filter((known) => known.id !== id)),
    take() {
      const taken = files;
      if (taken.length > 0) change([]);
      return taken;
    },
    giveBack: (back) => change([...back, ...files]),
    chosen: () => files,
    view: () => files.map(viewOf),
  };
}

/** A file with what it is sent as: `use` where that can be, else the usual way. Throws `UserError` for one that is too large. */
export function choose(ids: Pick<Ids, 'random'>, file: InputFile, use: InputUse | undefined): ChosenFile {
  if (file.size > MOST_BYTES)
    throw new UserError(l10n.t('{0} is larger than the 500 MB that the Files API takes.', file.name));
  const uses = usesOf(file);
  const [usual = 'container'] = uses;
  return { id: ids.random(), file, use: use !== undefined && uses.includes(use) ? use : usual };
}

/** What a file can be sent as, the usual way first. */
export function usesOf({ content, size, mimeType }: Pick<InputFile, 'content' | 'size' | 'mimeType'>): InputUse[] {
  if (content === 'image' && size <= MOST_IMAGE_BYTES) return ['image', 'container'];
  if (content === 'pdf' && size <= MOST_PDF_BYTES) return ['document', 'container'];
  if (content !== 'text' || size === 0 || size > MOST_TEXT_BYTES) return ['container'];
  const isData = size > USUAL_TEXT_BYTES || DATA_TYPES.has(mimeType);
  return isData ? ['container', 'text'] : ['text', 'container'];
}

function viewOf({ id, file, use }: ChosenFile): InputView {
  const { name, path, size, caution } = file;
  const view = { id, name, path, size, use, uses: usesOf(file) };
  return caution === undefined ? view : { ...view, caution };
}

function sameFile(a: InputFile, b: InputFile): boolean {
  if ('hash' in a.from || 'hash' in b.from)
    return 'hash' in a.from && 'hash' in b.from && a.from.hash === b.from.hash && a.name === b.name;
  return a.from.local.uri === b.from.local.uri && a.from.local.stamp === b.from.local.stamp;
}
