import type { ContentBlock, ContentBlockParam } from '@anthropic-ai/sdk/resources/messages/messages';
import { isBlock } from './blocks.ts';
import type { EpochStarted, LogEntry, ToolFinished } from './entries.ts';

/** An answer as the log has it so far. */
export interface AnswerPiece {
  readonly kind: 'answer';
  readonly messageId: string;
  readonly blocks: readonly ContentBlock[];
  /** `open`: neither finished nor ended otherwise, because it is still streaming or the host died. */
  readonly state: 'open' | 'finished' | 'discarded' | 'interrupted';
  readonly stopReason: string | null;
  /** Counts the epochs; thinking of an earlier epoch is bound to another prefix and stays out of requests. */
  readonly epoch: number;
}

export interface UserPiece {
  readonly kind: 'user';
  readonly content: readonly ContentBlockParam[];
}

export type Piece = AnswerPiece | UserPiece;

/** What the projections are made of. */
export interface Conversation {
  readonly epoch: EpochStarted | undefined;
  /** The number of epochs so far; `AnswerPiece.epoch` of the current one. */
  readonly epochs: number;
  readonly pieces: readonly Piece[];
  readonly results: ReadonlyMap<string, ToolFinished>;
  /** Ids of the calls whose effects had begun, whether or not they have a result. */
  readonly begun: ReadonlySet<string>;
  /** The container of the newest answer that named one. */
  readonly container: { readonly id: string; readonly expires_at: string } | null;
}

/** Folds a log. Deterministic; unknown entry types are skipped. Cost: linear in the number of entries. */
export function foldConversation(entries: readonly LogEntry[]): Conversation {
  const pieces: Piece[] = [];
  const answers = new Map<string, { readonly at: number; readonly blocks: ContentBlock[] }>();
  const results = new Map<string, ToolFinished>();
  const begun = new Set<string>();
  let epoch: EpochStarted | undefined;
  let epochs = 0;
  let container: Conversation['container'] = null;

  const change = (messageId: string, next: (answer: AnswerPiece) => AnswerPiece): ContentBlock[] => {
    const known = answers.get(messageId) ?? { at: pieces.length, blocks: [] };
    const { at, blocks } = known;
    const fresh = { kind: 'answer', messageId, blocks, state: 'open', stopReason: null, epoch: epochs } as const;
    pieces[at] = next((pieces[at] as AnswerPiece | undefined) ?? fresh);
    answers.set(messageId, known);
    return blocks;
  };

  for (const entry of entries) {
    switch (entry.type) {
      case 'epochStarted':
        epoch = entry;
        epochs += 1;
        break;
      case 'userMessage':
        pieces.push({ kind: 'user', content: entry.content.filter(isBlock) });
        break;
      case 'assistantBlock':
        if (isBlock(entry.block)) change(entry.messageId, (answer) => answer).push(entry.block);
        break;
      case 'messageFinished':
        change(entry.messageId, (answer) => ({ ...answer, state: 'finished', stopReason: entry.stopReason ?? null }));
        if (entry.container) container = entry.container;
        break;
      case 'messageDiscarded':
        change(entry.messageId, (answer) => ({ ...answer, state: 'discarded' }));
        break;
      case 'messageInterrupted':
        change(entry.messageId, (answer) => ({ ...answer, state: 'interrupted' }));
        break;
      case 'toolStarted':
        begun.add(entry.callId);
        break;
      case 'toolFinished':
        // The first result counts: a second one for the same call would be a side effect done twice.
        if (!results.has(entry.callId)) results.set(entry.callId, entry);
        break;
      case 'containerLost':
        if (container?.id === entry.containerId) container = null;
        break;
      default:
        break;
    }
  }
  return { epoch, epochs, pieces, results, begun, container };
}
