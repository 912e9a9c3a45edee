import { breakdown } from '../cost/breakdown.ts';
import type { CacheUse } from '../cost/cache.ts';
import type { Ledger, LastAnswer } from '../cost/ledger.ts';
import type { Spend } from '../cost/spend.ts';
import { foldConversation } from '../session/fold.ts';
import { projectMessages } from '../session/toMessages.ts';
import type { LogEntry } from '../session/entries.ts';
import type { ForecastView, SpendView, UsageView } from '../../protocol/usage.ts';

/** What the view shows of the account. The context is taken apart once per answer, not with every change of the view. */
export interface Meter {
  view(ledger: Ledger, entries: () => readonly LogEntry[], forecast: ForecastView | null): UsageView;
}

export function createMeter(): Meter {
  let context: UsageView['context'] = [];
  let of: LastAnswer | undefined;
  return {
    view(ledger, entries, forecast) {
      const { last, container } = ledger;
      if (last !== of) {
        of = last;
        context = last === undefined ? [] : contextOf(entries(), last);
      }
      return {
        context,
        turn: spendView(ledger.turn),
        session: spendView(ledger.session),
        container: container.ms === 0 ? null : container,
        cacheLast: last === undefined ? null : percent(last.cache),
        cacheSession: last === undefined ? null : percent(ledger.cache),
        cacheMiss: last?.miss ?? null,
        forecast,
      };
    },
  };
}

function contextOf(entries: readonly LogEntry[], { usage }: LastAnswer): UsageView['context'] {
  const conversation = foldConversation(entries);
  const { system = [], tools = [] } = conversation.epoch ?? {};
  return breakdown({ system, tools, messages: projectMessages(conversation) }, usage.context);
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
