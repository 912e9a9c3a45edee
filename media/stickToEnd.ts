import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

/** Nearer to the end than this many pixels counts as at the end. */
const SLACK = 32;

interface StickToEnd {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly atEnd: boolean;
  scrollToEnd(): void;
}

/** Keeps a scroller at its end while the user is there, and leaves it alone while they read further up. */
export function useStickToEnd(drawn: unknown): StickToEnd {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const sticky = useRef(true);
  const [atEnd, setAtEnd] = useState(true);

  const stick = useCallback(() => {
    const element = scroller.current;
    if (element && sticky.current) element.scrollTop = element.scrollHeight;
  }, []);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    // Only the user's own scrolling lets go: content that grows moves the end away without asking.
    let lastTop = element.scrollTop;
    const onScroll = (): void => {
      const near = element.scrollHeight - element.scrollTop - element.clientHeight < SLACK;
      if (near) sticky.current = true;
      else if (element.scrollTop < lastTop - 1) sticky.current = false;
      lastTop = element.scrollTop;
      setAtEnd(near || sticky.current);
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => element.removeEventListener('scroll', onScroll);
  }, []);

  useEffect(() => {
    if (typeof ResizeObserver === 'undefined') return;
    // Blocks get their real height when they come into view, thumbnails when they are decoded.
    const observer = new ResizeObserver(stick);
    if (content.current) observer.observe(content.current);
    if (scroller.current) observer.observe(scroller.current);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(stick, [drawn]);

  const scrollToEnd = useCallback(() => {
    sticky.current = true;
    setAtEnd(true);
    stick();
  }, []);

  return { scroller, content, atEnd, scrollToEnd };
}
