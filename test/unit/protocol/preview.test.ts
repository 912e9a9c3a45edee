import assert from 'node:assert/strict';
import { MOST_READ, parseFromPreview } from '../../../src/protocol/preview.ts';

suite('messages of the preview', () => {
  test('are taken with exactly their fields', () => {
    const read = { type: 'read', id: 1, offset: 0, length: MOST_READ };
    assert.deepEqual(parseFromPreview({ ...read, path: '/etc/passwd' }), read);
    assert.deepEqual(parseFromPreview({ type: 'act', action: 'saveAs' }), { type: 'act', action: 'saveAs' });
    assert.deepEqual(parseFromPreview({ type: 'ready' }), { type: 'ready' });
    const link = { type: 'link', url: 'https://example.com/' };
    assert.deepEqual(parseFromPreview(link), link);
  });

  test('that fit nothing are dropped', () => {
    for (const value of [
      undefined,
      'ready',
      { type: 'toString' },
      { type: 'act', action: 'delete' },
      { type: 'read', id: 1, offset: -1, length: 1 },
      { type: 'read', id: 1, offset: 0, length: MOST_READ + 1 },
      { type: 'read', id: 1, offset: 0.5, length: 1 },
      { type: 'log', text: 1 },
      { type: 'link', url: 'x'.repeat(9_000) },
    ]) {
      assert.equal(parseFromPreview(value), undefined, JSON.stringify(value));
    }
  });
});
