import * as vscode from 'vscode';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago something was, in the largest unit that says enough; as an age, or plain. */
export function ago(since: number, now: number, form: 'age' | 'plain'): string {
  const ms = Math.max(0, now - since);
  if (ms < MINUTE && form === 'age') return vscode.l10n.t('new');
  const [value, unit] =
    ms < HOUR
      ? ([Math.floor(ms / MINUTE), 'minute'] as const)
      : ms < DAY
        ? ([Math.floor(ms / HOUR), 'hour'] as const)
        : ([Math.floor(ms / DAY), 'day'] as const);
  const format = { style: 'unit', unit, unitDisplay: 'short' } as const;
  const text = new Intl.NumberFormat(vscode.env.language, format).format(value);
  return form === 'age' ? vscode.l10n.t('{0} old', text) : text;
}

/** Nanodollars as US dollars. */
export function dollars(nano: number): string {
  const format = { style: 'currency', currency: 'USD', minimumFractionDigits: 2, maximumFractionDigits: 4 } as const;
  return new Intl.NumberFormat(vscode.env.language, format).format(nano / 1e9);
}
