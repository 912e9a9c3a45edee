import assert from 'node:assert/strict';
import type { ChosenFile } from '../../../src/core/agent/tray.ts';
import { createForecaster, type ForecastSource } from '../../../src/core/agent/forecaster.ts';
import { createLedger } from '../../../src/core/cost/ledger.ts';
import { ApiError } from '../../../src/core/errors.ts';
import type { ModelRequest, SessionLog } from '../../../src/core/ports.ts';
import type { NewEntry } from '../../../src/core/session/entries.ts';
import { CONFIG, echoTool } from '../../support/agent.ts';
import { fakeClock, fakeLogger, settle } from '../../support/fakes.ts';
import { logOf } from '../../support/logOf.ts';
import { scriptedModel } from '../../support/scriptedModel.ts';

const MODEL = 'claude-opus-5-5';
const ENTRIES: readonly NewEntry[] = [
  { type: 'epochStarted', model: MODEL, maxTokens: 1, system: [], tools: [], betas: [], reason: 'first' },
  { type: 'userMessage', text: 'Hi', content: [{ type: 'text', text: 'Hi' }] },
  { type: 'turnStarted', turnId: 't' },
  {
    ...{ type: 'messageFinished', messageId: 'm', model: MODEL, stopReason: 'end_turn' },
    usage: { input_tokens: 0, cache_creation_input_tokens: 10_000, cache_read_input_tokens: 0, output_tokens: 100 },
  },
];

function world(changes: { busy?: boolean; count?: () => Promise<number | undefined> } = {}) {
  const entries = logOf(...ENTRIES);
  const ledger = createLedger({});
  for (const entry of entries) ledger.take(entry);
  const log = { header: { id: 's' }, entries: () => entries } as unknown as SessionLog;
  const source: { -readonly [K in keyof ForecastSource]: ForecastSource[K] } = {
    ...{ log, ledger, config: CONFIG, model: MODEL, info: undefined, busy: changes.busy ?? false },
    ...{ tools: [], skills: undefined, refusedVersions: new Set<string>() },
  };
  const asked: ModelRequest[] = [];
  const files: ChosenFile[] = [];
  const clock = fakeClock();
  const forecaster = createForecaster({
    model: {
      ...scriptedModel([]),
      countTokens: (request) => {
        asked.push(request);
        return changes.count?.() ?? Promise.resolve(12_000);
      },
    },
    ...{ clock, logger: fakeLogger(), source: () => source, files: () => files, changed: () => undefined },
  });
  const quiet = async (ms = 1_000): Promise<void> => {
    await clock.advance(ms);
    await settle();
  };
  return { forecaster, asked, quiet, source, clock, files };
}

suite('what the message in the composer would cost', () => {
  test('is estimated at once, from the last answer and what was typed', () => {
    const { forecaster, asked } = world();
    forecaster.typed('x'.repeat(350));
    assert.deepEqual([forecaster.view?.tokens, forecaster.view?.counted], [10_100 + 100, false]);
    assert.equal(asked.length, 0);
  });

  test('is counted by the API when typing pauses, once, and remembered', async () => {
    const { forecaster, asked, quiet } = world();
    for (const text of ['F', 'Fi', 'Fix it']) forecaster.typed(text);
    await quiet();
    assert.equal(asked.length, 1);
    assert.deepEqual(asked[0]?.messages.at(-1), { role: 'user', content: [{ type: 'text', text: 'Fix it' }] });
    assert.deepEqual([forecaster.view?.tokens, forecaster.view?.counted], [12_000, true]);
    forecaster.typed('Fix it now');
    forecaster.typed('Fix it ');
    await quiet();
    assert.equal(asked.length, 1);
    assert.equal(forecaster.view?.counted, true);
  });

  test('has what the session’s first request begins with, before there is one, and is counted with it', async () => {
    const { forecaster, asked, quiet, source } = world();
    Object.assign(source, { log: undefined, ledger: createLedger({}), tools: [echoTool()] });
    forecaster.typed('Hello');
    const typed = 2;
    assert.ok((forecaster.view?.tokens ?? 0) > typed + 200, String(forecaster.view?.tokens));
    await quiet();
    assert.deepEqual(
      asked[0]?.tools.map((tool) => 'name' in tool && tool.name),
      ['echo'],
    );
    assert.match(asked[0].system[0]?.text ?? '', /You are Loopdock/);
    assert.deepEqual(forecaster.view, { ...forecaster.view, tokens: 12_000, counted: true });
  });

  test('takes the cache into account while it lives', async () => {
    const { forecaster, quiet, clock } = world();
    const warmAt = Date.parse('2026-01-01T00:00:00Z');
    await clock.advance(Math.max(0, warmAt - clock.now()));
    forecaster.typed('Fix it');
    await quiet();
    // 10,000 are read (0.20 $), 2,000 written (5 $), 100 answered (20 $ a million).
    assert.equal(forecaster.view?.nano, 10_000 * 200 + 2_000 * 5_000 + 100 * 20_000);
    await clock.advance(6 * 60_000);
    forecaster.reset();
    assert.equal(forecaster.view.nano, 12_000 * 5_000 + 100 * 20_000);
  });

  test('is neither shown nor counted while a turn runs, nor for an empty composer', async () => {
    const { forecaster, asked, quiet, source } = world({ busy: true });
    forecaster.typed('Fix it');
    await quiet();
    assert.deepEqual([forecaster.view, asked.length], [null, 0]);
    source.busy = false;
    forecaster.typed('  ');
    await quiet();
    assert.deepEqual([forecaster.view, asked.length], [null, 0]);
  });

  test('has the files that go with it, which are not sent to be counted', async () => {
    const { forecaster, asked, quiet, files } = world();
    const file = { name: 'a', path: 'a', mimeType: 'image/png', size: 3_500, from: { hash: 'h' } };
    files.push(
      { id: '1', use: 'image', file: { ...file, content: 'image' } },
      { id: '2', use: 'text', file: { ...file, content: 'text' } },
      { id: '3', use: 'container', file: { ...file, content: 'binary', size: 1e8 } },
    );
    forecaster.reset();
    const all = 1_500 + 1_000 + 100;
    assert.deepEqual([forecaster.view?.tokens, forecaster.view?.counted], [10_100 + all, false]);
    await quiet();
    assert.equal(asked.length, 0);
    forecaster.typed('Fix it');
    await quiet();
    // The text was counted; with files it stays an estimate.
    assert.deepEqual([forecaster.view?.tokens, forecaster.view?.counted, asked.length], [12_000 + all, false, 1]);
    assert.doesNotMatch(JSON.stringify(asked), /image|document/);
  });

  test('is not counted by a turn that began during the pause', async () => {
    const { forecaster, asked, quiet, source } = world();
    forecaster.typed('Fix it');
    source.busy = true;
    forecaster.reset();
    await quiet();
    assert.equal(asked.length, 0);
  });

  test('stays an estimate where the address can’t count, or the count fails', async () => {
    for (const count of [
      () => Promise.resolve(undefined),
      () => Promise.reject(new ApiError({ kind: 'overloaded', message: 'busy' })),
    ]) {
      const { forecaster, quiet } = world({ count });
      forecaster.typed('Fix it');
      await quiet();
      assert.equal(forecaster.view?.counted, false);
    }
  });

  test('does not show a count that comes too late', async () => {
    let answer: (tokens: number) => void = () => undefined;
    const { forecaster, quiet } = world({ count: () => new Promise((resolve) => (answer = resolve)) });
    forecaster.typed('Fix it');
    await quiet();
    forecaster.typed('Something else entirely');
    answer(99_999);
    await settle();
    assert.notEqual(forecaster.view?.tokens, 99_999);
  });
});
