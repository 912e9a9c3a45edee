import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { FromWebview } from '../src/protocol/messages.ts';
import type { Drops } from './drops.ts';
import type { WebviewStrings } from '../src/protocol/strings.ts';

/** What components need from outside. Tests hand in their own. */
export interface Services {
  readonly strings: WebviewStrings;
  /** BCP 47 tag for numbers and dates. */
  readonly language: string;
  post(message: FromWebview): void;
  readonly drops: Drops;
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds that never go back: for the guard of approvals. */
  monotonic(): number;
  /** The text in the composer, kept by the editor while the view is hidden. */
  loadDraft(): string;
  saveDraft(text: string): void;
}

const ServicesContext = createContext<Services | undefined>(undefined);

export const ServicesProvider = ServicesContext.Provider;

/** Throws outside of a `ServicesProvider`. */
export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (!services) throw new Error('No services');
  return services;
}
