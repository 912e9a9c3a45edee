import type { SourceView, TextRow, ThinkingRow, UserRow } from '../../src/protocol/rows.ts';
import { Icon, IconButton } from '../icon.tsx';
import { SentFiles } from '../inputs.tsx';
import { LongText } from '../longText.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { useServices } from '../services.ts';
import { label } from '../visible.ts';
import { SafeLink } from './toolBodyView.tsx';

export function UserView({ row }: { readonly row: UserRow }) {
  return (
    <>
      <h2 class="row-heading">{useServices().strings.you}</h2>
      <div class="user-text" dir="auto">
        <LongText text={row.text} />
        <SentFiles files={row.files} />
      </div>
    </>
  );
}

export function TextView({ row }: { readonly row: TextRow }) {
  const { strings, post } = useServices();
  return (
    <>
      {row.first && (
        <div class="row-head">
          <h2 class="row-heading">
            {strings.claude}
            {row.model && <span class="row-model"> · {label(row.model)}</span>}
          </h2>
          {!row.streaming && (
            <IconButton
              icon="inspect"
              label={strings.inspectRequest}
              class="row-action"
              onClick={() => post({ type: 'request/inspect', row: row.id })}
            />
          )}
        </div>
      )}
      <Markdown text={row.text} streaming={row.streaming} />
      {row.sources && <Sources sources={row.sources} />}
      {row.notSent && <NotSent />}
    </>
  );
}

/** What the text cites, by the numbers of its marks. */
function Sources({ sources }: { readonly sources: readonly SourceView[] }) {
  const { strings } = useServices();
  return (
    <ol class="sources" aria-label={strings.sources}>
      {sources.map(({ number, title, url, cited }) => (
        <li key={number} value={number}>
          <SafeLink title={title} url={url ?? ''} hint={cited} />
        </li>
      ))}
    </ol>
  );
}

export function ThinkingView({ row }: { readonly row: ThinkingRow }) {
  const { strings } = useServices();
  return (
    <details class="thinking">
      <summary>
        <Icon name={row.streaming ? 'loading' : 'lightbulb'} spin={row.streaming} />
        {row.streaming ? strings.thinkingNow : strings.thinking}
      </summary>
      <div class="thinking-text" dir="auto">
        <LongText text={row.text} />
      </div>
    </details>
  );
}

/** Marks what is shown but is no part of the conversation any more. */
export function NotSent() {
  return (
    <p class="not-sent">
      <Icon name="eye-closed" /> {useServices().strings.notSent}
    </p>
  );
}
