import type { AttachmentRow } from '../../src/protocol/rows.ts';
import { format } from '../../src/protocol/format.ts';
import { fileSize } from '../../src/core/base/fileSize.ts';
import { Icon } from '../icon.tsx';
import { useServices } from '../services.ts';
import { rasterImage } from '../rasterImage.ts';
import { label } from '../visible.ts';

/** A file that came back from Anthropic's container. */
export function AttachmentView({ row }: { readonly row: AttachmentRow }) {
  const { strings, language, post } = useServices();
  const name = label(row.name) || strings.unnamedFile;
  const thumbnail = row.state === 'stored' ? rasterImage(row.thumbnail) : undefined;
  const open = (): void => post({ type: 'attachment/open', fileId: row.fileId });
  return (
    <div class="attachment">
      <div class="attachment-line">
        <Icon name={iconOf(row)} />
        <span class="attachment-name" title={name}>
          <bdi>{name}</bdi>
        </span>
        {row.state === 'stored' && <span class="attachment-size">{fileSize(row.size, language)}</span>}
      </div>
      {thumbnail && (
        <button type="button" class="attachment-thumbnail" aria-label={`${strings.open}: ${name}`} onClick={open}>
          <img src={thumbnail} alt={format(strings.thumbnailOf, name)} />
        </button>
      )}
      <AttachmentState row={row} open={open} />
    </div>
  );
}

function AttachmentState({ row, open }: { readonly row: AttachmentRow; readonly open: () => void }) {
  const { strings, post } = useServices();
  const { fileId, dataFileId } = row;
  const file = label(row.name) || strings.unnamedFile;
  if (row.state === 'downloading') {
    return (
      <p class="attachment-note">
        <Icon name="loading" spin /> {strings.downloading}
      </p>
    );
  }
  if (row.state === 'failed') {
    return (
      <>
        <p class="attachment-note attachment-failure">
          <Icon name="error" />
          <span dir="auto">
            {[strings.downloadFailed, row.failure && label(row.failure)].filter(Boolean).join(': ')}
          </span>
        </p>
        <div class="attachment-actions">
          <Action file={file} text={strings.retry} run={() => post({ type: 'attachment/retry', fileId })} />
        </div>
      </>
    );
  }
  if (row.state === 'deleted' || row.state === 'gone') {
    return (
      <>
        <p class="attachment-note">{strings.fileDeleted}</p>
        {row.state === 'deleted' && (
          <div class="attachment-actions">
            <Action file={file} text={strings.downloadAgain} run={() => post({ type: 'attachment/retry', fileId })} />
          </div>
        )}
      </>
    );
  }
  return (
    <div class="attachment-actions">
      <Action file={file} text={strings.open} run={open} />
      {dataFileId && (
        <Action file={file} text={strings.openData} run={() => post({ type: 'attachment/open', fileId: dataFileId })} />
      )}
      <Action file={file} text={strings.saveAs} run={() => post({ type: 'attachment/saveAs', fileId })} />
      <Action
        file={file}
        text={strings.addToWorkspace}
        run={() => post({ type: 'attachment/addToWorkspace', fileId })}
      />
    </div>
  );
}

/** Several files stand below each other: heard on its own, a button has to say which one it is about. */
function Action({ text, file, run }: { readonly text: string; readonly file: string; readonly run: () => void }) {
  return (
    <button type="button" class="button button-secondary" aria-label={`${text}: ${file}`} onClick={run}>
      {text}
    </button>
  );
}

function iconOf({ name, mimeType }: AttachmentRow): string {
  if (mimeType.startsWith('image/')) return 'file-media';
  if (/\.(csv|tsv|xlsx?)$/i.test(name) || mimeType === 'text/csv') return 'table';
  if (/\.(zip|gz|tar|7z)$/i.test(name)) return 'file-zip';
  return 'file';
}
