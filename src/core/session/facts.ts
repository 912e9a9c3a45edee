import type { Conversation } from './fold.ts';
import type { LogEntry } from './entries.ts';

/** What the view shows around the rows, kept up entry by entry: a fold over the whole log per entry would be quadratic. */
export interface SessionFacts {
  /** The title that was set; undefined when none was. */
  readonly title: string | undefined;
  /** What the user typed first. */
  readonly firstText: string | undefined;
  readonly model: string | undefined;
  readonly container: Conversation['container'];
}

export const NO_FACTS: SessionFacts = {
  title: undefined,
  firstText: undefined,
  model: undefined,
  container: null,
};

/** The facts after one more entry; the same object when it changes none. */
export function foldFacts(facts: SessionFacts, entry: LogEntry): SessionFacts {
  switch (entry.type) {
    case 'titleSet':
      return { ...facts, title: entry.title };
    case 'userMessage':
      return facts.firstText === undefined ? { ...facts, firstText: entry.text } : facts;
    case 'epochStarted':
      return { ...facts, model: entry.model };
    case 'messageFinished':
      return { ...facts, container: entry.container ?? facts.container };
    case 'containerChosen':
      return { ...facts, container: entry.container ?? null };
    case 'containerLost':
      return facts.container?.id === entry.containerId ? { ...facts, container: null } : facts;
    default:
      return facts;
  }
}
