import { useEffect } from 'preact/hooks';
import type { InputUse, InputView, SentFileView } from '../src/protocol/inputs.ts';
import { format } from '../src/protocol/format.ts';
import type { WebviewStrings } from '../src/protocol/strings.ts';
import { fileSize } from '../src/core/base/fileSize.ts';
import { Icon, IconButton } from './icon.tsx';
import { useServices } from './services.ts';
import { label } from './visible.ts';

/** The files that go with the next message: what, how big, and where to. Nothing of them has been sent. */
export function Inputs({ inputs }: { readonly inputs: readonly InputView[] }) {
  const { strings } = useServices();
  if (inputs.length === 0) return null;
  return (
    <ul class="chips" aria-label={strings.attached}>
      {inputs.map((input) => (
        <Chip key={input.id} input={input} />
      ))}
    </ul>
  );
}

function Chip({ input: { id, name, path, size, use, uses, caution } }: { readonly input: InputView }) {
  const { strings, language, post } = useServices();
  const shown = label(name);
  const warning = caution && cautionOf(caution, strings);
  const choose = (event: { currentTarget: HTMLSelectElement }): void =>
    post({ type: 'input/use', id, use: event.currentTarget.value as InputUse });
  return (
    <li class="chip" title={[label(path), warning].filter(Boolean).join('\n')}>
      <Icon name={warning ? 'warning' : icons[use]} />
      {warning && <span class="visually-hidden">{warning}</span>}
      <bdi class="chip-name">{shown}</bdi>
      <span class="chip-size">{fileSize(size, language)}</span>
      {uses.length > 1 ? (
        <select class="chip-use" value={use} aria-label={format(strings.inputUseOf, shown)} onChange={choose}>
          {uses.map((each) => (
            <option key={each} value={each}>
              {nameOf(each, strings)}
            </option>
          ))}
        </select>
      ) : (
        <span class="chip-size">{nameOf(use, strings)}</span>
      )}
      <IconButton
        icon="close"
        label={format(strings.removeInput, shown)}
        onClick={() => post({ type: 'input/remove', id })}
      />
    </li>
  );
}

/** The files that went with a message. */
export function SentFiles({ files }: { readonly files: readonly SentFileView[] | undefined }) {
  const { strings, language } = useServices();
  if (!files) return null;
  return (
    <ul class="chips" aria-label={strings.sentFiles}>
      {files.map(({ name, size, use }, index) => (
        <li key={index} class="chip">
          <Icon name={icons[use]} />
          <bdi class="chip-name">{label(name)}</bdi>
          <span class="chip-size">
            {fileSize(size, language)} · {nameOf(use, strings)}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Files that are dropped anywhere onto the view. */
export function useDrop(): void {
  const { post, drops } = useServices();
  useEffect(() => {
    const over = (event: DragEvent): void => event.preventDefault();
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      const uris = urisOf(event.dataTransfer);
      if (uris.length > 0) post({ type: 'input/drop', uris });
      else if (event.dataTransfer?.files.length) drops.take(event.dataTransfer.files);
    };
    document.addEventListener('dragover', over);
    document.addEventListener('drop', drop);
    return () => {
      document.removeEventListener('dragover', over);
      document.removeEventListener('drop', drop);
    };
  }, []);
}

/** RFC 2483: a URI in each line, or a comment. */
function urisOf(data: DataTransfer | null): string[] {
  const text = data?.getData('application/vnd.code.uri-list') || data?.getData('text/uri-list') || '';
  return text.split(/[\r\n]+/).filter((line) => /^[a-z][a-z0-9+.-]*:/i.test(line));
}

const icons: Readonly<Record<InputUse, string>> = {
  image: 'file-media',
  document: 'file-pdf',
  text: 'file-text',
  container: 'server-environment',
};

function cautionOf(caution: NonNullable<InputView['caution']>, strings: WebviewStrings): string {
  if (caution === 'noSandbox') return strings.cautionNoSandbox;
  return caution === 'secret' ? strings.cautionSecret : strings.cautionIgnored;
}

function nameOf(use: InputUse, strings: WebviewStrings): string {
  return use === 'container' ? strings.useContainer : strings.useMessage;
}
