import type { CacheMiss, ContextKind, SpendView, UsageView } from '../../src/protocol/usage.ts';
import { format } from '../../src/protocol/format.ts';
import type { WebviewStrings } from '../../src/protocol/strings.ts';
import { duration, money, number, percentage, tokenCount } from '../format.ts';
import { useServices } from '../services.ts';

interface UsagePanelProps {
  readonly id: string;
  readonly usage: UsageView;
  /** How full the context is, in words. */
  readonly label: string;
}

const kinds: Readonly<Record<ContextKind, keyof WebviewStrings>> = {
  tools: 'contextTools',
  system: 'contextSystem',
  files: 'contextFiles',
  results: 'contextResults',
  conversation: 'contextConversation',
};

const misses: Readonly<Record<CacheMiss, keyof WebviewStrings>> = {
  pending: 'missPending',
  model: 'missModel',
  system: 'missSystem',
  tools: 'missTools',
  messages: 'missMessages',
  tooOld: 'missTooOld',
  unavailable: 'missUnavailable',
  epoch: 'missEpoch',
  pause: 'missPause',
  unknown: 'missUnknown',
};

/** What the context holds, what turn and session cost, and how much came from the cache. */
export function UsagePanel({ id, usage, label }: UsagePanelProps) {
  const { strings, language } = useServices();
  const { context, container, cacheLast, cacheSession, cacheMiss } = usage;
  return (
    <div id={id} class="usage-panel" role="region" aria-label={strings.usageTitle} tabIndex={0}>
      <p class="usage-head">{label}</p>
      {context.length > 0 && (
        <>
          <dl class="usage-list">
            {context.map(({ kind, tokens }) => (
              <Line key={kind} name={strings[kinds[kind]]} value={number(tokens, language)} />
            ))}
          </dl>
          <p class="usage-note">{strings.usageEstimate}</p>
        </>
      )}
      <dl class="usage-list">
        <SpendLines name={strings.usageTurn} spend={usage.turn} />
        <SpendLines name={strings.usageSession} spend={usage.session} estimated={(container?.nano ?? 0) > 0} />
        {container && (
          <Line
            name={strings.usageContainer}
            value={format(
              strings.usageContainerNote,
              duration(container.ms, language),
              money(container.nano, language),
            )}
          />
        )}
        {cacheLast !== null && cacheSession !== null && (
          <Line
            name={strings.usageCache}
            value={format(strings.usageCacheNote, percentage(cacheLast, language), percentage(cacheSession, language))}
          />
        )}
      </dl>
      {cacheMiss !== null && <p class="usage-note">{strings[misses[cacheMiss]]}</p>}
    </div>
  );
}

function Line({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div class="usage-line">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

interface SpendProps {
  readonly name: string;
  readonly spend: SpendView;
  /** Something in it is only estimated. */
  readonly estimated?: boolean;
}

function SpendLines({ name, spend, estimated = false }: SpendProps) {
  const { strings, language } = useServices();
  const { nano, atLeast, requests, input, cacheWrite, cacheRead, output, thinking } = spend;
  const cost = nano === null ? strings.usageUnknown : (estimated ? '≈ ' : '') + money(nano, language);
  const shown = atLeast ? format(strings.usageAtLeast, cost) : cost;
  const count = requests === 1 ? strings.usageRequestsOne : format(strings.usageRequests, number(requests, language));
  const tokens = [input, cacheWrite, cacheRead, output].map((value) => tokenCount(value, language));
  const thought = thinking > 0 ? `; ${format(strings.usageThinking, tokenCount(thinking, language))}` : '';
  return (
    <div class="usage-line">
      <dt>{name}</dt>
      <dd>
        <span class="usage-cost">{nano === null ? cost : shown}</span>, {count}
        <span class="usage-tokens">{format(strings.usageTokens, ...tokens) + thought}</span>
      </dd>
    </div>
  );
}
