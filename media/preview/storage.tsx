import { render } from 'preact';
import { fileSize } from '../../src/core/base/fileSize.ts';
import { format } from '../../src/protocol/format.ts';
import type {
  FromStorage,
  SessionStorage,
  StorageReport,
  StorageStrings,
  ToStorage,
} from '../../src/protocol/storage.ts';
import { number } from '../format.ts';
import { label } from '../visible.ts';

interface Page {
  readonly strings: StorageStrings;
  /** BCP 47. */
  readonly language: string;
  post(message: FromStorage): void;
}

/** Starts the storage page in `window`. */
export function bootStorage(window: Window & typeof globalThis, strings: StorageStrings, host: HostOfStorage): void {
  const { document } = window;
  const post = (message: FromStorage): void => host.postMessage(message);
  const page: Page = { strings, language: document.documentElement.lang || 'en', post };
  const root = document.getElementById('root') ?? document.body;
  let report: StorageReport | undefined;
  let said = '';
  window.addEventListener('message', ({ data }: MessageEvent<ToStorage>) => {
    if (data.type === 'report') report = data.report;
    else said = data.text;
    if (report) render(<Storage page={page} report={report} said={said} />, root);
    document.documentElement.dataset['ready'] = 'true';
  });
  post({ type: 'ready' });
}

export interface HostOfStorage {
  postMessage(message: unknown): void;
}

interface StorageProps {
  readonly page: Page;
  readonly report: StorageReport;
  readonly said: string;
}

/** What is on disk, which session has it, and what can be done about it. */
function Storage({ page, report, said }: StorageProps) {
  const { strings, language, post } = page;
  const size = (bytes: number): string => fileSize(bytes, language);
  const { used, quota, retentionDays, unused, sessions } = report;
  return (
    <main class="storage">
      <h1>{strings.title}</h1>
      <p>{quota > 0 ? format(strings.usedOf, size(used), size(quota)) : format(strings.used, size(used))}</p>
      {quota > 0 && <meter class="storage-meter" aria-label={strings.title} min={0} max={quota} value={used} />}
      <p>{retentionDays > 0 ? format(strings.keptDays, number(retentionDays, language)) : strings.kept}</p>
      {unused > 0 && <p>{format(strings.unused, size(unused))}</p>}
      <p class="preview-actions">
        <button type="button" class="button" onClick={() => post({ type: 'clean' })}>
          {strings.clean}
        </button>
        <button type="button" class="button button-secondary" onClick={() => post({ type: 'settings' })}>
          {strings.settings}
        </button>
        <span role="status">{said}</span>
      </p>
      {sessions.length === 0 ? <p>{strings.none}</p> : <Sessions page={page} sessions={sessions} />}
    </main>
  );
}

function Sessions({ page, sessions }: { readonly page: Page; readonly sessions: readonly SessionStorage[] }) {
  const { strings, language, post } = page;
  return (
    <>
      <table class="storage-table">
        <thead>
          <tr>
            {[strings.session, strings.files, strings.size, strings.pinned].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {sessions.map(({ id, title, files, bytes, pinned }) => (
            <tr key={id}>
              <th scope="row">
                <bdi>{label(title)}</bdi>
              </th>
              <td>{number(files, language)}</td>
              <td>{fileSize(bytes, language)}</td>
              <td>{pinned > 0 ? fileSize(pinned, language) : ''}</td>
              <td>
                {files > 0 && (
                  <button
                    type="button"
                    class="button button-secondary"
                    aria-label={`${strings.deleteFiles}: ${label(title)}`}
                    onClick={() => post({ type: 'deleteSession', id })}
                  >
                    {strings.deleteFiles}
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="preview-note">{strings.pinnedNote}</p>
    </>
  );
}
