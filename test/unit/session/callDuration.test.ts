import assert from 'node:assert/strict';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import { presenterOf } from '../../../src/core/agent/presenter.ts';
import { createTranscript } from '../../../src/core/session/transcript.ts';
import { logOf } from '../../support/logOf.ts';
import { serverCall, serverResult } from '../../support/scriptedModel.ts';

suite('the card of a command in the sandbox', () => {
  test('says how long it took, by our own clock', () => {
    const [call, result] = logOf(
      { type: 'assistantBlock', messageId: 'm1', index: 0, block: serverCall('srvtoolu_1', 'ls') },
      { type: 'assistantBlock', messageId: 'm1', index: 1, block: serverResult('srvtoolu_1', 'x') },
    );
    assert.ok(call && result);
    const durationAt = (at: string): unknown => {
      const transcript = createTranscript(presenterOf([codeExecutionTool]));
      transcript.apply({ type: 'entry', entry: call });
      transcript.apply({ type: 'entry', entry: { ...result, at } });
      const [row] = transcript.rows();
      return row?.kind === 'tool' && row.body.kind === 'terminal' ? row.body.durationMs : 'no card';
    };
    assert.equal(durationAt('2026-01-01T00:00:02.500Z'), 2500);
    // A clock that was set back measures nothing.
    assert.equal(durationAt('2025-12-31T00:00:00.000Z'), undefined);
  });
});
