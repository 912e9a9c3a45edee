import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { FromPreview, PreviewStrings } from '../../src/protocol/preview.ts';

/** What the components of the preview need from outside. */
export interface Page {
  readonly strings: PreviewStrings;
  /** BCP 47. */
  readonly language: string;
  post(message: FromPreview): void;
}

const PageContext = createContext<Page | undefined>(undefined);

export const PageProvider = PageContext.Provider;

/** Throws outside of a `PageProvider`. */
export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error('No page');
  return page;
}
