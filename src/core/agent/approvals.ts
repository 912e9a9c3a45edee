import * as l10n from '@vscode/l10n';
import { CancelledError } from '../errors.ts';
import type { Ids, PreviewHandle, PreviewPort } from '../ports.ts';
import type { LiveEvent } from '../session/live.ts';
import type { DiffPreview } from '../tools/tool.ts';
import type { ToolBody } from '../../protocol/rows.ts';

export interface ApprovalRequest {
  readonly callId: string;
  /** SHA-256 of the exact input: what the user saw is what may run. */
  readonly inputHash: string;
  readonly title: string;
  readonly body: ToolBody;
  readonly rule: string;
  readonly diff?: DiffPreview;
}

export type ApprovalAnswer =
  { readonly decision: 'allow'; readonly revised?: string } | { readonly decision: 'deny'; readonly message?: string };

/** The table of what waits for the user: random single-use id ↔ one call ↔ one input. Only its own ids can answer. */
export interface ApprovalTable {
  /** Shows a card and waits. Rejects with `CancelledError` on abort. */
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
  /** False when the id is unknown, used or not live, or when it was given for another call or input. */
  answer(id: string, choice: 'allow' | 'deny', message?: string): boolean;
  openDiff(id: string): void;
  readonly waiting: number;
}

interface Waiting {
  readonly id: string;
  readonly request: ApprovalRequest;
  readonly preview: PreviewHandle | undefined;
  readonly resolve: (answer: ApprovalAnswer) => void;
}

export interface ApprovalTableDeps {
  readonly ids: Ids;
  readonly previews: PreviewPort;
  emit(event: LiveEvent): void;
  /** The number of waiting approvals changed; `asked` is the one that began to wait. */
  changed(asked?: ApprovalRequest): void;
}

export function createApprovalTable(deps: ApprovalTableDeps): ApprovalTable {
  const waiting: Waiting[] = [];

  const show = (item: Waiting): void => {
    const { request } = item;
    const isEdit = request.diff !== undefined;
    deps.emit({
      type: 'tool',
      callId: request.callId,
      status: 'approval',
      title: request.title,
      body: request.body,
      approval: {
        id: item.id,
        question: isEdit ? l10n.t('Apply this edit?') : l10n.t('Allow this?'),
        rule: request.rule,
        choices: [
          { id: 'allow', label: isEdit ? l10n.t('Accept') : l10n.t('Allow once') },
          { id: 'deny', label: isEdit ? l10n.t('Reject') : l10n.t('Deny') },
          { id: 'denyWithMessage', label: isEdit ? l10n.t('Reject with a message…') : l10n.t('Deny and tell Claude…') },
        ],
        live: waiting[0] === item,
        canOpenDiff: isEdit,
      },
    });
  };

  const take = (item: Waiting): boolean => {
    const at = waiting.indexOf(item);
    if (at < 0) return false;
    waiting.splice(at, 1);
    const next = waiting[0];
    if (at === 0 && next !== undefined) {
      show(next);
      void next.preview?.show();
    }
    deps.changed();
    return true;
  };

  const settle = (item: Waiting, choice: 'allow' | 'deny', message?: string): boolean => {
    if (waiting[0] !== item || !take(item)) return false;
    const revised = item.preview?.revised();
    if (choice === 'allow') item.resolve({ decision: 'allow', ...(revised === undefined ? {} : { revised }) });
    else
      item.resolve({
        decision: 'deny',
        ...(message === undefined || message.trim() === '' ? {} : { message: message.trim() }),
      });
    return true;
  };

  return {
    async ask(request, signal) {
      if (signal.aborted) throw new CancelledError();
      const preview = request.diff ? deps.previews.open(request.callId, request.diff) : undefined;
      try {
        return await new Promise<ApprovalAnswer>((resolve, reject) => {
          const item: Waiting = { id: deps.ids.random(), request, preview, resolve };
          waiting.push(item);
          preview?.onDecision((choice) => settle(item, choice));
          signal.addEventListener('abort', () => take(item) && reject(new CancelledError()), { once: true });
          show(item);
          if (waiting[0] === item) void preview?.show();
          deps.changed(request);
        });
      } finally {
        preview?.dispose();
      }
    },
    answer(id, choice, message) {
      const item = waiting.find((known) => known.id === id);
      return item !== undefined && settle(item, choice, message);
    },
    openDiff(id) {
      void waiting.find((known) => known.id === id)?.preview?.show();
    },
    get waiting() {
      return waiting.length;
    },
  };
}
