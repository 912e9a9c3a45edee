import * as l10n from '@vscode/l10n';
import { CancelledError } from '../errors.ts';
import type { Ids, PreviewHandle, PreviewPort } from '../ports.ts';
import type { LiveEvent } from '../session/live.ts';
import type { DiffPreview } from '../tools/tool.ts';
import type { ApprovalChoice, ToolBody } from '../../protocol/rows.ts';

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
  return new Table(deps);
}

class Table implements ApprovalTable {
  readonly #deps: ApprovalTableDeps;
  readonly #waiting: Waiting[] = [];

  constructor(deps: ApprovalTableDeps) {
    this.#deps = deps;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** The card decides as well: without a diff editor it only shows less. */
  #preview({ callId, diff }: ApprovalRequest): PreviewHandle | undefined {
    try {
      return diff ? this.#deps.previews.open(callId, diff) : undefined;
    } catch {
      return undefined;
    }
  }

  async ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    if (signal.aborted) throw new CancelledError();
    const preview = this.#preview(request);
    try {
      return await new Promise<ApprovalAnswer>((resolve, reject) => {
        const item: Waiting = { id: this.#deps.ids.random(), request, preview, resolve };
        this.#waiting.push(item);
        preview?.onDecision((choice) => this.#settle(item, choice));
        signal.addEventListener('abort', () => this.#take(item) && reject(new CancelledError()), { once: true });
        this.#show(item);
        if (this.#waiting[0] === item) void preview?.show();
        this.#deps.changed(request);
      });
    } finally {
      preview?.dispose();
    }
  }

  answer(id: string, choice: 'allow' | 'deny', message?: string): boolean {
    const item = this.#waiting.find((known) => known.id === id);
    return item !== undefined && this.#settle(item, choice, message);
  }

  openDiff(id: string): void {
    void this.#waiting.find((known) => known.id === id)?.preview?.show();
  }

  #show(item: Waiting): void {
    const { request } = item;
    const isEdit = request.diff !== undefined;
    this.#deps.emit({
      type: 'tool',
      callId: request.callId,
      status: 'approval',
      title: request.title,
      body: request.body,
      approval: {
        id: item.id,
        question: isEdit ? l10n.t('Apply this edit?') : l10n.t('Allow this?'),
        rule: request.rule,
        choices: isEdit ? editChoices() : otherChoices(),
        live: this.#waiting[0] === item,
        canOpenDiff: isEdit,
      },
    });
  }

  #take(item: Waiting): boolean {
    const at = this.#waiting.indexOf(item);
    if (at < 0) return false;
    this.#waiting.splice(at, 1);
    const next = this.#waiting[0];
    if (at === 0 && next !== undefined) {
      this.#show(next);
      void next.preview?.show();
    }
    this.#deps.changed();
    return true;
  }

  #settle(item: Waiting, choice: 'allow' | 'deny', message?: string): boolean {
    if (this.#waiting[0] !== item || !this.#take(item)) return false;
    const revised = item.preview?.revised();
    const said = message?.trim() ?? '';
    if (choice === 'allow') item.resolve({ decision: 'allow', ...(revised === undefined ? {} : { revised }) });
    else item.resolve({ decision: 'deny', ...(said === '' ? {} : { message: said }) });
    return true;
  }
}

function editChoices(): readonly ApprovalChoice[] {
  return [
    { id: 'allow', label: l10n.t('Accept') },
    { id: 'deny', label: l10n.t('Reject') },
    { id: 'denyWithMessage', label: l10n.t('Reject with a message…') },
  ];
}

function otherChoices(): readonly ApprovalChoice[] {
  return [
    { id: 'allow', label: l10n.t('Allow once') },
    { id: 'deny', label: l10n.t('Deny') },
    { id: 'denyWithMessage', label: l10n.t('Deny and tell Claude…') },
  ];
}
