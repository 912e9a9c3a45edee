/** Tokens in short: 950, 12K, 1.2M. */
export function tokenCount(tokens: number, language: string): string {
  return new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }).format(tokens);
}

/** Nanodollars as US dollars, small amounts with more digits. */
export function money(nano: number, language: string): string {
  const dollars = nano / 1e9;
  const digits = dollars !== 0 && dollars < 0.1 ? 4 : 2;
  const format = {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  } as const;
  if (dollars > 0 && dollars < 0.0001) return `< ${new Intl.NumberFormat(language, format).format(0.0001)}`;
  return new Intl.NumberFormat(language, format).format(dollars);
}

export function percentage(percent: number, language: string): string {
  return new Intl.NumberFormat(language, { style: 'percent' }).format(percent / 100);
}

export function number(value: number, language: string, maximumFractionDigits = 0): string {
  return new Intl.NumberFormat(language, { maximumFractionDigits }).format(value);
}

/** Milliseconds as `0.4 s`, `12 s` or `2 min 5 s`. */
export function duration(ms: number, language: string): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 60) return `${number(seconds, language, seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = Math.floor(seconds % 60);
  return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
}

export function clockTime(epochMs: number, language: string): string {
  return new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' }).format(epochMs);
}

/** Time of day for today, the day otherwise; empty for what is no date. */
export function shortDate(epochMs: number, now: number, language: string): string {
  if (!Number.isFinite(epochMs)) return '';
  const date = new Date(epochMs);
  const today = new Date(now);
  if (date.toDateString() === today.toDateString()) return clockTime(epochMs, language);
  const sameYear = date.getFullYear() === today.getFullYear();
  const year = sameYear ? {} : ({ year: 'numeric' } as const);
  return new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', ...year }).format(date);
}
