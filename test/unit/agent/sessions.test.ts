import assert from 'node:assert/strict';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import type { SessionController } from '../../../src/core/agent/controllerTypes.ts';
import { UserError } from '../../../src/core/errors.ts';
import type { NewEntry } from '../../../src/core/session/entries.ts';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import { agentWorld, effectTool, type AgentWorld } from '../../support/agent.ts';
import { idle, queuedTexts, untilWaiting } from '../../support/agentRun.ts';
import { settle } from '../../support/fakes.ts';
import { logOf } from '../../support/logOf.ts';
import { call, scriptedModel, serverCall, serverResult, text } from '../../support/scriptedModel.ts';

const HELLO: NewEntry = { type: 'userMessage', text: 'Hello', content: [{ type: 'text', text: 'Hello' }] };
const KILLED = logOf(HELLO, { type: 'turnStarted', turnId: 't1' });
const WITH_FAILED_FILE = logOf(
  HELLO,
  { type: 'assistantBlock', messageId: 'm', index: 0, block: serverCall('srvtoolu_1', 'plot') },
  { type: 'assistantBlock', messageId: 'm', index: 1, block: serverResult('srvtoolu_1', '', ['file_abcdefgh1']) },
  {
    type: 'attachmentStored',
    callId: 'srvtoolu_1',
    fileId: 'file_abcdefgh1',
    name: 'chart.png',
    mimeType: 'image/png',
    size: 0,
    failure: '503',
  },
);

function texts(controller: SessionController): string[] {
  return controller.snapshot().rows.flatMap((row) => ('text' in row ? [row.text] : []));
}

function attachment(controller: SessionController): readonly unknown[] {
  const row = controller.snapshot().rows.find((known) => known.kind === 'attachment');
  return row?.kind === 'attachment' ? [row.state, row.failure] : [];
}

function controllerOf(world: AgentWorld): SessionController {
  return createSessionController(world);
}

suite('switching sessions', () => {
  test('two opens of one session at once leave it writable', async () => {
    const world = agentWorld(scriptedModel([]));
    world.logs.seed('s1', logOf(HELLO));
    const controller = controllerOf(world);
    await Promise.all([controller.openSession('s1'), controller.openSession('s1')]);
    assert.equal(controller.snapshot().state.readOnly, false);
    await controller.submit('On');
    await idle(controller);
    assert.ok(world.logs.stored('s1').some((entry) => entry.type === 'userMessage' && entry.text === 'On'));
  });

  test('a message that is sent while a session opens goes to that session', async () => {
    const world = agentWorld(scriptedModel([{ blocks: [text('Hi')] }]));
    world.logs.seed('s1', KILLED);
    const controller = controllerOf(world);
    const opening = controller.openSession('s1');
    await Promise.all([opening, controller.submit('On')]);
    await idle(controller);
    assert.deepEqual(texts(controller), ['Hello', 'On', 'Hi']);
    assert.deepEqual(world.logger.problems(), []);
    assert.equal((await controller.sessions()).length, 1);
  });

  test('a message that is sent while the old turn is being stopped is sent in the new session', async () => {
    const model = scriptedModel([
      { blocks: [call('toolu_1', 'effect', { name: 'a' })], stop: 'tool_use' },
      { blocks: [text('Hi')] },
    ]);
    const world = agentWorld(model, [effectTool({ hang: true })]);
    const controller = controllerOf(world);
    await controller.submit('first');
    await untilWaiting(controller);
    const leaving = controller.newSession();
    const sent = controller.submit('second');
    await Promise.all([leaving, sent]);
    await idle(controller);
    assert.deepEqual([texts(controller), queuedTexts(controller)], [['second', 'Hi'], []]);
  });

  test('a session whose turn can not be closed is shown all the same', async () => {
    const world = agentWorld(scriptedModel([]));
    world.logs.seed('s1', KILLED);
    world.logs.failWith(new UserError('The disk is full.'));
    const controller = controllerOf(world);
    await controller.openSession('s1');
    const { rows, state } = controller.snapshot();
    assert.deepEqual([state.sessionId, rows[0]?.kind], ['s1', 'user']);
    const notice = rows.at(-1);
    assert.equal(notice?.kind === 'notice' && notice.detail, 'The disk is full.');
  });

  test('a session that could only be read can be written once the other window has let go of it', async () => {
    const world = agentWorld(scriptedModel([]));
    world.logs.seed('s1', KILLED);
    world.logs.heldElsewhere.add('s1');
    const controller = controllerOf(world);
    await controller.openSession('s1');
    assert.equal(controller.snapshot().state.readOnly, true);
    world.logs.heldElsewhere.delete('s1');
    await controller.openSession('s1');
    assert.equal(controller.snapshot().state.readOnly, false);
  });
});

suite('what was typed', () => {
  test('is in the queue when it could not be recorded', async () => {
    const world = agentWorld(scriptedModel([]));
    const controller = controllerOf(world);
    await controller.submit('first');
    await idle(controller);
    world.logs.failWith(new UserError('The disk is full.'));
    await controller.submit('second');
    await idle(controller);
    assert.deepEqual(queuedTexts(controller), ['second']);
  });

  test('stays in the queue when the turn before it failed [F7]', async () => {
    const model = scriptedModel([{ fail: { kind: 'authentication', message: 'No' } }]);
    const controller = controllerOf(agentWorld(model));
    await controller.submit('first');
    await controller.submit('second');
    await idle(controller);
    await settle();
    assert.equal(model.requests.length, 1);
    assert.deepEqual(queuedTexts(controller), ['second']);
  });
});

suite('the end of a turn', () => {
  test('that the log could not record leaves nothing on screen that seems to go on', async () => {
    const blocks = [text('Some'), call('toolu_1', 'effect', { name: 'a' }), text('more')];
    const model = scriptedModel([{ blocks, stop: 'tool_use' }]);
    const world = agentWorld(model, [effectTool()]);
    world.logs.onAppend = (entry) =>
      entry.type === 'assistantBlock' && entry.index === 1 && world.logs.failWith(new UserError('The disk is full.'));
    const controller = controllerOf(world);
    await controller.submit('Go');
    await idle(controller);
    assert.deepEqual(
      controller
        .snapshot()
        .rows.filter(
          (row) => ('streaming' in row && row.streaming) || (row.kind === 'tool' && row.status !== 'cancelled'),
        ),
      [],
    );
  });

  test('is announced in words', async () => {
    const said: string[] = [];
    const controller = controllerOf(agentWorld(scriptedModel([{ blocks: [text('Hm')], stop: 'unheard_of' }])));
    controller.onAnnounce((sentence) => said.push(sentence));
    await controller.submit('Go');
    await idle(controller);
    assert.deepEqual(said, ['The turn ended for a reason that this version does not know: unheard_of']);
  });

  test('costs no more per entry in a long session than in a short one', async () => {
    const model = scriptedModel([{ blocks: Array.from({ length: 200 }, (_, i) => text(String(i))) }]);
    const world = agentWorld(model);
    let reads = 0;
    const controller = createSessionController({
      ...world,
      logs: {
        ...world.logs,
        create: async (folders) => {
          const log = await world.logs.create(folders);
          const entries = (): ReturnType<typeof log.entries> => {
            reads += 1;
            return log.entries();
          };
          return { ...log, entries };
        },
      },
    });
    await controller.submit('Go');
    await idle(controller);
    assert.ok(reads < 20, `the whole log was read ${String(reads)} times`);
  });
});

suite('a file that is fetched again', () => {
  async function opened(): Promise<{ world: AgentWorld; controller: SessionController; asked: () => number }> {
    const world = agentWorld(scriptedModel([]), [codeExecutionTool]);
    world.logs.seed('s1', WITH_FAILED_FILE);
    world.files.files.set('file_abcdefgh1', { name: 'chart.png', bytes: Buffer.from('png') });
    let asked = 0;
    const metadata = world.files.metadata.bind(world.files);
    world.files.metadata = (id, signal) => {
      asked += 1;
      return metadata(id, signal);
    };
    const controller = controllerOf(world);
    await controller.openSession('s1');
    return { world, controller, asked: () => asked };
  }

  test('is fetched once, however often that is asked for', async () => {
    const { controller, asked } = await opened();
    await Promise.all([controller.files.retry('file_abcdefgh1'), controller.files.retry('file_abcdefgh1')]);
    assert.deepEqual([asked(), attachment(controller)], [1, ['stored', undefined]]);
  });

  test('is a failed one again when it could not be recorded', async () => {
    const { world, controller } = await opened();
    world.logs.failWith(new UserError('The disk is full.'));
    await assert.rejects(controller.files.retry('file_abcdefgh1'), /disk is full/);
    assert.deepEqual(attachment(controller), ['failed', '503']);
  });

  test('is not asked for where the session can only be read', async () => {
    const { world, controller, asked } = await opened();
    await controller.newSession();
    world.logs.heldElsewhere.add('s1');
    await controller.openSession('s1');
    await assert.rejects(controller.files.retry('file_abcdefgh1'), UserError);
    assert.deepEqual([asked(), attachment(controller)], [0, ['failed', '503']]);
  });

  test('that the user deleted is shown so, and comes back while Anthropic keeps it', async () => {
    const { controller, asked } = await opened();
    await controller.files.retry('file_abcdefgh1');
    await controller.files.forget('file_abcdefgh1', 'here');
    assert.deepEqual(
      [attachment(controller)[0], controller.files.find('file_abcdefgh1')?.hash],
      ['deleted', undefined],
    );
    await controller.files.retry('file_abcdefgh1');
    assert.deepEqual([asked(), attachment(controller)[0]], [2, 'stored']);
    await controller.files.forget('file_abcdefgh1', 'everywhere');
    await controller.files.retry('file_abcdefgh1');
    assert.deepEqual([asked(), attachment(controller)[0]], [2, 'gone']);
  });

  test('is fetched again where its log says that it is here, and it is not', async () => {
    const { world, controller, asked } = await opened();
    await controller.files.retry('file_abcdefgh1');
    world.attachments.find = () => Promise.resolve(undefined);
    await controller.files.retry('file_abcdefgh1');
    assert.equal(asked(), 2);
  });

  test('is given up with its session', async () => {
    const { world, controller } = await opened();
    let signalOf: AbortSignal | undefined;
    world.files.metadata = (_id, signal) => {
      signalOf = signal;
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    };
    const fetching = controller.files.retry('file_abcdefgh1');
    await settle();
    await controller.newSession();
    await fetching;
    assert.equal(signalOf?.aborted, true);
    assert.deepEqual(controller.snapshot().rows, []);
  });
});
