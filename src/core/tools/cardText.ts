import * as l10n from '@vscode/l10n';
import { cutMiddle, cutText } from '../base/text.ts';

/** UTF-16 units of a body that a card shows; the log keeps the whole block. */
export const LONGEST_BODY = 100_000;
const LONGEST_TITLE = 120;

/** For a title: one line, with nothing in it that hides or reorders text. */
export function oneLine(text: string): string {
  return text
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\p{Cf}/gu, '\u{FFFD}')
    .trim();
}

/** As `oneLine`, and no longer than a title may be. */
export function inTitle(text: string): string {
  return cutText(oneLine(text), LONGEST_TITLE);
}

/** At most `LONGEST_BODY` units, the middle left out. */
export function shorten(text: string): string {
  return cutMiddle(text, LONGEST_BODY, (omitted) => `\n${l10n.t('… {0} characters left out …', omitted)}\n`);
}
