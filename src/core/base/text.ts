/** Replaces unpaired surrogates by U+FFFD: such text can't be encoded, and one of them makes every later request fail. */
export function toWellFormed(text: string): string {
  // Nearly every text is well formed, and some have megabytes.
  if (!/[\uD800-\uDFFF]/.test(text)) return text;
  return text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');
}

/** Cuts to at most `max` UTF-16 units without splitting a code point. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = isHighSurrogate(text.charCodeAt(max - 1)) ? max - 1 : max;
  return text.slice(0, end);
}

/** Keeps head and tail of a long text and says in the middle how much was left out. `max` is in UTF-16 units. */
export function cutMiddle(text: string, max: number, note: (omitted: number) => string): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  const head = cutText(text, half);
  let start = text.length - half;
  if (isLowSurrogate(text.charCodeAt(start))) start += 1;
  return head + note(start - head.length) + text.slice(start);
}

/** Bytes of a text in UTF-8, and in JSON with its quotes and escapes. Unpaired surrogates count as U+FFFD. */
export function jsonLength(text: string): number {
  let length = text.length + 2;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) length += escapeLength(unit);
    // Both halves of a pair together take four bytes.
    else length += unit < 0x800 || isHighSurrogate(unit) || isLowSurrogate(unit) ? 1 : 2;
  }
  return length;
}

/** What an ASCII character takes more in JSON than its one byte. */
function escapeLength(unit: number): number {
  if (unit >= 0x20) return unit === 0x22 || unit === 0x5c ? 1 : 0;
  return '\b\t\n\f\r'.includes(String.fromCharCode(unit)) ? 1 : 5;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
