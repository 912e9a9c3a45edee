import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { ApiError, CancelledError, ToolError, UserError } from '../../../src/core/errors.ts';
import type * as Errors from '../../../src/core/errors.ts';

const PATH = '../../../src/core/errors.ts';

suite('our errors', () => {
  /** As another bundle has it. */
  function secondCopy(): typeof Errors {
    const require = createRequire(__filename);
    const path = require.resolve(PATH);
    const first = require.cache[path];
    Reflect.deleteProperty(require.cache, path);
    try {
      return require(PATH) as typeof Errors;
    } finally {
      if (first) require.cache[path] = first;
    }
  }

  test('are known across bundles, each of which has its own copy of their classes', () => {
    const other = secondCopy();
    assert.notEqual(other.ApiError, ApiError);
    const thrown = new other.ApiError({ kind: 'no-key', message: 'No key' });
    assert.ok(thrown instanceof ApiError && thrown.failure.kind === 'no-key');
    assert.ok(new other.UserError('x') instanceof UserError);
    assert.ok(new other.ToolError('x') instanceof ToolError);
    assert.ok(new other.CancelledError() instanceof CancelledError);
  });

  test('are not taken for one another, and nothing else is taken for them', () => {
    assert.ok(!(new UserError('x') instanceof ToolError));
    assert.ok(!(new Error('x') instanceof UserError));
    for (const odd of [undefined, null, 'UserError', { name: 'UserError' }])
      assert.ok(!((odd as unknown) instanceof UserError));
  });
});
