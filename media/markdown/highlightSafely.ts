import { highlight } from './highlight.ts';
import { sanitise } from './sanitise.ts';

/** Sanitised HTML of highlighted code; undefined where it is to be shown plain. */
export function highlightSafely(code: string, language: string, clean = sanitise): string | undefined {
  const html = highlight(code, language.toLowerCase());
  return html === undefined ? undefined : clean(html);
}
