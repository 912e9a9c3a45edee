import * as l10n from '@vscode/l10n';
import { NO_LIMIT, passedCap, type Cap, type Passed } from '../cost/budget.ts';
import { dollars } from '../cost/money.ts';
import { foresee } from '../cost/forecast.ts';
import { addNano } from '../cost/cost.ts';
import { isAnthropic } from '../cost/address.ts';
import type { NoticeRow } from '../../protocol/rows.ts';
import { record, type TurnContext } from './context.ts';

/**
 * Asks before a request that would pass a cap of the settings. Undefined: send it. Otherwise the user stopped, and the
 * text says at which cap. Rejects with `CancelledError` on abort. What was spent counts from the log, and so through
 * restarts.
 */
export async function stoppedByBudget(
  context: TurnContext,
  model: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const allowed = new Set<Cap>();
  // Another cap may be passed, too: each is asked about by itself.
  for (;;) {
    const passed = nextCap(context, model, allowed);
    if (passed === undefined) return undefined;
    context.phase(l10n.t('Waiting for your decision'));
    const answer = await context.questions.ask(cardOf(context, passed, model), signal);
    if (answer === 'budgetStop') return l10n.t('You stopped here: {0}', titleOf(passed.cap));
    if (answer === 'budgetRaise') await record(context, { type: 'budgetRaised', cap: passed.cap, to: passed.raiseTo });
    allowed.add(passed.cap);
  }
}

function nextCap(context: TurnContext, model: string, allowed: ReadonlySet<Cap>): Passed | undefined {
  const { ledger, config, clock } = context;
  const pricing = { own: config.prices, listed: isAnthropic(config.baseUrl) };
  const forecast = foresee({ ledger: ledger(), model, pricing, now: clock.now(), typed: 0 });
  const { cost, requests, tokens } = config.budget;
  const open = (cap: Cap, value: number): number => (allowed.has(cap) ? 0 : value);
  const budget = {
    cost: open('cost', cost),
    requests: open('requests', requests),
    tokens: open('tokens', tokens),
  };
  // Container time is an estimate, and the most that it can be: a cap holds it back rather than too late.
  const { session, container, raised } = ledger();
  return passedCap(budget, raised, { ...session, nano: addNano(session.nano, container.nano) }, forecast);
}

function cardOf({ ids }: TurnContext, passed: Passed, model: string): Omit<NoticeRow, 'asks'> {
  const { cap, limit, raiseTo } = passed;
  const raise =
    raiseTo >= NO_LIMIT
      ? l10n.t('Go on for this session')
      : l10n.t('Raise to {0} for this session', amount(cap, raiseTo));
  return {
    kind: 'notice',
    id: `n:budget-${ids.random()}`,
    severity: 'warning',
    title: titleOf(cap),
    detail: detailOf(passed, model, amount(cap, limit)),
    actions: [
      { id: 'budgetOnce', label: l10n.t('Go on this once') },
      { id: 'budgetRaise', label: raise },
      { id: 'budgetStop', label: l10n.t('Stop') },
    ],
  };
}

function titleOf(cap: Cap): string {
  switch (cap) {
    case 'cost':
      return l10n.t('The next request would pass the cost cap of this session.');
    case 'requests':
      return l10n.t('The next request would pass the request cap of this session.');
    case 'tokens':
      return l10n.t('The next request would pass the token cap of this session.');
  }
}

function detailOf({ cap, after }: Passed, model: string, limit: string): string {
  if (after === undefined)
    return l10n.t(
      'What {0} costs here is not known, so the cap of {1} can not be kept. Prices can be set in the settings.',
      model,
      limit,
    );
  return l10n.t('With it the session would have used about {0} of {1}. Nothing was sent.', amount(cap, after), limit);
}

function amount(cap: Cap, value: number): string {
  if (cap === 'cost') return dollars(value);
  const digits = String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ',');
  return cap === 'tokens' ? l10n.t('{0} tokens', digits) : l10n.t('{0} requests', digits);
}
