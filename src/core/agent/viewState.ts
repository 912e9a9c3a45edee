import * as l10n from '@vscode/l10n';
import { cutText } from '../base/text.ts';
import type { SessionFacts } from '../session/facts.ts';
import type { InputView, QueuedView } from '../../protocol/inputs.ts';
import type { ViewState } from '../../protocol/messages.ts';
import type { UsageView } from '../../protocol/usage.ts';
import type { ModelInfo } from '../ports.ts';
import type { AgentConfig } from './controllerTypes.ts';
import type { ForecastSource } from './forecaster.ts';
import { withSandboxCheck } from './sandboxCheck.ts';

/** The parts of the view's state that the log does not hold. */
export interface LiveState {
  readonly source: Omit<ForecastSource, 'log' | 'ledger' | 'busy'>;
  readonly models: readonly ModelInfo[];
  readonly busy: boolean;
  readonly phase: { readonly text: string; /** Epoch milliseconds. */ readonly since: number };
  readonly waiting: number;
  readonly queued: readonly QueuedView[];
  readonly inputs: readonly InputView[];
  readonly sessionId: string;
  readonly readOnly: boolean;
  /** Of the last answer: what the next request starts from. */
  readonly contextTokens: number;
  readonly usage: UsageView | null;
}

const TITLE_LENGTH = 60;

/** Projects the log's facts and the live parts to what the view shows around the rows. */
export function buildViewState(facts: SessionFacts, live: LiveState): ViewState {
  const { models, source } = live;
  const { config, model, info } = source;
  const { container } = facts;
  return {
    sessionId: live.sessionId,
    title: sessionTitle(facts),
    busy: live.busy,
    phase: live.phase.text,
    ...(live.busy ? { phaseSince: live.phase.since } : {}),
    waiting: live.waiting,
    mode: config.mode,
    model,
    models: models.map(({ id, label }) => ({ id, label })),
    container: container === null ? null : { id: container.id, expiresAt: container.expires_at },
    simulated: config.simulated,
    trusted: config.trusted,
    hasKey: config.hasKey,
    readOnly: live.readOnly,
    contextTokens: live.contextTokens,
    contextLimit: info?.maxInputTokens ?? null,
    usage: live.usage,
    suggestedPrompt: config.suggestedPrompt,
    queued: live.queued,
    inputs: withSandboxCheck(live.inputs, source, { id: model, info }),
  };
}

/** The model that answers next: the configured one, else the first of the list, else the session's. */
export function modelOf({ model }: AgentConfig, models: readonly ModelInfo[], facts: SessionFacts): string {
  return model === '' ? (models[0]?.id ?? facts.model ?? '') : model;
}

function sessionTitle({ title, firstText }: SessionFacts): string {
  if (title !== undefined) return title;
  if (firstText === undefined) return l10n.t('New session');
  const line = firstText.trim().split('\n')[0] ?? '';
  return line.length > TITLE_LENGTH ? `${cutText(line, TITLE_LENGTH - 1)}…` : line;
}
