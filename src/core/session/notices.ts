import * as l10n from '@vscode/l10n';
import type { ApiFailure, ApiFailureKind } from '../errors.ts';
import { isTooLong } from './tooLong.ts';
import type { NoticeAction, NoticeRow } from '../../protocol/rows.ts';
import { readAnew, type ReadAnew } from './readAnew.ts';
import type { EpochStarted, ItemRemoved, Repaired, TurnEnded } from './entries.ts';

/** Above this the turn stops and shows the time instead of waiting. */
export const LONGEST_WAIT_MS = 10 * 60_000;

/** The card that ends a turn; undefined when it simply finished. */
export function noticeForTurnEnd(entry: TurnEnded): NoticeRow | undefined {
  const base = { kind: 'notice', id: `n:${entry.id}` } as const;
  const proceed: readonly NoticeAction[] = [{ id: 'continue', label: l10n.t('Continue') }];
  const detail = entry.detail === undefined ? {} : { detail: entry.detail };
  switch (entry.outcome) {
    case 'done':
      // Only an end without a word has something to say.
      return entry.detail === undefined
        ? undefined
        : { ...base, severity: 'info', title: entry.detail, actions: proceed };
    case 'failed':
      return entry.failure
        ? noticeForFailure(`n:${entry.id}`, entry.failure)
        : { ...base, severity: 'error', title: l10n.t('The turn failed.'), ...detail, actions: proceed };
    case 'truncated':
      return {
        ...base,
        severity: 'warning',
        title: l10n.t('The answer was cut: it reached its length limit.'),
        ...detail,
        actions: entry.overflow === true ? [compactAction(), ...proceed] : proceed,
      };
    case 'refused':
      return {
        ...base,
        severity: 'warning',
        title: l10n.t('Claude declined to answer. The partial answer was discarded.'),
        ...detail,
        actions: [{ id: 'tryAnotherModel', label: l10n.t('Try another model') }],
      };
    case 'cancelled':
      return { ...base, severity: 'info', title: l10n.t('Stopped. What was finished is kept.'), actions: proceed };
    case 'interrupted':
      if (entry.branched) return undefined;
      return {
        ...base,
        severity: 'warning',
        title: l10n.t(
          'This turn was interrupted when the window or the extension host ended. Everything up to the last finished block is kept.',
        ),
        actions: proceed,
      };
    case 'limit':
      return { ...base, severity: 'warning', ...detail, ...limitOf(entry, proceed) };
    case 'unknownStop':
      return {
        ...base,
        severity: 'info',
        title: l10n.t('The turn ended for a reason that this version does not know: {0}', entry.detail ?? '?'),
        actions: proceed,
      };
  }
}

function limitOf({ overflow }: TurnEnded, proceed: readonly NoticeAction[]): Pick<NoticeRow, 'title' | 'actions'> {
  if (overflow === undefined) return { title: l10n.t('Stopped: the turn reached a limit.'), actions: proceed };
  const another: NoticeAction = { id: 'tryAnotherModel', label: l10n.t('Try another model') };
  return {
    title: l10n.t('The conversation does not fit into the window of this model.'),
    actions: [...(overflow ? [compactAction()] : []), another],
  };
}

/** What a change of the prefix costs; before the first answer there is nothing to lose, and nothing is said. */
export function noticeForEpoch(entry: EpochStarted, anew: ReadAnew | undefined): NoticeRow | undefined {
  if (entry.reason === 'first' && (entry.skills?.length ?? 0) > 0)
    return { kind: 'notice', id: `n:${entry.id}`, severity: 'info', title: epochTitle(entry), actions: [] };
  // What was repaired says so itself.
  if (anew === undefined || entry.reason === 'repair') return undefined;
  const detail = readAnew(anew);
  return { kind: 'notice', id: `n:${entry.id}`, severity: 'info', title: epochTitle(entry), detail, actions: [] };
}

function epochTitle({ reason, model, effort, skills = [] }: EpochStarted): string {
  const names = skills.map(({ name }) => name).join(', ');
  if (reason === 'first' && names !== '') return l10n.t('Skills in the sandbox: {0}', names);
  switch (reason) {
    case 'skills':
      return names === ''
        ? l10n.t('This conversation uses no skills any more.')
        : l10n.t('The skills of this conversation are now: {0}', names);
    case 'model':
      return l10n.t('The model is now {0}.', model);
    case 'tools':
    case 'toolVersion':
      return l10n.t('The tools of this conversation changed.');
    case 'binding':
      return l10n.t('The API no longer accepts the thinking so far. The conversation goes on without it.');
    case 'context':
      return l10n.t('What the API leaves out of old results has changed.');
    case 'thinking':
    case 'first':
    default: // A reason that only another version knows.
      return l10n.t('Thinking is configured anew (effort: {0}).', effort ?? l10n.t('default'));
  }
}

/** The API changed a request by itself: it left thinking out that it could not use. */
export function noticeForTransformations(id: string, count: number): NoticeRow {
  const title = l10n.t('The API left {0} blocks of earlier thinking out of this request.', count);
  return { kind: 'notice', id, severity: 'info', title, actions: [] };
}

/** The card of a failed request: what happened, what the API said, and the way on. */
export function noticeForFailure(id: string, failure: ApiFailure): NoticeRow {
  return {
    kind: 'notice',
    id,
    severity: 'error',
    title: failureTitle(failure.kind),
    detail: withWait(failure),
    ...(failure.requestId === undefined ? {} : { requestId: failure.requestId }),
    actions: [...roomMaking(failure), ...removal(failure), ...failureActions(failure.kind), ...inspection(failure)],
  };
}

function removal({ items = [] }: ApiFailure): readonly NoticeAction[] {
  if (items.length === 0) return [];
  const label = items.length === 1 ? l10n.t('Remove this item') : l10n.t('Remove these {0} items', items.length);
  return [{ id: 'removeItems', label }];
}

/** What was refused for what is in it is worth a look; what never went out, or failed on its way, is not. */
function inspection({ kind, status }: ApiFailure): readonly NoticeAction[] {
  const aboutTheRequest = ['invalid-request', 'too-large', 'not-found', 'server', 'unknown'].includes(kind);
  if (!(aboutTheRequest && status !== undefined) && kind !== 'stream' && kind !== 'protocol') return [];
  return [{ id: 'inspectRequest', label: l10n.t('Inspect request') }];
}

/** The row of a repair, or of an item that the user took out: what Claude gets from now on, and what it costs. */
export function noticeForRepair(entry: Repaired | ItemRemoved, anew?: ReadAnew): NoticeRow {
  const base = { kind: 'notice', id: `n:${entry.id}`, actions: [] } as const;
  const removed = entry.type === 'itemRemoved';
  const title = removed ? l10n.t('Removed from the conversation: {0}', entry.name) : entry.note;
  const details = [
    ...(removed ? [l10n.t('The session file still has it.')] : []),
    ...(entry.prefixChanged
      ? [
          l10n.t('Claude had answered to it: from there on the prompt cache is lost, and so is what Claude thought.'),
          ...(anew === undefined ? [] : [readAnew(anew)]),
        ]
      : []),
  ];
  const severity = entry.prefixChanged ? 'warning' : 'info';
  return { ...base, severity, title, ...(details.length === 0 ? {} : { detail: details.join('\n') }) };
}

/** What the API said, and when it may be asked again where it wants more patience than the loop has. */
function withWait({ message, retryAfterMs }: ApiFailure): string {
  if (retryAfterMs === undefined || retryAfterMs <= LONGEST_WAIT_MS) return message;
  const minutes = Math.ceil(retryAfterMs / 60_000);
  return `${message}\n${l10n.t('The API asks to wait {0} minutes. Nothing is sent before you try again.', minutes)}`;
}

/** Of all rejected requests only this one is about the context window; every other 400 is shown as what it is. */
function roomMaking(failure: ApiFailure): readonly NoticeAction[] {
  return isTooLong(failure) ? [compactAction()] : [];
}

function compactAction(): NoticeAction {
  return { id: 'compact', label: l10n.t('Summarize and go on') };
}

/** While the loop waits to try again. */
export function noticeForRetry(id: string, until: number, failure: ApiFailure): NoticeRow {
  return {
    ...noticeForFailure(id, failure),
    severity: 'warning',
    until,
    actions: [{ id: 'cancelRetry', label: l10n.t('Stop trying') }],
  };
}

function failureTitle(kind: ApiFailureKind): string {
  switch (kind) {
    case 'no-key':
      return l10n.t('There is no API key yet.');
    case 'authentication':
      return l10n.t('The API refused the key.');
    case 'billing':
    case 'spend-limit':
      return l10n.t('The API reports a billing or spend limit.');
    case 'permission':
      return l10n.t('The key may not do this.');
    case 'not-found':
      return l10n.t('The API does not know the model or the address.');
    case 'invalid-request':
      return l10n.t('The API rejected the request.');
    case 'item':
      return l10n.t('The request was not sent: Claude cannot take something in this conversation.');
    case 'too-large':
      return l10n.t('The request is too large.');
    case 'rate-limit':
      return l10n.t('Rate limit reached.');
    case 'overloaded':
      return l10n.t('The API is overloaded.');
    case 'server':
      return l10n.t('The API had an internal error.');
    case 'timeout':
      return l10n.t('The API did not answer in time.');
    case 'connection':
      return l10n.t('The API could not be reached.');
    case 'stream':
      return l10n.t('The answer broke off.');
    case 'protocol':
      return l10n.t('The answer was not what the Messages API sends.');
    case 'unknown':
    default: // A kind that only another version knows.
      return l10n.t('The request failed.');
  }
}

function failureActions(kind: ApiFailureKind): readonly NoticeAction[] {
  const retry: NoticeAction = { id: 'retry', label: l10n.t('Try again') };
  const log: NoticeAction = { id: 'showLog', label: l10n.t('Show log') };
  if (kind === 'no-key')
    return [
      { id: 'setApiKey', label: l10n.t('Set API key') },
      { id: 'startDemo', label: l10n.t('Start offline demo') },
    ];
  if (kind === 'authentication' || kind === 'permission')
    return [{ id: 'setApiKey', label: l10n.t('Set API key') }, retry, log];
  if (kind === 'connection' || kind === 'not-found')
    return [retry, { id: 'openSettings', label: l10n.t('Open settings') }, log];
  return [retry, log];
}
