import { UserError } from '../../src/core/errors.ts';
import type { InputPort, LocalFile, UploadKey } from '../../src/core/inputPort.ts';
import type { InputFile } from '../../src/core/agent/tray.ts';
import type { FakeAttachments } from './fakes.ts';

export interface FakeInputs extends InputPort {
  /** By URI. */
  readonly texts: Map<string, string>;
  readonly known: Map<string, string>;
  /** A file to attach, with this text. */
  file(name: string, text: string, fields?: Partial<LocalFile>): InputFile;
}

/** Files of a computer that is in memory. */
export function fakeInputs(attachments: FakeAttachments): FakeInputs {
  const inputs: FakeInputs = {
    texts: new Map(),
    known: new Map(),
    file(name, text, fields = {}) {
      const uri = `file:///w/${name}`;
      inputs.texts.set(uri, text);
      const size = Buffer.byteLength(text);
      const base = { uri, path: name, name, size, mimeType: 'text/csv', content: 'text', stamp: text } as const;
      const local: LocalFile = { ...base, ...fields };
      return { ...local, from: { local } };
    },
    look: (uri) => Promise.resolve(inputs.file(uri.split('/').at(-1) ?? '', inputs.texts.get(uri) ?? '')).then(localOf),
    async *read(file) {
      const text = inputs.texts.get(file.uri) ?? '';
      if (text !== file.stamp) throw new UserError(`${file.name} changed.`);
      for (let at = 0; at < text.length; at += 5) yield await Promise.resolve(Buffer.from(text.slice(at, at + 5)));
    },
    async *readStored({ hash }) {
      yield await Promise.resolve(attachments.blobs.get(hash) ?? new Uint8Array());
    },
    knownUpload: (key) => Promise.resolve(inputs.known.get(nameOf(key))),
    noteUpload: (key, id) => Promise.resolve(void inputs.known.set(nameOf(key), id)),
  };
  return inputs;
}

function localOf({ from }: InputFile): LocalFile {
  if ('local' in from) return from.local;
  throw new Error('not a local file');
}

function nameOf({ baseUrl, hash, name }: UploadKey): string {
  return `${baseUrl} ${hash} ${name}`;
}
