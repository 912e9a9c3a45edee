import type { ContentBlock, TextBlockParam, ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import type { EntryBase, UnfinishedUse } from './entryBase.ts';

/** What was said before this is sent as a summary from now on. The log and the transcript keep it. */
export interface Compacted extends EntryBase, UnfinishedUse {
  readonly type: 'compacted';
  readonly by: 'user' | 'auto';
  readonly summary: string;
  /** What requests begin with: the summary in words, then what holds on. English: Claude reads it. */
  readonly content: readonly TextBlockParam[];
  /** The API's own signed block, verbatim. It stands for the words while the model is the one that wrote it. */
  readonly signed?: { readonly model: string; readonly block: ContentBlock };
  /** So many of the user's newest messages are no part of the summary: they follow it word for word. */
  readonly kept?: number;
}

/** A request beside the conversation, such as one for a part of a summary: only what it used counts. */
export interface AsideAsked extends EntryBase, UnfinishedUse {
  readonly type: 'asideAsked';
  readonly purpose: 'summary';
  /** It broke off: what it used is the least that it was. */
  readonly unfinished?: true;
}

/** Other tools from here on, said in a message at the end: the prefix stays as it is. */
export interface ToolsChanged extends EntryBase {
  readonly type: 'toolsChanged';
  /** Whole definitions; one of a name that is there already takes its place. */
  readonly added: readonly ToolUnion[];
  /** Names. */
  readonly removed: readonly string[];
}
