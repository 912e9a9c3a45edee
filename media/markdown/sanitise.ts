import createDOMPurify from 'dompurify';
import type { Config, DOMPurify } from 'dompurify';
import { allowedLink } from '../../src/protocol/links.ts';

const config: Config = {
  // What markdown and highlighting make, and nothing that loads, submits, covers or styles.
  ALLOWED_TAGS: [
    ...['p', 'br', 'hr', 'blockquote', 'ul', 'ol', 'li', 'pre', 'code', 'span', 'a', 'em', 'strong', 's'],
    ...['h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  ALLOWED_ATTR: ['class', 'dir', 'start', 'data-url', 'role', 'tabindex', 'title'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  ADD_URI_SAFE_ATTR: ['dir', 'start', 'tabindex'],
};

const attributeRules: Readonly<Record<string, (value: string) => boolean>> = {
  class: (value) => value.split(/\s+/).every((name) => /^(?:hljs|language|align)(?:-[\w.+#-]*)?_?$|^\w+_$/.test(name)),
  role: (value) => value === 'link',
  tabindex: (value) => value === '0',
  dir: (value) => value === 'auto',
  start: (value) => /^\d{1,9}$/.test(value),
  'data-url': (value) => allowedLink(value) !== undefined,
  title: () => true,
};

let purify: DOMPurify | undefined;

/** The second of three layers (parser, this, the host's check): only listed tags and attributes survive. */
export function sanitise(html: string): string {
  purify ??= createPurifier();
  return purify.sanitize(html, config);
}

function createPurifier(): DOMPurify {
  const created = createDOMPurify(window);
  created.addHook('uponSanitizeAttribute', (_element, data) => {
    const rule = attributeRules[data.attrName];
    if (!rule?.(data.attrValue)) data.keepAttr = false;
  });
  return created;
}
