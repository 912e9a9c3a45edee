import { breakdown } from '../cost/breakdown.ts';
import { addNano } from '../cost/cost.ts';
import type { CacheUse } from '../cost/cache.ts';
import type { ContextSize, Ledger } from '../cost/ledger.ts';
import type { Spend } from '../cost/spend.ts';
import { foldConversation } from '../session/fold.ts';
import { projectMessages } from '../session/toMessages.ts';
import type { LogEntry } from '../session/entries.ts';
import type { ForecastView, SpendView, UsageView } from '../../protocol/usage.ts';

/** What the view shows of the account. The context is taken apart once per answer or summary, not with every change of the view. */
export interface Meter {
  view(ledger: Ledger, entries: () => readonly LogEntry[], forecast: ForecastView | null): UsageView;
}

export function createMeter(): Meter {
  let context: UsageView['context'] = [];
  let of: ContextSize | undefined;
  return {
    view(ledger, entries, forecast) {
      const { last, container } = ledger;
      if (ledger.context !== of) {
        of = ledger.context;
        context = contextOf(entries(), of);
      }
      return {
        context,
        estimated: of.estimated,
        turn: spendView(ledger.turn),
        session: spendView({ ...ledger.session, nano: addNano(ledger.session.nano, container.nano) }),
        container: container.ms === 0 ? null : container,
        cacheLast: last === undefined ? null : percent(last.cache),
        cacheSession: last === undefined ? null : percent(ledger.cache),
        cacheMiss: last?.miss ?? null,
        forecast,
      };
    },
  };
}

function contextOf(entries: readonly LogEntry[], { tokens }: ContextSize): UsageView['context'] {
  if (tokens === 0) return [];
  const conversation = foldConversation(entries);
  const { system = [], tools = [] } = conversation.epoch ?? {};
  return breakdown({ system, tools, messages: projectMessages(conversation) }, tokens);
}

function spendView({ nano, requests, buckets, lowerBound }: Spend): SpendView {
  const { input, write5m, write1h, cacheRead, output, thinking } = buckets;
  return {
    nano: nano ?? null,
    atLeast: lowerBound,
    ...{ requests, input, cacheWrite: write5m + write1h, cacheRead, output, thinking },
  };
}

/** Rounded down: 100 % is all of it. */
function percent({ read, prompt }: CacheUse): number {
  return prompt === 0 ? 0 : Math.floor((read / prompt) * 100);
}
