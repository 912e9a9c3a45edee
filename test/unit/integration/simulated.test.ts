import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionController } from '../../../src/core/agent/controllerTypes.ts';
import type { ModelEvent } from '../../../src/core/ports.ts';
import { createAttachmentStore } from '../../../src/node/attachments/attachmentStore.ts';
import { createClock } from '../../../src/node/clock.ts';
import { createIds } from '../../../src/node/ids.ts';
import type { Reply } from '../../../src/simulator/scenario.ts';
import { scriptPrompt, scripted } from '../../../src/simulator/scenarios/scripted.ts';
import { startSimulator, type Simulator } from '../../../src/simulator/server.ts';
import { assertSentFitsSdk } from '../../support/sdkRequests.ts';
import { finish, refused, simulated } from '../../support/simulated.ts';

interface World {
  readonly simulator: Simulator;
  readonly controller: SessionController;
  readonly folder: string;
  dispose(): Promise<void>;
}

/** The real client rooms and stores against the simulator, in real time. */
async function open(simulator: Simulator, onEvent?: (event: ModelEvent) => void, existing?: string): Promise<World> {
  const folder = existing ?? (await mkdtemp(join(tmpdir(), 'loopdock-integration-')));
  const attachments = createAttachmentStore({ dir: join(folder, 'attachments'), ids: createIds(), maxBytes: 1e8 });
  const deps = { clock: createClock(), attachments };
  const { controller } = simulated({ simulator, dir: join(folder, 'sessions'), onEvent, deps });
  return {
    simulator,
    controller,
    folder,
    dispose: async () => {
      controller.dispose();
      if (existing === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

const TURN: readonly Reply[] = [
  {
    steps: [
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'First I look.' },
      { type: 'tool_use', name: 'echo', input: { text: 'a' } },
      { type: 'tool_use', name: 'effect', input: { name: 'b' } },
    ],
  },
  {
    steps: [
      { type: 'thinking', text: 'so' },
      { type: 'bash_code_execution', command: 'echo hello; echo data > "$OUTPUT_DIR/out.txt"' },
      { type: 'text', text: 'There is a file.' },
      { type: 'bash_code_execution', command: 'echo later', deferred: true },
      { type: 'tool_use', name: 'echo', input: { text: 'c' } },
    ],
  },
  { steps: [{ type: 'text', text: 'All done.' }] },
];
const PROMPT = scriptPrompt('Do all of it.', TURN);

suite('the client against the simulator', () => {
  let simulator: Simulator;
  suiteSetup(async () => {
    simulator = await startSimulator({ scenario: scripted, chunkSize: 6 });
  });
  suiteTeardown(() => simulator.close());

  test('runs a whole turn with tools on both computers and stores the file', async () => {
    const events: ModelEvent[] = [];
    const world = await open(simulator, (event) => events.push(event));
    await world.controller.submit(PROMPT);
    await finish(world.controller);
    const { rows, state } = world.controller.snapshot();
    assert.deepEqual(
      rows.map((row) =>
        row.kind === 'tool'
          ? `${row.tool} ${row.status}`
          : row.kind === 'attachment'
            ? `${row.name} ${row.state}`
            : row.kind,
      ),
      [
        'user',
        'thinking',
        'text',
        'echo done',
        'effect done',
        'thinking',
        'bash_code_execution done',
        'out.txt stored',
        'text',
        'bash_code_execution done',
        'echo done',
        'text',
      ],
    );
    assert.match(state.container?.id ?? '', /^container_/);
    const stored = rows.find((row) => row.kind === 'attachment');
    const hash = world.controller.files.find(stored?.kind === 'attachment' ? stored.fileId : '')?.hash ?? '';
    assert.equal(await readFile(join(world.folder, 'attachments', 'blobs', hash), 'utf8'), 'data\n');
    assert.deepEqual(refused(simulator), []);
    assertSentFitsSdk(simulator.requests);
    await world.dispose();
  });

  test('takes the next prompt after a cancel at any event of the stream', async () => {
    let total = 0;
    const whole = await open(simulator, () => (total += 1));
    await whole.controller.submit(PROMPT);
    await finish(whole.controller);
    await whole.dispose();
    assert.ok(total > 50, String(total));
    // Every event in the soak; in the ordinary run every third and the last.
    const step = process.env['LOOPDOCK_SOAK'] === '1' ? 1 : 3;
    for (let at = 1; at <= total; at += step) {
      let seen = 0;
      const world = await open(simulator, () => {
        seen += 1;
        if (seen === at) void world.controller.stop();
      });
      await world.controller.submit(PROMPT);
      await finish(world.controller);
      await world.controller.submit('And now?');
      await finish(world.controller);
      const last = world.controller.snapshot().rows.at(-1);
      assert.equal(
        last?.kind === 'text' && last.text,
        'Simulated answer to: And now?',
        `cancelled at event ${String(at)}`,
      );
      await world.dispose();
    }
    assert.deepEqual(refused(simulator), []);
  }).timeout(180_000);

  test('goes on with a session from its file, in another process of the same machine', async () => {
    const first = await open(simulator);
    await first.controller.submit(PROMPT);
    await finish(first.controller);
    const id = first.controller.snapshot().state.sessionId;
    const rows = first.controller.snapshot().rows;
    first.controller.dispose();
    const second = await open(simulator, undefined, first.folder);
    await second.controller.openSession(id);
    assert.deepEqual(second.controller.snapshot().rows, rows);
    await second.controller.submit('And now?');
    await finish(second.controller);
    assert.deepEqual(refused(simulator), []);
    const log = await readFile(join(first.folder, 'sessions', `${id}.jsonl`), 'utf8');
    assert.equal(log.includes(simulator.key), false);
    await second.dispose();
    await rm(first.folder, { recursive: true, force: true });
  });

  test('waits as long as retry-after asks and then goes on', async () => {
    const world = await open(simulator);
    simulator.faults.add({ kind: 'status', status: 529, headers: { 'retry-after': '1' } });
    const began = Date.now();
    await world.controller.submit('Hello');
    await finish(world.controller);
    assert.ok(Date.now() - began >= 1000);
    assert.equal(world.controller.snapshot().rows.at(-1)?.kind, 'text');
    await world.dispose();
  });

  test('an expired container is named no more, and the conversation goes on', async () => {
    const world = await open(simulator);
    await world.controller.submit(PROMPT);
    await finish(world.controller);
    simulator.expireContainer(world.controller.snapshot().state.container?.id ?? '');
    await world.controller.submit('And now?');
    await finish(world.controller);
    const last = world.controller.snapshot().rows.at(-1);
    assert.equal(last?.kind === 'text' && last.text, 'Simulated answer to: And now?');
    await world.dispose();
  });
});
