import assert from 'node:assert/strict';
import { misfit } from '../../support/sdkSchemas.ts';

suite("the schemas of the SDK's types", () => {
  const request = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Go' }] };

  test('take a request that is one, and say where another is none', () => {
    assert.equal(misfit(request, 'MessageCreateParamsBase'), undefined);
    assert.match(misfit({ ...request, max_tokens: '10' }, 'MessageCreateParamsBase') ?? '', /max_tokens is no number/);
    assert.match(misfit({ model: 'm', max_tokens: 1 }, 'MessageCreateParamsBase') ?? '', /messages is missing/);
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/bmp', data: 'aa' } };
    const wrong = { ...request, messages: [{ role: 'user', content: [image] }] };
    assert.match(misfit(wrong, 'MessageCreateParamsBase') ?? '', /messages\.0\.content\.0\.source\.media_type/);
  });

  test('take an event that is one, and no other', () => {
    const delta = { type: 'text_delta', text: 'x' };
    const event = { type: 'content_block_delta', index: 0, delta };
    assert.equal(misfit(event, 'RawMessageStreamEvent'), undefined);
    assert.notEqual(misfit({ ...event, index: 'x' }, 'RawMessageStreamEvent'), undefined);
    assert.notEqual(misfit({ type: 'message_stopped' }, 'RawMessageStreamEvent'), undefined);
  });
});
