import { Component } from 'preact';
import type { Row } from '../../src/protocol/rows.ts';
import type { WebviewStrings } from '../../src/protocol/strings.ts';
import { Boundary } from '../boundary.tsx';
import { Icon } from '../icon.tsx';
import { useServices } from '../services.ts';
import { label } from '../visible.ts';
import { AttachmentView } from './attachmentView.tsx';
import { NoticeView } from './noticeView.tsx';
import { TextView, ThinkingView, UserView } from './textViews.tsx';
import { ToolView } from './toolView.tsx';

interface RowViewProps {
  readonly row: Row;
  /** 1-based place among all rows of the session. */
  readonly position: number;
  readonly total: number;
  readonly tabIndex: 0 | -1;
  onFocus(id: string): void;
}

/** One row, drawn again only when it changed, and alone in its failure. */
export class RowView extends Component<RowViewProps> {
  override shouldComponentUpdate(next: RowViewProps): boolean {
    const { row, position, total, tabIndex } = this.props;
    return next.row !== row || next.position !== position || next.total !== total || next.tabIndex !== tabIndex;
  }

  override render() {
    return <Article {...this.props} />;
  }
}

function Article({ row, position, total, tabIndex, onFocus }: RowViewProps) {
  const { strings } = useServices();
  return (
    <article
      class={`row row-${row.kind}`}
      role="article"
      aria-label={labelOf(row, strings)}
      aria-posinset={position}
      aria-setsize={total}
      tabIndex={tabIndex}
      onFocusIn={() => onFocus(row.id)}
      data-vscode-context={menuContext(row)}
    >
      <Boundary what={`row ${row.kind}`} subject={row} fallback={() => <RowFailed />}>
        <RowContent row={row} />
      </Boundary>
    </article>
  );
}

/** What VS Code's context menu knows of the row under it (`webview/context` in package.json). */
function menuContext({ kind, id }: Row): string | undefined {
  const ofAnAnswer = kind === 'text' || kind === 'thinking' || kind === 'tool';
  return ofAnAnswer ? JSON.stringify({ webviewSection: 'answer', row: id }) : undefined;
}

/** Content that is drawn from data alone; a row is retried whenever its data changes. */
class RowContent extends Component<{ readonly row: Row }> {
  override shouldComponentUpdate(next: { readonly row: Row }): boolean {
    return next.row !== this.props.row;
  }

  override render() {
    const { row } = this.props;
    switch (row.kind) {
      case 'user':
        return <UserView row={row} />;
      case 'text':
        return <TextView row={row} />;
      case 'thinking':
        return <ThinkingView row={row} />;
      case 'tool':
        return <ToolView row={row} />;
      case 'attachment':
        return <AttachmentView row={row} />;
      case 'notice':
        return <NoticeView row={row} />;
      default:
        // A kind that this view does not know: said, not swallowed.
        return <RowFailed />;
    }
  }
}

function RowFailed() {
  return (
    <p class="row-failed">
      <Icon name="warning" /> {useServices().strings.rowFailed}
    </p>
  );
}

function labelOf(row: Row, strings: WebviewStrings): string {
  switch (row.kind) {
    case 'user':
      return strings.you;
    case 'text':
      return strings.claude;
    case 'thinking':
      return strings.thinking;
    case 'tool':
      return `${strings.toolCall}: ${label(row.title)}`;
    case 'attachment':
      return `${strings.attachment}: ${label(row.name) || strings.unnamedFile}`;
    case 'notice':
      return label(row.title);
  }
}
