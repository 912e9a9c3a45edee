/** What the loop does after an answer. */
export type Next = 'runTools' | 'resume' | 'done' | 'truncated' | 'discard' | 'unknown';

/**
 * Classifies a stop reason. The decision keys on the reason and not on the blocks (Messages API, "Stop reasons"), but
 * for what could not go on: `tool_use` without a call that we could answer, and `compaction` without a summary, behind
 * which the next request would end in words of Claude's own. `calls`, `summaries`: how many blocks of these there are.
 */
export function classifyStop(stopReason: string | null, calls: number, summaries = 0): Next {
  switch (stopReason) {
    case 'tool_use':
      return calls > 0 ? 'runTools' : 'unknown';
    case 'pause_turn':
      return 'resume';
    case 'compaction':
      return summaries > 0 ? 'resume' : 'unknown';
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
