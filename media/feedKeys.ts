const steps: Readonly<Record<string, number>> = { PageDown: 1, PageUp: -1, ArrowDown: 1, ArrowUp: -1 };

/**
 * The keys of an ARIA feed: Page Up and Page Down go from article to article from anywhere inside one; the arrows,
 * Home and End do while the article itself has the focus.
 */
export function moveFocus(event: KeyboardEvent): void {
  if (!(event.target instanceof HTMLElement) || event.altKey || event.ctrlKey || event.metaKey) return;
  const article = event.target.closest<HTMLElement>('[role="article"]');
  const feed = article?.parentElement;
  if (!article || !feed || event.target instanceof HTMLTextAreaElement) return;
  const onArticle = event.target === article;
  if (!onArticle && !event.key.startsWith('Page')) return;
  const articles = [...feed.querySelectorAll<HTMLElement>(':scope > [role="article"]')];
  const target = articles[targetIndex(event.key, articles.indexOf(article), articles.length)];
  if (!target) return;
  event.preventDefault();
  target.focus();
}

function targetIndex(key: string, current: number, count: number): number {
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  const step = steps[key];
  return step === undefined ? -1 : current + step;
}
