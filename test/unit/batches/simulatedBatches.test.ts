import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import type { MessageBatchIndividualResponse } from '@anthropic-ai/sdk/resources/messages/batches';
import { request, startHarness, type Body, type Harness } from '../simulator/harness.ts';

suite('batches of the simulator', () => {
  let harness: Harness;
  let client: Anthropic;
  suiteSetup(async () => {
    harness = await startHarness({ batchItemMs: 1 });
    const { key, url } = harness.simulator;
    client = new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 });
  });
  suiteTeardown(() => harness.simulator.close());

  async function resultsOf(params: readonly Body[]): Promise<readonly MessageBatchIndividualResponse['result'][]> {
    const requests = params.map((fields, index) => ({ custom_id: `i${String(index)}`, params: request(fields) }));
    const { id } = await client.messages.batches.create({ requests } as never);
    for (let i = 0; i < 200; i++) {
      const { processing_status } = await client.messages.batches.retrieve(id);
      if (processing_status === 'ended') break;
    }
    const lines: MessageBatchIndividualResponse[] = [];
    for await (const line of await client.messages.batches.results(id)) lines.push(line);
    // They come in another order than they were asked for.
    assert.notDeepEqual(
      lines.map(({ custom_id }) => custom_id),
      requests.map(({ custom_id }) => custom_id),
    );
    return requests.map(({ custom_id }) => lines.find((line) => line.custom_id === custom_id)?.result ?? assert.fail());
  }

  test('judge each item while they work on it, and no item spoils another [C143]', async () => {
    const results = await resultsOf([
      {},
      { stream: true },
      { max_tokens: 0 },
      { speed: 'fast' },
      { fallbacks: [] },
      { model: 'no' },
    ]);
    assert.deepEqual(
      results.map((result) => (result.type === 'errored' ? result.error.error.message : result.type)),
      [
        'succeeded',
        'stream: not supported in batches',
        'max_tokens: must be at least 1 in batches',
        'speed: not supported in batches',
        'fallbacks: not supported in batches',
        'model: no',
      ],
    );
  });

  const item = (fields: Body = {}): Body => ({ custom_id: 'a', params: request(), ...fields });
  const refused: readonly (readonly [Body, RegExp])[] = [
    [{ requests: [] }, /at least 1/],
    [{}, /Field required/],
    [{ requests: [item()], model: 'x' }, /model: Extra inputs/],
    [{ requests: [item({ custom_id: 'a b' })] }, /should match pattern/],
    [{ requests: [item({ custom_id: 'x'.repeat(65) })] }, /should match pattern/],
    [{ requests: [item(), item()] }, /duplicate custom_id/],
    [{ requests: [item({ params: undefined })] }, /params: Field required/],
    [{ requests: [item({ extra: 1 })] }, /extra: Extra inputs/],
  ];
  test('refuse what is no batch', async () => {
    for (const [body, says] of refused) {
      const answer = await harness.send('/v1/messages/batches', { method: 'POST', body: JSON.stringify(body) });
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.text, says);
    }
  });

  test('are listed newest first, and gone when they were deleted', async () => {
    const requests = [{ custom_id: 'a', params: request() }];
    const first = await client.messages.batches.create({ requests } as never);
    const second = await client.messages.batches.create({ requests } as never);
    const { data } = await client.messages.batches.list({ limit: 2 });
    assert.deepEqual(
      data.map(({ id }) => id),
      [second.id, first.id],
    );
    await client.messages.batches.cancel(second.id);
    for (let i = 0; i < 200; i++) {
      if ((await client.messages.batches.retrieve(second.id)).processing_status === 'ended') break;
    }
    await client.messages.batches.delete(second.id);
    await assert.rejects(client.messages.batches.retrieve(second.id), Anthropic.NotFoundError);
  });
});
