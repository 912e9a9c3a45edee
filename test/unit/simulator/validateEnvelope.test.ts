import { MINI_MODEL } from '../../../src/simulator/models.ts';
import { accepts, refuses, request, startHarness, text } from './harness.ts';
import type { Harness } from './harness.ts';

const schema = { type: 'object' };
const mark = { cache_control: { type: 'ephemeral' } };
const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const user = (...content: unknown[]): unknown => [{ role: 'user', content }];
const withoutMaxTokens = request({ max_tokens: undefined });

suite('request envelope', () => {
  let harness: Harness;
  suiteSetup(async () => void (harness = await startHarness()));
  suiteTeardown(() => harness.simulator.close());

  refuses(
    () => harness,
    [
      ['a body that is not JSON', '{"model":', /not valid JSON/],
      ['a body that is no object', [], /not valid JSON/],
      ['an unknown field', request({ prompt: 'x' }), /^prompt: Extra inputs are not permitted/],
      ['temperature', request({ temperature: 1 }), /^temperature: Extra inputs are not permitted/],
      ['top_p', request({ top_p: 0.9 }), /^top_p: Extra/],
      ['top_k', request({ top_k: 5 }), /^top_k: Extra/],
      ['a missing model', request({ model: undefined }), /^model: Field required/],
      ['a model that does not exist', request({ model: 'claude-none' }), /^model: claude-none/, 404],
      ['missing max_tokens', withoutMaxTokens, /^max_tokens: Field required/],
      ['a negative max_tokens', request({ max_tokens: -1 }), /greater than or equal to 0/],
      ['a fractional max_tokens', request({ max_tokens: 1.5 }), /valid integer/],
      ['more max_tokens than the model has', request({ max_tokens: 128_001 }), /128001 > 128000/],
      ['max_tokens 0 on a stream', request({ max_tokens: 0, stream: true }), /may not be used with `stream`/],
      ['an unpaired surrogate', request({ messages: user(text('a\ud83d')) }), /no low surrogate/],
      ['a second half of a surrogate pair alone', request({ system: 'a\ude00' }), /no low surrogate/],
      ['stop sequences that are no strings', request({ stop_sequences: [1] }), /^stop_sequences/],
      ['metadata beyond the user id', request({ metadata: { name: 'x' } }), /^metadata/],
      ['an unknown service tier', request({ service_tier: 'gold' }), /^service_tier/],
      ['an empty system block', request({ system: [text('')] }), /must be non-empty/],
      ['a system block that is no text', request({ system: [{ type: 'image' }] }), /^system\.0/],
      ['an unknown effort', request({ output_config: { effort: 'huge' } }), /^output_config\.effort/],
      ['effort on a model without', request({ model: MINI_MODEL, output_config: { effort: 'low' } }), /effort/],
      ['a container that does not exist', request({ container: 'container_x' }), /container_x was not found/],
      [
        'adaptive thinking on a model without',
        request({ model: MINI_MODEL, thinking: { type: 'adaptive' } }),
        /adaptive thinking is not supported/,
      ],
      [
        'enabled thinking on a model without',
        request({ thinking: { type: 'enabled', budget_tokens: 2000 } }),
        /"thinking\.type\.enabled" is not supported/,
      ],
      [
        'between_tools on a model without',
        request({ thinking: { type: 'between_tools' } }),
        /between_tools" is not supported/,
      ],
      [
        'a display with disabled thinking',
        request({ thinking: { type: 'disabled', display: 'omitted' } }),
        /display: Extra inputs/,
      ],
      ['an unknown display', request({ thinking: { type: 'adaptive', display: 'all' } }), /display/],
      [
        'block_binding without its beta',
        request({ thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } } }),
        /block_binding: Extra inputs/,
      ],
      [
        'a small thinking budget',
        request({ model: MINI_MODEL, thinking: { type: 'enabled', budget_tokens: 100 } }),
        /1024/,
      ],
      [
        'a thinking budget that leaves no tokens',
        request({ model: MINI_MODEL, thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 1024 }),
        /must be greater than `thinking\.budget_tokens`/,
      ],
    ],
  );
  accepts(
    () => harness,
    [
      ['the smallest request', request()],
      ['whole emoji', request({ messages: user(text('a😀')) })],
      ['a warm-up with max_tokens 0', request({ max_tokens: 0 })],
      ['disabled thinking', request({ thinking: { type: 'disabled' } })],
      [
        'a thinking budget where the model has them',
        request({ model: MINI_MODEL, thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2000 }),
      ],
      [
        'system blocks, metadata and a tier',
        request({ system: [text('S', mark)], metadata: { user_id: 'u' }, service_tier: 'auto' }),
      ],
    ],
  );
});

suite('tool definitions', () => {
  let harness: Harness;
  suiteSetup(async () => void (harness = await startHarness()));
  suiteTeardown(() => harness.simulator.close());
  const bash = { type: 'bash_20250124', name: 'bash' };
  const custom = { name: 'my_tool', input_schema: schema };

  refuses(
    () => harness,
    [
      [
        'an unknown tool type, by its name',
        request({ tools: [{ type: 'bash_20990101', name: 'bash' }] }),
        /Input tag 'bash_20990101'.*bash_20250124/,
      ],
      [
        'a tool type named like a property of objects',
        request({ tools: [{ type: 'constructor', name: 'x' }] }),
        /'constructor'/,
      ],
      [
        'a typed tool of another name',
        request({ tools: [{ type: 'bash_20250124', name: 'sh' }] }),
        /Input should be 'bash'/,
      ],
      [
        'a typed tool with a schema',
        request({ tools: [{ ...bash, input_schema: schema }] }),
        /input_schema: Extra inputs/,
      ],
      ['a bad tool name', request({ tools: [{ name: 'a b', input_schema: schema }] }), /should match pattern/],
      [
        'a tool name that is too long',
        request({ tools: [{ name: 'a'.repeat(65), input_schema: schema }] }),
        /should match pattern/,
      ],
      ['two tools of one name', request({ tools: [custom, custom] }), /names must be unique/],
      [
        'a custom tool named as a typed one',
        request({ tools: [bash, { name: 'bash', input_schema: schema }] }),
        /names must be unique/,
      ],
      ['a tool without schema', request({ tools: [{ name: 'a' }] }), /input_schema: Field required/],
      [
        'a schema that is no object',
        request({ tools: [{ name: 'a', input_schema: { type: 'array' } }] }),
        /input_schema\.type/,
      ],
      ['an unknown field of a tool', request({ tools: [{ ...custom, color: 1 }] }), /color: Extra inputs/],
      ['a strict tool with an open schema', request({ tools: [{ ...custom, strict: true }] }), /additionalProperties/],
      [
        'only deferred tools',
        request({ tools: [{ ...custom, defer_loading: true }] }),
        /At least one tool must have defer_loading=false/,
      ],
      [
        'code execution on a model without',
        request({ model: MINI_MODEL, tools: [{ type: 'code_execution_20260521', name: 'code_execution' }] }),
        /does not support tool types: code_execution_20260521/,
      ],
      ['a tool choice without tools', request({ tool_choice: { type: 'auto' } }), /while providing tools/],
      [
        'a forced choice on a model without',
        request({ tools: [bash], tool_choice: { type: 'any' } }),
        /'any' is not supported/,
      ],
      [
        'a choice of no tool that limits parallel use',
        request({ tools: [bash], tool_choice: { type: 'none', disable_parallel_tool_use: true } }),
        /disable_parallel_tool_use: Extra/,
      ],
      [
        'a choice of a missing tool',
        request({ model: MINI_MODEL, tools: [bash], tool_choice: { type: 'tool', name: 'x' } }),
        /'x' not found/,
      ],
      [
        'a forced choice with enabled thinking',
        request({
          model: MINI_MODEL,
          max_tokens: 4000,
          thinking: { type: 'enabled', budget_tokens: 1024 },
          tools: [bash],
          tool_choice: { type: 'any' },
        }),
        /forces tool use/,
      ],
    ],
  );
  accepts(
    () => harness,
    [
      [
        'typed and custom tools',
        request({
          tools: [
            bash,
            custom,
            { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 9 },
          ],
        }),
      ],
      ['a choice of no tool', request({ tools: [bash], tool_choice: { type: 'none' } })],
      [
        'a forced choice where the model has it',
        request({ model: MINI_MODEL, tools: [bash], tool_choice: { type: 'tool', name: 'bash' } }),
      ],
    ],
  );
});

suite('cache breakpoints', () => {
  let harness: Harness;
  suiteSetup(async () => void (harness = await startHarness()));
  suiteTeardown(() => harness.simulator.close());
  const marked = (count: number): unknown => Array.from({ length: count }, (_, index) => text(`t${index}`, mark));

  refuses(
    () => harness,
    [
      [
        'five breakpoints',
        request({ messages: [{ role: 'user', content: marked(5) }] }),
        /maximum of 4 blocks.*Found 5/,
      ],
      ['four and the automatic one', request({ cache_control: { type: 'ephemeral' }, system: marked(4) }), /Found 5/],
      [
        'breakpoints inside tool results beyond the fourth',
        request({
          system: marked(4),
          tools: [{ type: 'bash_20250124', name: 'bash' }],
          messages: [
            { role: 'user', content: 'a' },
            { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'bash', input: {} }] },
            { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [text('x', mark)] }] },
          ],
        }),
        /Found 5/,
      ],
      [
        'an automatic one of another lifetime than the last block',
        request({ cache_control: { type: 'ephemeral' }, messages: user(text('a', hour)) }),
        /different ttl/,
      ],
      [
        'an hour after five minutes',
        request({ system: [text('s', mark)], messages: user(text('a', hour)) }),
        /must not come after/,
      ],
      [
        'an unknown lifetime',
        request({ messages: user(text('a', { cache_control: { type: 'ephemeral', ttl: '2h' } })) }),
        /cache_control/,
      ],
      [
        'one on thinking',
        request({
          messages: [
            { role: 'user', content: 'a' },
            { role: 'assistant', content: [{ type: 'thinking', thinking: '', signature: 'x', ...mark }, text('b')] },
            { role: 'user', content: 'c' },
          ],
        }),
        /thinking\.cache_control: Extra inputs/,
      ],
      [
        'one on a deferred tool',
        request({
          tools: [
            { type: 'bash_20250124', name: 'bash' },
            { name: 'a', input_schema: schema, defer_loading: true, ...mark },
          ],
        }),
        /defer_loading/,
      ],
    ],
  );
  accepts(
    () => harness,
    [
      ['four breakpoints', request({ system: marked(3), messages: user(text('a', mark)) })],
      ['three and the automatic one', request({ cache_control: { type: 'ephemeral' }, system: marked(3) })],
      [
        'the automatic one on a block that is marked already',
        request({ cache_control: { type: 'ephemeral' }, system: marked(3), messages: user(text('a', mark)) }),
      ],
      ['five minutes after an hour', request({ system: [text('s', hour)], messages: user(text('a', mark)) })],
    ],
  );
});
