/**
 * Makes characters that draw nothing, or that reorder what is drawn, visible as their code point. For commands, names,
 * paths and code: there the text that is shown must be the text that is meant. Tab and newline stay.
 */
export function visible(text: string): string {
  return hidden.test(text) ? text.replace(hiddenAll, (char) => `\\u${hex(char)}`) : text;
}

/** Longest title or name in the page, in characters. */
const MAX_LABEL = 1_000;

/** A title or a name: one line, everything in it visible, cut when it is absurdly long. Never for what is decided on. */
export function label(text: string): string {
  return visible(text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL)}…` : text).replace(/\s+/g, ' ');
}

// Controls, bidi marks, embeddings, overrides and isolates, zero-width characters, separators, BOM, tag characters.
const source =
  '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]|[\\u{e0000}-\\u{e007f}]';
const hidden = new RegExp(source, 'u');
const hiddenAll = new RegExp(source, 'gu');

function hex(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `{${code}}` : code.padStart(4, '0');
}
