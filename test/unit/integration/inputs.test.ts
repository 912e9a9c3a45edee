import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SessionController } from '../../../src/core/agent/controllerTypes.ts';
import { createAttachmentStore } from '../../../src/node/attachments/attachmentStore.ts';
import { createClock } from '../../../src/node/clock.ts';
import { createIds } from '../../../src/node/ids.ts';
import { createLocalFiles } from '../../../src/node/inputs/localFiles.ts';
import { createUploadMemory } from '../../../src/node/inputs/uploadMemory.ts';
import type { Container } from '../../../src/simulator/sandbox.ts';
import type { Reply } from '../../../src/simulator/scenario.ts';
import { scriptPrompt, scripted } from '../../../src/simulator/scenarios/scripted.ts';
import { startSimulator, type Simulator } from '../../../src/simulator/server.ts';
import { fakeLogger } from '../../support/fakes.ts';
import { assertSentFitsSdk } from '../../support/sdkRequests.ts';
import { finish, simulated } from '../../support/simulated.ts';

const LIST = 'ls -la "${INPUT_DIR:-.}"; wc -l < sales.csv';
const runs = (command: string, ...more: Reply['steps']): Reply => ({
  steps: [{ type: 'bash_code_execution', command }, { type: 'text', text: 'Done.' }, ...more],
});

suite('files of the user against the simulator', () => {
  let simulator: Simulator;
  let folder = '';
  let controller: SessionController;

  setup(async () => {
    simulator = await startSimulator({ scenario: scripted });
    folder = await mkdtemp(join(tmpdir(), 'loopdock-inputs-'));
    const attachments = createAttachmentStore({ dir: join(folder, 'attachments'), ids: createIds(), maxBytes: 1e8 });
    const files = createLocalFiles({ roots: () => [folder], isIgnored: () => Promise.resolve(false) });
    const memory = createUploadMemory({ path: join(folder, 'uploads.json'), logger: fakeLogger() });
    const deps = { clock: createClock(), attachments, inputs: { ...files, ...memory } };
    ({ controller } = simulated({ simulator, dir: join(folder, 'sessions'), deps }));
    await writeFile(join(folder, 'sales.csv'), 'a,b\n1,2\n');
    const local = await files.look(pathToFileURL(join(folder, 'sales.csv')).toString());
    controller.tray.add({ ...local, from: { local } });
  });
  teardown(async () => {
    controller.dispose();
    await simulator.close();
    await rm(folder, { recursive: true, force: true });
  });

  const say = async (text: string, ...replies: readonly Reply[]): Promise<void> => {
    await controller.submit(scriptPrompt(text, replies));
    await finish(controller);
  };
  const outputs = (): readonly string[] =>
    controller
      .snapshot()
      .rows.flatMap((row) => (row.kind === 'tool' && row.body.kind === 'terminal' ? [row.body.output] : []));
  const statuses = (): readonly (number | undefined)[] =>
    simulator.requests.filter(({ path }) => path === '/v1/messages').map(({ status }) => status);

  test('a table is there for the first command, and is what it was on this computer', async () => {
    await say('Count', runs(LIST));
    assert.match(outputs()[0] ?? '', /sales\.csv[^]*\n2$/m);
    const [container] = controller.containers.view().list;
    assert.deepEqual([container?.state, container?.inputs.map(({ name }) => name)], ['current', ['sales.csv']]);
    assert.equal(controller.containers.view().missing, false);
    assertSentFitsSdk(simulator.requests);
  });

  test('what a command changes in an input stays changed: it is put there once', async () => {
    await say('Change it', runs('echo more >> sales.csv'));
    await say('Count', runs(LIST));
    assert.match(outputs()[1] ?? '', /\n3$/m);
  });

  for (const refusal of ['expired', 'missing', 'broken'] satisfies Container['refusal'][]) {
    test(`a container that is gone (${refusal}) costs one retry, and the new one has the inputs [C133,H1]`, async () => {
      await say('Begin', runs('echo made > made.txt', { type: 'expire_container', refusal }));
      await say('Go on', runs(`${LIST}; ls made.txt`));
      assert.deepEqual(statuses(), [200, { expired: 400, missing: 404, broken: 500 }[refusal], 200]);
      assert.match(outputs()[1] ?? '', /sales\.csv[^]*No such file/);
      const titles = controller.snapshot().rows.flatMap((row) => (row.kind === 'notice' ? [row.title] : []));
      assert.match(titles[0] ?? '', /no longer has the container/);
      assert.equal(titles[1], 'Sent to the new container: sales.csv');
    });
  }

  test('a full storage keeps the message and its file', async () => {
    simulator.files.quotaBytes = 7;
    await say('Count', runs(LIST));
    assert.deepEqual(statuses(), []);
    assert.deepEqual(
      controller.snapshot().state.queued.map(({ files }) => files),
      [['sales.csv']],
    );
    assert.match(JSON.stringify(controller.snapshot().rows), /storage of your organization is full/);
  });

  test('an upload that has expired is uploaded again, and the next request names the new one', async () => {
    await say('Keep it', { steps: [{ type: 'text', text: 'Kept.' }] });
    const [first] = simulator.files.list();
    simulator.files.expire(first?.id ?? '');
    await say('Count', runs(LIST));
    assert.deepEqual(statuses(), [200, 404, 200]);
    assert.match(outputs()[0] ?? '', /\n2$/m);
    assert.equal(simulator.files.list().length, 2);
  });
});
