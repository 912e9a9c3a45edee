/** What the loop does after an answer. */
export type Next = 'runTools' | 'resume' | 'done' | 'truncated' | 'discard' | 'unknown';

/**
 * Classifies a stop reason. The decision keys on the reason and not on the blocks (Messages API, "Stop reasons"), but
 * for `tool_use` without a call that we could answer, which ends the turn.
 */
export function classifyStop(stopReason: string | null, calls: number): Next {
  switch (stopReason) {
    case 'tool_use':
      return calls > 0 ? 'runTools' : 'unknown';
    case 'pause_turn':
    case 'compaction':
      return 'resume';
    case 'end_turn':
    case 'stop_sequence':
      return 'done';
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'truncated';
    case 'refusal':
      return 'discard';
    default:
      return 'unknown';
  }
}
