import assert from 'node:assert/strict';
import { createIssuedState } from '../../../src/simulator/issued.ts';
import { MINI_MODEL, MODEL } from '../../../src/simulator/models.ts';
import { scriptPrompt } from '../../../src/simulator/scenarios/scripted.ts';
import type { Reply } from '../../../src/simulator/scenario.ts';
import { validateRequest } from '../../../src/simulator/validate.ts';
import { request, result, startHarness, text, tools } from './harness.ts';
import type { Answer, Body, Harness } from './harness.ts';

const binding = 'thinking-binding-controls-2026-08-01';
const say = (value: string): Reply['steps'][number] => ({ type: 'text', text: value });
const thinking: Reply['steps'][number] = { type: 'thinking', text: 'Let me see.' };
const call: Reply['steps'][number] = { type: 'tool_use', name: 'bash', input: { command: 'ls', b: 1 } };

suite('a conversation with the simulator', () => {
  let harness: Harness;
  suiteSetup(async () => void (harness = await startHarness()));
  suiteTeardown(() => harness.simulator.close());

  /** A conversation whose first answer was given by the simulator. */
  async function begin(
    replies: readonly (Reply | readonly Reply[])[],
    fields: Body = {},
  ): Promise<{ readonly body: Body; readonly answer: Body; readonly content: Body[]; readonly history: Body[] }> {
    const history: Body[] = [{ role: 'user', content: scriptPrompt('Go', replies) }];
    const body = request({
      tools,
      thinking: { type: 'adaptive', display: 'summarized' },
      ...fields,
      messages: history,
    });
    const response = await harness.post(body);
    assert.equal(response.status, 200, response.text);
    const answer = response.body as Body;
    return { body, answer, content: answer['content'] as Body[], history };
  }

  function refused(answer: Answer, says: RegExp): void {
    assert.equal(answer.status, 400, answer.text);
    assert.match(String((answer.body?.['error'] as Body)['message']), says);
  }

  async function toolLoop(fields: Body = {}): Promise<{ readonly next: Body; readonly content: Body[] }> {
    const { body, content, history } = await begin([{ steps: [thinking, call] }, { steps: [say('ok')] }], fields);
    const id = String(content.at(-1)?.['id']);
    const messages = [...history, { role: 'assistant', content }, { role: 'user', content: [result(id)] }];
    return { next: { ...body, messages }, content };
  }

  /** The same request with the assistant's content changed. */
  function changed(next: Body, change: (content: Body[]) => Body[]): Body {
    const messages = (next['messages'] as Body[]).map((message) =>
      message['role'] === 'assistant'
        ? { ...message, content: change(structuredClone(message['content']) as Body[]) }
        : message,
    );
    return { ...next, messages };
  }

  test('goes on when everything comes back as it was', async () => {
    const { next } = await toolLoop();
    assert.equal((await harness.post(next)).status, 200);
  });

  test('goes on whatever the cache marks, and with content as string or blocks', async () => {
    const { next } = await toolLoop({ system: 'Be brief.' });
    const marked = {
      ...next,
      system: [text('Be brief.', { cache_control: { type: 'ephemeral' } })],
      cache_control: { type: 'ephemeral' },
    };
    const answer = await harness.post(marked);
    assert.equal(answer.status, 200, answer.text);
  });

  test('goes on without the fields that were null or default', async () => {
    const { next } = await toolLoop();
    const defaults = new Set(['caller', 'citations']);
    const bare = changed(next, (content) =>
      content.map((block) => Object.fromEntries(Object.entries(block).filter(([name]) => !defaults.has(name)))),
    );
    assert.equal((await harness.post(bare)).status, 200);
  });

  test('refuses a thinking block whose text was changed', async () => {
    const { next } = await toolLoop();
    const edit = changed(next, ([first, ...rest]) => [{ ...first, thinking: 'Other.' }, ...rest]);
    refused(await harness.post(edit), /latest assistant message cannot be modified/);
  });

  test('refuses a thinking block with a signature of somebody else', async () => {
    const { next } = await toolLoop();
    const edit = changed(next, ([first, ...rest]) => [{ ...first, signature: 'Erkz' }, ...rest]);
    refused(await harness.post(edit), /latest assistant message cannot be modified/);
  });

  test('refuses an answer to a call whose thinking block was left out', async () => {
    const { next } = await toolLoop();
    refused(await harness.post(changed(next, ([, ...rest]) => rest)), /latest assistant message cannot be modified/);
  });

  test('takes an answer whose tail was left out with the thinking in it', async () => {
    const { body, content, history } = await begin([{ steps: [thinking, call, thinking, call] }]);
    const kept = content.slice(0, 2);
    const messages = [
      ...history,
      { role: 'assistant', content: kept },
      { role: 'user', content: [result(String(kept[1]?.['id']))] },
    ];
    const answer = await harness.post({ ...body, messages });
    assert.equal(answer.status, 200, answer.text);
  });

  test('refuses a foreign signature in an earlier message', async () => {
    const { next } = await toolLoop();
    const edit = changed(next, ([first, ...rest]) => [{ ...first, signature: 'sim1.abc.def' }, ...rest]);
    const messages = [
      ...(edit['messages'] as Body[]),
      { role: 'assistant', content: 'ok' },
      { role: 'user', content: 'b' },
    ];
    refused(
      await harness.post({ ...edit, messages }),
      /messages\.1\.content\.0: Invalid `signature` in `thinking` block$/,
    );
  });

  test('takes text put into an omitted thinking block', async () => {
    const { next, content } = await toolLoop({ thinking: { type: 'adaptive' } });
    assert.equal(content[0]?.['thinking'], '');
    const edit = changed(next, ([first, ...rest]) => [{ ...first, thinking: 'A note.' }, ...rest]);
    assert.equal((await harness.post(edit)).status, 200);
  });

  for (const [what, change] of [
    ['system prompt', (body: Body) => ({ ...body, system: 'Today is Monday.' })],
    [
      'tool list',
      (body: Body) => ({ ...body, tools: [...tools, { name: 'new_tool', input_schema: { type: 'object' } }] }),
    ],
    [
      'first message',
      (body: Body) => {
        const [first, ...rest] = body['messages'] as Body[];
        return { ...body, messages: [{ ...first, content: `${String(first?.['content'])} ` }, ...rest] };
      },
    ],
  ] as const) {
    test(`refuses thinking after a changed ${what}: it is bound to what came before`, async () => {
      const { next } = await toolLoop();
      refused(await harness.post(change(next)), /messages\.1\.content\.0: .*bound to a different conversation/);
    });
  }

  test('drops such blocks when it is told to, and says which', async () => {
    const { next } = await toolLoop();
    const config = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } };
    const answer = await harness.post({ ...next, system: 'Other.', thinking: config }, { 'anthropic-beta': binding });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body?.['input_transformations'], [
      { type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'prefix_binding_mismatch' },
    ]);
  });

  test('binds thinking to the order of the keys in a call, as the model saw them', async () => {
    const { body, content, history } = await begin([{ steps: [thinking, call, thinking, call] }]);
    const ids = content.filter((block) => block['type'] === 'tool_use').map((block) => String(block['id']));
    const messages = [
      ...history,
      { role: 'assistant', content },
      { role: 'user', content: ids.map((id) => result(id)) },
    ];
    const swap = changed({ ...body, messages }, (blocks) => {
      if (blocks[1]) blocks[1]['input'] = { b: 1, command: 'ls' };
      return blocks;
    });
    refused(await harness.post(swap), /was modified/);
  });

  test('takes the thinking of another model, unread', async () => {
    const { body, content, history } = await begin([{ steps: [thinking, say('Hello')] }]);
    const messages = [...history, { role: 'assistant', content }, { role: 'user', content: 'b' }];
    const other = { ...body, model: MINI_MODEL, tools: [], thinking: undefined, system: 'Other.', messages };
    assert.equal((await harness.post(other)).status, 200);
  });

  test('keeps thinking valid through a restart of the simulator', async () => {
    const { next } = await toolLoop();
    const second = await startHarness();
    try {
      assert.equal((await second.post(next)).status, 200);
      refused(await second.post({ ...next, system: 'x' }), /bound to a different conversation/);
    } finally {
      await second.simulator.close();
    }
  });

  test('refuses a message that ends in thinking', async () => {
    const { body, content, history } = await begin([{ steps: [thinking, say('Hello')] }]);
    const messages = [...history, { role: 'assistant', content: content.slice(0, 1) }, { role: 'user', content: 'b' }];
    refused(await harness.post({ ...body, messages }), /final block in an assistant message cannot be `thinking`/);
  });

  test('refuses a call whose input was changed', async () => {
    const { next } = await toolLoop();
    const edit = changed(next, (content) =>
      content.map((block) => (block['type'] === 'tool_use' ? { ...block, input: {} } : block)),
    );
    refused(await harness.post(edit), /`tool_use` block was modified/);
  });

  test('refuses a server result that was changed', async () => {
    const { body, content, history } = await begin([{ steps: [{ type: 'bash_code_execution', command: 'echo hi' }] }]);
    const next = { ...body, messages: [...history, { role: 'assistant', content }, { role: 'user', content: 'b' }] };
    assert.equal((await harness.post(next)).status, 200);
    const edit = changed(next, (blocks) => {
      const last = blocks.at(-1)?.['content'] as Body;
      last['stdout'] = 'ho';
      return blocks;
    });
    refused(await harness.post(edit), /`bash_code_execution_tool_result` block was modified/);
  });

  test('takes back a block of an unknown type as it sent it, and no other', async () => {
    const { body, content, history } = await begin([
      { steps: [{ type: 'block', block: { type: 'hologram', data: 'x' } }, say('Hello')] },
    ]);
    const next = { ...body, messages: [...history, { role: 'assistant', content }, { role: 'user', content: 'b' }] };
    assert.equal((await harness.post(next)).status, 200);
    refused(await harness.post(changed(next, ([first, ...rest]) => [{ ...first, data: 'y' }, ...rest])), /'hologram'/);
  });

  test('goes on with a paused turn, its open call answered first', async () => {
    const { body, answer, content, history } = await begin([
      {
        steps: [say('Working.'), { type: 'bash_code_execution', command: 'echo done', deferred: true }],
        stop: { reason: 'pause_turn' },
      },
      { steps: [say('It said {{result}}')] },
    ]);
    assert.equal(answer['stop_reason'], 'pause_turn');
    assert.deepEqual(
      content.map((block) => block['type']),
      ['text', 'server_tool_use'],
    );
    const next = await harness.post({ ...body, messages: [...history, { role: 'assistant', content }] });
    const [first, second] = next.body?.['content'] as Body[];
    assert.equal(first?.['type'], 'bash_code_execution_tool_result');
    assert.equal(first['tool_use_id'], content[1]?.['id']);
    assert.equal((first['content'] as Body)['stdout'], 'done\n');
    assert.equal(second?.['type'], 'text');
  });

  test('goes on with a turn that paused after text, and takes no other prefill', async () => {
    const { body, content, history } = await begin([{ steps: [say('Working.')], stop: { reason: 'pause_turn' } }]);
    assert.equal((await harness.post({ ...body, messages: [...history, { role: 'assistant', content }] })).status, 200);
    const other = { role: 'assistant', content: [text('Working!')] };
    refused(await harness.post({ ...body, messages: [...history, other] }), /assistant message prefill/);
  });

  test('runs the server call of a mixed group once the client results are there', async () => {
    const { body, answer, content, history } = await begin([
      { steps: [call, { type: 'bash_code_execution', command: 'echo late', deferred: true }] },
      { steps: [say('Both are done.')] },
    ]);
    assert.equal(answer['stop_reason'], 'tool_use');
    const results = [result(String(content[0]?.['id']))];
    const next = await harness.post({
      ...body,
      messages: [...history, { role: 'assistant', content }, { role: 'user', content: results }],
    });
    const second = next.body?.['content'] as Body[];
    assert.deepEqual(
      second.map((block) => block['type']),
      ['bash_code_execution_tool_result', 'text'],
    );
    assert.equal(second[0]?.['tool_use_id'], content[1]?.['id']);
  });

  test('answers the first try and the repetition differently when the script says so', async () => {
    const cut: Reply = {
      steps: [{ type: 'tool_use', name: 'bash', input: {}, raw: '{"comm' }],
      stop: { reason: 'max_tokens' },
    };
    const { body, answer } = await begin([[cut, { steps: [say('Whole.')] }]]);
    assert.equal(answer['stop_reason'], 'max_tokens');
    const again = await harness.post({ ...body, max_tokens: 2000 });
    assert.deepEqual(
      (again.body?.['content'] as Body[]).map((block) => block['text']),
      ['Whole.'],
    );
  });

  test('reuses a container by its id, and refuses it when it has expired', async () => {
    const first = await begin([{ steps: [{ type: 'bash_code_execution', command: 'echo kept > note.txt' }] }]);
    const { id } = first.answer['container'] as { id: string };
    const second = await begin([{ steps: [{ type: 'bash_code_execution', command: 'cat note.txt' }] }], {
      container: id,
    });
    assert.equal((second.content[1]?.['content'] as Body)['stdout'], 'kept\n');
    assert.equal((second.answer['container'] as Body)['id'], id);
    harness.simulator.expireContainer(id);
    refused(await harness.post(second.body), new RegExp(`Container ${id} has expired`));
  });

  test('counts what the cache holds of a prefix', async () => {
    const system = [text('Rules. '.repeat(800), { cache_control: { type: 'ephemeral' } })];
    const first = await begin([{ steps: [say('Hello')] }], { system });
    const again = await harness.post(first.body);
    const written = first.answer['usage'] as Record<string, number>;
    const read = again.body?.['usage'] as Record<string, number>;
    assert.ok((written['cache_creation_input_tokens'] ?? 0) > 1000);
    assert.equal(written['cache_read_input_tokens'], 0);
    assert.equal(read['cache_read_input_tokens'], written['cache_creation_input_tokens']);
    assert.equal(read['cache_creation_input_tokens'], 0);
    const other = await harness.post({ ...first.body, system: [{ ...system[0], text: `x${'Rules. '.repeat(800)}` }] });
    assert.equal((other.body?.['usage'] as Body)['cache_read_input_tokens'], 0);
  });
});

suite('validateRequest without a server', () => {
  const body = request({
    container: 'container_1',
    tools,
    messages: [
      { role: 'user', content: [text('a'), { type: 'container_upload', file_id: 'file_1' }] },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: 'any' }, text('b')] },
      { role: 'user', content: 'c' },
    ],
  });

  test('takes unknown signatures, files and containers only when it is told to', () => {
    const open = createIssuedState({
      acceptUnknownSignatures: true,
      acceptUnknownFiles: true,
      acceptUnknownContainers: true,
    });
    assert.equal(validateRequest(body, open), null);
    assert.notEqual(validateRequest(body, createIssuedState()), null);
    assert.notEqual(validateRequest(body, createIssuedState({ acceptUnknownSignatures: true })), null);
  });

  test('changes neither the body nor the state', () => {
    const state = createIssuedState();
    const before = structuredClone(body);
    validateRequest(body, state);
    assert.deepEqual(body, before);
    assert.equal(state.blocks.size + state.responses.size + state.paused.size + state.unknownBlocks.size, 0);
    assert.equal(body['model'], MODEL);
  });
});
