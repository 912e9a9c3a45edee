import { fileSize } from '../../src/core/base/fileSize.ts';
import type { PreviewAction, PreviewCredentials, PreviewFile } from '../../src/protocol/preview.ts';
import { format } from '../../src/protocol/format.ts';
import { label } from '../visible.ts';
import { ImagePreview } from './imagePreview.tsx';
import { MarkdownPreview } from './markdownPreview.tsx';
import { usePage } from './page.ts';
import type { ByteSource } from './source.ts';
import { TablePreview } from './tablePreview.tsx';

export type Shown =
  | { readonly state: 'loading' }
  | { readonly state: 'missing' }
  | { readonly state: 'file'; readonly file: PreviewFile; readonly source: ByteSource };

/** One file: what it is, what can be done with it, and what it looks like. */
export function App({ shown }: { readonly shown: Shown }) {
  const { strings } = usePage();
  if (shown.state === 'loading') return <p class="preview-note">{strings.loading}</p>;
  if (shown.state === 'missing') return <p class="preview-note">{strings.missing}</p>;
  const { file, source } = shown;
  return (
    <main class="preview">
      <Bar file={file} />
      <Content file={file} source={source} />
    </main>
  );
}

function Bar({ file }: { readonly file: PreviewFile }) {
  const { strings, language, post } = usePage();
  const { pixels } = file;
  const facts = [
    fileSize(file.size, language),
    pixels && format(strings.pixels, String(pixels.width), String(pixels.height)),
  ];
  const act = (action: PreviewAction) => () => post({ type: 'act', action });
  return (
    <header class="preview-bar">
      <h1 class="preview-name">
        <bdi>{label(file.name)}</bdi>
      </h1>
      <span class="preview-facts">{facts.filter(Boolean).join(' · ')}</span>
      {file.credentials && <Credentials credentials={file.credentials} />}
      <span class="preview-actions">
        <button type="button" class="button button-secondary" onClick={act('saveAs')}>
          {strings.saveAs}
        </button>
        <button type="button" class="button button-secondary" onClick={act('addToWorkspace')}>
          {strings.addToWorkspace}
        </button>
      </span>
    </header>
  );
}

/** What the file claims. Nobody has checked it, and it says so. */
function Credentials({ credentials: { issuer, at } }: { readonly credentials: PreviewCredentials }) {
  const { strings, language } = usePage();
  const parts = [
    strings.credentials,
    issuer && format(strings.credentialsBy, label(issuer)),
    at && format(strings.credentialsAt, new Date(at).toLocaleString(language)),
  ];
  return (
    <span class="preview-credentials" title={strings.credentialsNote}>
      {parts.filter(Boolean).join(' · ')}
    </span>
  );
}

function Content({ file, source }: { readonly file: PreviewFile; readonly source: ByteSource }) {
  const { strings, post } = usePage();
  switch (file.kind) {
    case 'image':
      return <ImagePreview file={file} source={source} />;
    case 'markdown':
      return <MarkdownPreview file={file} source={source} />;
    case 'csv':
    case 'parquet':
    case 'xlsx':
      return <TablePreview file={file} source={source} />;
    default:
      return (
        <div class="preview-note">
          <p>{file.kind === 'pdf' ? strings.pdf : strings.noPreview}</p>
          <p class="preview-actions">
            {file.kind === 'pdf' && (
              <button type="button" class="button" onClick={() => post({ type: 'act', action: 'openOutside' })}>
                {strings.openOutside}
              </button>
            )}
            <button
              type="button"
              class="button button-secondary"
              onClick={() => post({ type: 'act', action: 'reveal' })}
            >
              {strings.reveal}
            </button>
          </p>
        </div>
      );
  }
}
