import MarkdownIt from 'markdown-it';
import type { Token } from 'markdown-it';
import { allowedLink } from '../../src/protocol/links.ts';
import { label } from '../visible.ts';

/** Blocks whose direction follows their own first strong character. */
const directed = new Set(['p', 'li', 'h3', 'h4', 'h5', 'h6', 'td', 'th', 'blockquote']);

/** The one markdown parser. Its output has no raw HTML, no image and no `href`; it still has to be sanitised. */
export const parser = createParser();

function createParser() {
  const md = new MarkdownIt({ html: false, linkify: true, breaks: false, typographer: false });
  // Words such as `sum.ts` are file names here, not hosts.
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  md.validateLink = (url) => allowedLink(url) !== undefined || isRelative(url);
  md.core.ruler.push('loopdock', (state) => {
    for (const token of state.tokens) adaptBlock(token);
  });
  md.renderer.rules['image'] = (tokens, index) => imageLink(md, tokens[index]);
  return md;
}

/** A path such as `src/sum.ts`: its text is shown, without a link. */
function isRelative(url: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:/i.test(url) && !url.startsWith('//') && !url.includes('\\');
}

function adaptBlock(token: Token): void {
  // The view's own headings are h1 and h2.
  if (token.type.startsWith('heading_')) token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 2)}`;
  if (token.nesting === 1 && directed.has(token.tag)) token.attrSet('dir', 'auto');
  if (token.tag === 'th' || token.tag === 'td') alignByClass(token);
  if (token.children) adaptLinks(token.children);
}

function alignByClass(token: Token): void {
  const align = /text-align:(left|center|right)/.exec(String(token.attrGet('style')))?.[1];
  token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style');
  if (align) token.attrSet('class', `align-${align}`);
}

/** Links lose their `href`: the address goes into `data-url`, which the view reads when one is activated. */
function adaptLinks(children: readonly Token[]): void {
  const open: boolean[] = [];
  for (const token of children) {
    if (token.type === 'link_open') {
      const url = allowedLink(String(token.attrGet('href')));
      token.attrs = url === undefined ? null : linkAttributes(url, String(token.attrGet('title') ?? ''));
      token.hidden = url === undefined;
      open.push(token.hidden);
    } else if (token.type === 'link_close') token.hidden = open.pop() ?? false;
  }
}

/** Where it leads comes first on the hover, whatever the author of the link wants to say. */
function linkAttributes(url: string, title = ''): [string, string][] {
  return [
    ['data-url', url],
    ['role', 'link'],
    ['tabindex', '0'],
    ['title', title ? `${url}\n${label(title)}` : url],
  ];
}

/** Nothing is loaded for an answer: an image is a link to where it is. */
function imageLink(md: ReturnType<typeof createParser>, token: Token | undefined): string {
  const { escapeHtml } = md.utils;
  const url = allowedLink(String(token?.attrGet('src')));
  const text = escapeHtml(md.renderer.renderInlineAsText(token?.children ?? [], md.options, {}) || url || '');
  if (url === undefined) return text;
  const attributes = linkAttributes(url).map(([name, value]) => ` ${name}="${escapeHtml(value)}"`);
  return `<a${attributes.join('')}>${text}</a>`;
}
