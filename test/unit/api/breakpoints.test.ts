import assert from 'node:assert/strict';
import type {
  CacheControlEphemeral,
  ContentBlockParam,
  MessageParam,
  TextBlockParam,
} from '@anthropic-ai/sdk/resources/messages/messages';
import fc from 'fast-check';
import { planCache } from '../../../src/api/breakpoints.ts';
import { buildBody } from '../../../src/api/request.ts';
import type { ModelRequest } from '../../../src/core/ports.ts';
import { createIssuedState } from '../../../src/simulator/issued.ts';
import { validateRequest } from '../../../src/simulator/validate.ts';
import { REQUEST } from './support.ts';

const FIVE: CacheControlEphemeral = { type: 'ephemeral' };
const HOUR: CacheControlEphemeral = { type: 'ephemeral', ttl: '1h' };
const LENIENT = { acceptUnknownSignatures: true, acceptUnknownFiles: true, acceptUnknownContainers: true };

function text(value: string, control?: CacheControlEphemeral): TextBlockParam {
  return { type: 'text', text: value, ...(control === undefined ? {} : { cache_control: control }) };
}

function texts(count: number): TextBlockParam[] {
  return Array.from({ length: count }, (_, index) => text(String(index)));
}

const user = (...content: ContentBlockParam[]): MessageParam => ({ role: 'user', content });
const claude = (...content: ContentBlockParam[]): MessageParam => ({ role: 'assistant', content });
const thinking: ContentBlockParam = { type: 'thinking', thinking: 'hm', signature: 'sig' };

/** Where the plan has marks, as `message.block`. */
function places(messages: readonly MessageParam[]): string[] {
  return messages.flatMap(({ content }, at) =>
    typeof content === 'string'
      ? []
      : content.flatMap((block, index) =>
          'cache_control' in block && block.cache_control ? [`${String(at)}.${String(index)}`] : [],
        ),
  );
}

/** What the API says to the body; only the last words of it, where it is about caches. */
function problemOf(request: ModelRequest): string | undefined {
  const body = buildBody({ ...request, model: 'claude-simulated-5' });
  assert.ok(body.ok);
  const problem = validateRequest(JSON.parse(body.json) as Record<string, unknown>, createIssuedState(LENIENT));
  return problem === null ? undefined : JSON.stringify(problem);
}

suite('the places where the cache is written', () => {
  test('are one more where the last request ended, after more than twenty new blocks [C99]', () => {
    const before = user(text('one'), text('two'));
    const grown = (blocks: number) => [before, claude(...texts(blocks - 1)), user(text('next'))];
    assert.deepEqual(places(planCache({ ...REQUEST, messages: grown(20) }).messages), []);
    assert.deepEqual(places(planCache({ ...REQUEST, messages: grown(21) }).messages), ['0.1']);
    assert.equal(problemOf({ ...REQUEST, messages: grown(21) }), undefined);
  });

  test('count what came in several answers of one paused turn [C99]', () => {
    const messages = [user(text('one')), claude(...texts(15)), claude(...texts(15))];
    assert.deepEqual(places(planCache({ ...REQUEST, messages }).messages), ['0.0']);
  });

  test('mark plain text, too, and leave the request itself alone [C99]', () => {
    const messages: MessageParam[] = [
      { role: 'user', content: 'one' },
      claude(...texts(30)),
      { role: 'user', content: 'two' },
    ];
    const copy = structuredClone(messages);
    assert.deepEqual(planCache({ ...REQUEST, messages }).messages[0], user(text('one', FIVE)));
    assert.deepEqual(messages, copy);
  });

  test('are never on thinking, empty text or a block inside another [C98]', () => {
    const result: ContentBlockParam = { type: 'tool_result', tool_use_id: 't', content: [text('nested')] };
    const before = user(text('kept'), result, text(''), { type: 'search_result', source: '', title: '', content: [] });
    const plan = planCache({ ...REQUEST, messages: [before, claude(thinking, ...texts(30)), user(text('next'))] });
    assert.deepEqual(places(plan.messages), ['0.1']);
    assert.deepEqual(plan.messages[0]?.content[1], { ...result, cache_control: FIVE });
    const none = planCache({ ...REQUEST, messages: [user(text('')), claude(...texts(30)), user(text('next'))] });
    assert.deepEqual(places(none.messages), []);
  });

  test('have the longer lifetime before the shorter one [C97]', () => {
    const late = [user(text('a')), claude(text('b')), user(text('c', HOUR), text('d'))];
    const plan = planCache({ ...REQUEST, messages: late });
    assert.deepEqual(plan.system.at(-1)?.cache_control, HOUR);
    assert.equal(problemOf({ ...REQUEST, messages: late }), undefined);
    const long = [user(text('a')), claude(...texts(30)), user(text('c', HOUR), text('d'))];
    assert.deepEqual(planCache({ ...REQUEST, messages: long }).messages[0], user(text('a', HOUR)));
    assert.equal(problemOf({ ...REQUEST, messages: long }), undefined);
    const tool = { name: 'x', input_schema: { type: 'object' as const } };
    const toolOnly = planCache({ ...REQUEST, system: [], tools: [tool], messages: late });
    assert.deepEqual(toolOnly.tools[0]?.cache_control, HOUR);
  });

  test('are taken by the API whatever a request marks itself [C95, C96, C97, C98]', () => {
    const control = fc.constantFrom(undefined, undefined, undefined, undefined, FIVE, HOUR);
    const block = fc.record({ words: fc.constantFrom('a', 'b'), control });
    const turn = fc.array(block, { minLength: 1, maxLength: 24 });
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 7 }), fc.boolean(), (turns, hour) => {
        let left = 4;
        let short = false;
        // Only what a sensible request would hold: four marks at most, the longer lifetimes first.
        const messages = turns.map((blocks, index) => {
          const content = blocks.map(({ words, control: wanted }) => {
            if (wanted === undefined || left === 0 || (short && wanted.ttl === '1h')) return text(words);
            left -= 1;
            short ||= wanted.ttl !== '1h';
            return text(words, wanted);
          });
          return index % 2 === 0 ? user(...content) : claude(...content);
        });
        if (messages.length % 2 === 0) messages.push(user(text('end')));
        const request = { ...REQUEST, system: hour ? [] : REQUEST.system, messages };
        assert.equal(problemOf(request), undefined);
      }),
      { numRuns: 300 },
    );
  });
});
