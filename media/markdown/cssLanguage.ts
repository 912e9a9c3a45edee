import type { HLJSApi, Language } from 'highlight.js';

/**
 * CSS for highlight.js, in short: its own carries the list of all properties, tags and units (13 KB), of which a
 * highlighted snippet shows nothing that the structure doesn't tell.
 */
export function cssLanguage(hljs: HLJSApi): Language {
  return {
    name: 'CSS',
    case_insensitive: true,
    contains: [
      hljs.C_BLOCK_COMMENT_MODE,
      hljs.APOS_STRING_MODE,
      hljs.QUOTE_STRING_MODE,
      { scope: 'keyword', begin: /@[\w-]+|!important/ },
      { scope: 'attr', begin: /(?:--)?[a-z][\w-]*(?=: )/ },
      { scope: 'number', begin: /#[\da-f]{3,8}\b|-?\b\d+(?:\.\d+)?(?:%|[a-z]+)?/ },
      { scope: 'selector-class', begin: /[.#][a-z_][\w-]*/ },
      { scope: 'title', begin: /[\w-]+(?=\()/ },
    ],
  };
}
