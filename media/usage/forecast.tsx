import type { ForecastView } from '../../src/protocol/usage.ts';
import { format } from '../../src/protocol/format.ts';
import { money, number, tokenCount } from '../format.ts';
import { useServices } from '../services.ts';

/** What the message in the composer would cost. */
export function Forecast({ forecast: { tokens, nano, counted } }: { readonly forecast: ForecastView }) {
  const { strings, language } = useServices();
  const about = format(counted ? strings.forecastCounted : strings.forecastEstimated, number(tokens, language));
  const label = nano === null ? about : format(strings.forecastCost, about, money(nano, language));
  const short =
    nano === null ? format(strings.forecastTokens, tokenCount(tokens, language)) : `≈ ${money(nano, language)}`;
  return (
    <span class="footer-forecast" title={label}>
      <span class="visually-hidden">{label}</span>
      <span aria-hidden="true">{short}</span>
    </span>
  );
}
