import { JSDOM } from 'jsdom';

/** Globals that the view's code reads. Preact and DOMPurify look for them when they are first used, so this file is imported before them. */
const names = [
  'window',
  'document',
  'Node',
  'Element',
  'HTMLElement',
  'HTMLTextAreaElement',
  'Event',
  'KeyboardEvent',
  'MouseEvent',
  'MessageEvent',
  'DocumentFragment',
  'NodeFilter',
  'DOMParser',
  'MutationObserver',
  'requestAnimationFrame',
  'cancelAnimationFrame',
] as const;

// jsdom has no layout: nothing scrolls there.
const dom = new JSDOM('<!DOCTYPE html><html lang="en"><body></body></html>', { pretendToBeVisual: true });
for (const name of names) {
  Object.defineProperty(globalThis, name, { value: dom.window[name], configurable: true, writable: true });
}
dom.window.Element.prototype.scrollIntoView = () => undefined;
