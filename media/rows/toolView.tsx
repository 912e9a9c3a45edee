import { useState } from 'preact/hooks';
import type { Place, ToolRow, ToolStatus } from '../../src/protocol/rows.ts';
import type { WebviewStrings } from '../../src/protocol/strings.ts';
import { format } from '../../src/protocol/format.ts';
import { Icon } from '../icon.tsx';
import { useServices } from '../services.ts';
import { label } from '../visible.ts';
import { ApprovalBlock } from './approvalBlock.tsx';
import { NotSent } from './textViews.tsx';
import { ToolBodyView } from './toolBodyView.tsx';

/** A tool call: where it runs, what it is, how it stands; its body on demand. */
export function ToolView({ row }: { readonly row: ToolRow }) {
  const [chosen, setChosen] = useState<boolean>();
  const hasBody = row.body.kind !== 'none';
  // While a decision is asked for, what it is about stays in sight.
  const open = hasBody && (row.approval !== undefined || (chosen ?? openByItself(row)));
  return (
    <div class={`tool tool-${row.status}${row.nested ? ' tool-nested' : ''}`}>
      {hasBody ? (
        <button
          type="button"
          class="tool-head"
          aria-expanded={open}
          disabled={row.approval !== undefined}
          onClick={() => setChosen(!open)}
        >
          <Icon name={open ? 'chevron-down' : 'chevron-right'} />
          <ToolHead row={row} />
        </button>
      ) : (
        <div class="tool-head">
          <ToolHead row={row} />
        </div>
      )}
      {open && (
        <div class="tool-body">
          <ToolBodyView body={row.body} running={row.status === 'running'} local={row.place === 'local'} />
        </div>
      )}
      {row.approval && <ApprovalBlock key={row.approval.id} approval={row.approval} />}
      {row.notSent && <NotSent />}
    </div>
  );
}

function ToolHead({ row }: { readonly row: ToolRow }) {
  const { strings } = useServices();
  const title = label(row.title);
  return (
    <>
      <Icon name={iconOf(row)} />
      <span class="tool-head-text">
        <span class="tool-title" title={title}>
          <bdi>{title}</bdi>
        </span>
        <span class="tool-meta">
          <PlaceBadge place={row.place} strings={strings} />
          <Extent row={row} />
          <Status status={row.status} strings={strings} />
        </span>
      </span>
    </>
  );
}

const places = { local: 'device-desktop', container: 'package', server: 'cloud' } as const;

function PlaceBadge({ place, strings }: { readonly place: Place; readonly strings: WebviewStrings }) {
  const texts = { local: strings.placeLocal, container: strings.placeContainer, server: strings.placeServer };
  return (
    <span class={`place place-${place}`}>
      <Icon name={places[place]} />
      {texts[place]}
    </span>
  );
}

/** What a closed card tells of its body: the size of a diff, the exit code of a command that failed. */
function Extent({ row: { body } }: { readonly row: ToolRow }) {
  const { strings } = useServices();
  if (body.kind === 'diff') {
    return (
      <span class="extent">
        <span class="added" title={format(strings.linesAdded, body.added)}>
          +{body.added}
        </span>{' '}
        <span class="removed" title={format(strings.linesRemoved, body.removed)}>
          −{body.removed}
        </span>
      </span>
    );
  }
  if (body.kind !== 'terminal' || !body.exitCode) return null;
  return <span class="extent">{format(strings.exitCode, body.exitCode)}</span>;
}

const statusIcons: Readonly<Record<ToolStatus, string>> = {
  streaming: 'loading',
  queued: 'circle-large-outline',
  preparing: 'loading',
  approval: 'bell-dot',
  running: 'loading',
  done: 'check',
  error: 'error',
  denied: 'circle-slash',
  cancelled: 'circle-slash',
};

function Status({ status, strings }: { readonly status: ToolStatus; readonly strings: WebviewStrings }) {
  const texts: Readonly<Record<ToolStatus, string>> = {
    streaming: strings.statusStreaming,
    queued: strings.statusQueued,
    preparing: strings.statusPreparing,
    approval: strings.statusApproval,
    running: strings.statusRunning,
    done: strings.statusDone,
    error: strings.statusError,
    denied: strings.statusDenied,
    cancelled: strings.statusCancelled,
  };
  return (
    <span class={`status status-${status}`}>
      <Icon name={statusIcons[status]} spin={statusIcons[status] === 'loading'} />
      <span class="status-text">{texts[status]}</span>
    </span>
  );
}

/** Effects stay open, so that nothing that happened has to be looked for; what was only read is one line. */
function openByItself({ status, body }: ToolRow): boolean {
  if (status === 'error' || status === 'running' || status === 'streaming') return true;
  return body.kind === 'diff' || body.kind === 'terminal';
}

function iconOf({ tool, body }: ToolRow): string {
  if (body.kind === 'terminal' || tool.startsWith('bash')) return 'terminal';
  if (body.kind === 'diff') return 'diff';
  if (body.kind === 'links' || tool.startsWith('web_')) return 'globe';
  if (tool.includes('text_editor') || tool.includes('edit')) return 'file';
  return 'tools';
}
