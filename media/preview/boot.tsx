import { render } from 'preact';
import type { FromPreview, PreviewStrings, ToPreview } from '../../src/protocol/preview.ts';
import { App, type Shown } from './app.tsx';
import { PageProvider, type Page } from './page.ts';
import { createHostSource } from './source.ts';

/** What `acquireVsCodeApi()` returns, as far as it is used. */
export interface Host {
  postMessage(message: unknown): void;
}

/** Starts the preview in `window`: it says that it is there, and draws the file that the host names. */
export function bootPreview(window: Window & typeof globalThis, strings: PreviewStrings, host: Host): void {
  const { document } = window;
  const post = (message: FromPreview): void => host.postMessage(message);
  const page: Page = { strings, language: document.documentElement.lang || 'en', post };
  const source = createHostSource(post);
  const root = document.getElementById('root') ?? document.body;
  const draw = (shown: Shown): void =>
    render(
      <PageProvider value={page}>
        <App shown={shown} />
      </PageProvider>,
      root,
    );
  const log = (error: unknown): void =>
    post({ type: 'log', text: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  window.addEventListener('error', (event) => log(event.error ?? event.message));
  window.addEventListener('unhandledrejection', (event) => log(event.reason));
  window.addEventListener('message', ({ data }: MessageEvent<ToPreview>) => {
    switch (data.type) {
      case 'bytes':
        return source.receive(data);
      case 'missing':
        return draw({ state: 'missing' });
      case 'file':
        draw({ state: 'file', file: data.file, source: source.open(data.file.size) });
        document.documentElement.dataset['ready'] = 'true';
        return;
    }
  });
  draw({ state: 'loading' });
  post({ type: 'ready' });
}
