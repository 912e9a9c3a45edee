import { useEffect, useRef, useState } from 'preact/hooks';
import type { PreviewFile } from '../../src/protocol/preview.ts';
import { format } from '../../src/protocol/format.ts';
import { label } from '../visible.ts';
import { usePage } from './page.ts';
import type { ByteSource } from './source.ts';
import { Failure } from './tablePreview.tsx';
import { useLoaded } from './useLoaded.ts';

/** Larger ones take the page's memory, whatever their dimensions: bytes. */
const MOST_BYTES = 50 * 1024 * 1024;

/** A picture under the type that its bytes have, as large as it fits or pixel by pixel. */
export function ImagePreview({ file, source }: { readonly file: PreviewFile; readonly source: ByteSource }) {
  const { strings } = usePage();
  const refused = file.safe !== true || file.imageType === undefined || file.size > MOST_BYTES;
  if (refused) return <p class="preview-note">{strings.imageTooLarge}</p>;
  return <Picture file={file} source={source} />;
}

function Picture({ file, source }: { readonly file: PreviewFile; readonly source: ByteSource }) {
  const { strings } = usePage();
  const [full, setFull] = useState(false);
  const [said, setSaid] = useState('');
  const picture = useRef<HTMLImageElement>(null);
  const address = useLoaded(async () => {
    const bytes = await source.read(0, file.size);
    return URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: file.imageType ?? '' }));
  }, [source]);
  const url = address.state === 'ready' ? address.value : undefined;
  useEffect(
    () => () => {
      if (url !== undefined) URL.revokeObjectURL(url);
    },
    [url],
  );
  if (address.state === 'failed') return <Failure error={address.error} />;
  if (url === undefined) return <p class="preview-note">{strings.loading}</p>;
  const copy = (): void => {
    copyPicture(picture.current).then(
      () => setSaid(strings.copied),
      () => setSaid(strings.notCopied),
    );
  };
  return (
    <>
      <div class="preview-tools">
        <button type="button" class="button button-secondary" aria-pressed={full} onClick={() => setFull(!full)}>
          {full ? strings.fit : strings.fullSize}
        </button>
        <button type="button" class="button button-secondary" onClick={copy}>
          {strings.copyImage}
        </button>
        <span role="status">{said}</span>
      </div>
      <div class={`preview-image ${full ? 'preview-image-full' : ''}`} tabIndex={0}>
        <img ref={picture} src={url} alt={format(strings.imageOf, label(file.name))} />
      </div>
    </>
  );
}

/** As PNG, which is the one type that clipboards take. */
async function copyPicture(picture: HTMLImageElement | null): Promise<void> {
  if (!picture) throw new Error('No picture');
  const canvas = document.createElement('canvas');
  canvas.width = picture.naturalWidth;
  canvas.height = picture.naturalHeight;
  canvas.getContext('2d')?.drawImage(picture, 0, 0);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!blob) throw new Error('No copy');
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })]);
}
