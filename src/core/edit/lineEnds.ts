export type Eol = '\n' | '\r\n';

/** Every line end (CRLF, LF, lone CR) as LF. */
export function toLf(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** Every line end as `eol`. */
export function toEol(text: string, eol: Eol): string {
  const lf = toLf(text);
  return eol === '\n' ? lf : lf.replaceAll('\n', '\r\n');
}

export interface LineEndCounts {
  readonly crlf: number;
  readonly lf: number;
  /** CR that no LF follows. */
  readonly cr: number;
}

export function countLineEnds(text: string): LineEndCounts {
  let crlf = 0;
  let lf = 0;
  let cr = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (at > 0 && text.charCodeAt(at - 1) === 13) crlf++;
    else lf++;
  }
  for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1)) {
    if (text.charCodeAt(at + 1) !== 10) cr++;
  }
  return { crlf, lf, cr };
}

/** The line end that most lines have; undefined for a text without any. A tie goes to LF, as in VS Code. */
export function dominantEol(text: string): Eol | undefined {
  const { crlf, lf, cr } = countLineEnds(text);
  if (crlf + lf + cr === 0) return undefined;
  return crlf > lf ? '\r\n' : '\n';
}

/**
 * The lines as an editor numbers them, without their ends. A final line end does not begin another line, so the empty
 * text has none.
 */
export function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split(/\r\n|\n|\r/);
  if (lines[lines.length - 1] === '') lines.pop();
  return lines;
}
