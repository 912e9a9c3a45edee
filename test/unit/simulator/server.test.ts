import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import { startSimulator } from '../../../src/simulator/server.ts';
import type { Simulator } from '../../../src/simulator/server.ts';
import { MODEL } from '../../../src/simulator/models.ts';
import { scripted, scriptPrompt } from '../../../src/simulator/scenarios/scripted.ts';

suite('simulator', () => {
  let simulator: Simulator;
  let client: Anthropic;
  setup(async () => {
    simulator = await startSimulator({ scenario: scripted });
    client = new Anthropic({ apiKey: simulator.key, baseURL: simulator.url, maxRetries: 0 });
  });
  teardown(() => simulator.close());

  test('streams text and a call that the official client puts together', async () => {
    const message = await client.messages
      .stream({
        model: MODEL,
        max_tokens: 1000,
        messages: [
          {
            role: 'user',
            content: scriptPrompt('Go', [
              {
                steps: [
                  { type: 'thinking', text: 'Hm.' },
                  { type: 'text', text: 'Grüße 👋 from the simulator' },
                  { type: 'tool_use', name: 'bash', input: { command: 'ls -la' } },
                ],
              },
            ]),
          },
        ],
        tools: [{ type: 'bash_20250124', name: 'bash' }],
      })
      .finalMessage();
    assert.equal(message.stop_reason, 'tool_use');
    assert.deepEqual(
      message.content.map((block) => block.type),
      ['thinking', 'text', 'tool_use'],
    );
    const call = message.content[2];
    assert.ok(call?.type === 'tool_use');
    assert.deepEqual(call.input, { command: 'ls -la' });
  });
});
