import assert from 'node:assert/strict';
import { createIssuedState, sign } from '../../../src/simulator/issued.ts';
import { validateRequest } from '../../../src/simulator/validate.ts';
import { MINI_MODEL, MODEL } from '../../../src/simulator/models.ts';

const SUMMARY = 'compact-2026-09-04';
const THRESHOLD = 'compact-2026-01-12';
const EDITS = 'context-management-2025-06-27';
const ADAPTIVE = { type: 'adaptive' };

const asked = { role: 'user', content: 'Go on.' };
const answered = { role: 'assistant', content: 'Done.' };
const calls = { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'echo', input: {} }] };
const block = (changes: object = {}): object => ({
  ...{ type: 'compaction', content: 'S', encrypted_content: null, signature: sign(MODEL, 'x', 'S'), tool_changes: [] },
  ...changes,
});
const first = (...blocks: readonly object[]): object => ({ role: 'assistant', content: blocks });

/** What the simulator says to a body with these changes; 'ok' when it takes it. */
function judge(changes: object, betas: readonly string[] = []): string {
  const body = { model: MODEL, max_tokens: 100, messages: [asked], ...changes };
  const problem = validateRequest(body, createIssuedState(), { betas });
  if (problem === null) return 'ok';
  const code = problem.error.details?.['error_code'];
  return typeof code === 'string' ? code : problem.error.message;
}

const clear = (changes: object = {}): object => ({ type: 'clear_tool_uses_20250919', ...changes });
const keep = { type: 'clear_thinking_20251015', keep: 'all' };
const edits = (...list: readonly object[]): object => ({ context_management: { edits: list }, thinking: ADAPTIVE });
const summarize = (messages: readonly object[], more: object = {}): object => ({
  ...{ messages, compaction: { type: 'summarize' } },
  ...more,
});

const cases: readonly (readonly [string, object, readonly string[], RegExp])[] = [
  ['edits without their beta', edits(clear()), [], /context_management: Extra inputs/],
  ['edits', edits(keep, clear({ trigger: { type: 'input_tokens', value: 1000 } })), [EDITS], /^ok$/],
  ['the edit of thinking behind another [C105]', edits(clear(), keep), [EDITS], /must be the first edit/],
  ['the edit of thinking without thinking', { ...edits(keep), thinking: { type: 'disabled' } }, [EDITS], /requires/],
  ['an edit twice', edits(clear(), clear()), [EDITS], /given once/],
  ['an edit with a field of another', edits(clear({ instructions: 'x' })), [EDITS], /instructions: Extra/],
  ['an amount of another kind', edits(clear({ keep: { type: 'turns', value: 1 } })), [EDITS], /amount of tool_uses/],
  ['an unknown edit', edits({ type: 'clear_everything' }), [EDITS], /does not match/],
  ['an edit of another beta', edits({ type: 'compact_20260112' }), [EDITS], /requires the beta header/],
  [
    'an edit that the model lacks',
    { ...edits(clear()), model: MINI_MODEL, thinking: undefined },
    [EDITS],
    /not supported/,
  ],
  ['a summary without its beta', summarize([asked]), [], /compaction: Extra inputs/],
  ['a summary after a message of the user', summarize([asked]), [SUMMARY], /^ok$/],
  ['a summary after an answer', summarize([asked, answered]), [SUMMARY], /^ok$/],
  ['a summary of an open call [C104]', summarize([asked, calls]), [SUMMARY], /^compaction_incomplete_turn$/],
  ['a summary beside edits [C104]', summarize([asked], edits(clear())), [SUMMARY, EDITS], /cannot be combined/],
  ['a summary of a model that makes none', summarize([asked], { model: MINI_MODEL }), [SUMMARY], /does not support/],
  ['a block without its beta [C18]', { messages: [first(block()), asked] }, [], /requires? the beta header/],
  ['a block in front', { messages: [first(block()), asked] }, [SUMMARY], /^ok$/],
  ['a block elsewhere [C103]', { messages: [asked, first(block()), asked] }, [SUMMARY], /^compaction_block_misplaced$/],
  [
    'a block behind text [C103]',
    { messages: [first(block(), block()), asked] },
    [SUMMARY],
    /^compaction_block_ambiguous$/,
  ],
  [
    'an edited block [C103]',
    { messages: [first(block({ content: 'T' })), asked] },
    [SUMMARY],
    /^compaction_content_mismatch$/,
  ],
  [
    'a made-up block [C103]',
    { messages: [first(block({ signature: 'x' })), asked] },
    [SUMMARY],
    /^compaction_signature_invalid$/,
  ],
  [
    'an empty block',
    { messages: [asked, first(block({ signature: undefined, content: '' })), asked] },
    [THRESHOLD],
    /at least 1/,
  ],
  [
    'a failed block [C103]',
    { messages: [asked, first(block({ signature: undefined, content: null })), asked] },
    [THRESHOLD],
    /^ok$/,
  ],
  ['a block that nothing follows', { messages: [first(block())] }, [SUMMARY], /prefill/],
];

suite('compaction and context editing', () => {
  for (const [name, body, betas, expected] of cases) {
    const verb = expected.source === '^ok$' ? 'takes' : 'refuses';
    test(`${verb} ${name}`, () => assert.match(judge(body, betas), expected));
  }
});
