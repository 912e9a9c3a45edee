/**
 * Makes visible what would not be seen, or would rewrite what is seen: control characters, format characters (text
 * direction, zero width), line and paragraph separators and the spaces that only look like one. `\n` and `\t` stay.
 */
export function visibleText(text: string): string {
  return text.replace(
    /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|(?! )\p{Zs}|\u115f|\u1160|\u3164|\uffa0|\u034f/gu,
    (found) => `\\u${codeOf(found)}`,
  );
}

function codeOf(found: string): string {
  const hex = (found.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `{${hex}}` : hex.padStart(4, '0');
}
