/** A transcript of 5,000 rows in Chromium against one of its last 20; bytes that streaming posts against the text itself. */
import { createPatches } from '../../src/core/agent/patches.ts';
import { createClock } from '../../src/node/clock.ts';
import { PROTOCOL_VERSION } from '../../src/protocol/messages.ts';
import type { Row } from '../../src/protocol/rows.ts';
import { startHarness, type Harness } from '../webview/browser/page.ts';
import { state, text, tool, user } from '../webview/support/sample.ts';
import { start, type Figure, type Options } from './harness.ts';

const TOKENS = 200;

/** Mixed rows: of six, one of the user, three of text, two tools. */
export function makeRows(count: number): readonly Row[] {
  return Array.from({ length: count }, (_, index): Row => {
    if (index % 6 === 0) return user(`r${index}`, `Please look at file ${index} and say what is wrong with it.`);
    if (index % 6 === 2) return tool(`r${index}`, { title: `Read src/file${index}.ts`, status: 'done' });
    if (index % 6 === 4)
      return tool(`r${index}`, {
        status: 'done',
        body: { kind: 'terminal', command: 'npm test', output: 'ok\n'.repeat(30), exitCode: 0 },
      });
    return text(
      `r${index}`,
      `**Row ${index}** has a [link](https://example.com), some \`code\`\n\n\`\`\`ts\nconst a = ${index};\n\`\`\`\n`,
    );
  });
}

async function show(harness: Harness, rows: readonly Row[]): Promise<number> {
  const view = await harness.open();
  try {
    // Inside the page, so that neither the page's own start nor the way into the browser counts.
    const snapshot = { type: 'snapshot', v: PROTOCOL_VERSION, rev: 0, state: state(), rows };
    return await view.page.evaluate(async (message) => {
      const begun = performance.now();
      window.postMessage(message, '*');
      while (document.documentElement.dataset['ready'] !== 'true')
        await new Promise((resolve) => setTimeout(resolve, 0));
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      return performance.now() - begun;
    }, snapshot);
  } finally {
    await view.close();
  }
}

/** Milliseconds that tokens take to be drawn, frame by frame, at the end of these rows. */
async function stream(harness: Harness, rows: readonly Row[]): Promise<number> {
  const view = await harness.open();
  try {
    await view.show({ state: state(), rows: [...rows, text('z', '', { streaming: true })] });
    return await view.page.evaluate(async (count) => {
      const begun = performance.now();
      for (let i = 0; i < count; i++) {
        window.postMessage(
          { type: 'patch', rev: i + 1, ops: [{ op: 'append', id: 'z', field: 'text', text: 'token ' }] },
          '*',
        );
        if (i % 8 === 7) await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      return performance.now() - begun;
    }, TOKENS);
  } finally {
    await view.close();
  }
}

async function run({ sizes, rounds }: Options): Promise<readonly Figure[]> {
  const harness = await startHarness();
  const figures: Figure[] = [];
  try {
    for (const size of sizes) {
      const rows = makeRows(size);
      const times = {
        last: [] as number[],
        all: [] as number[],
        streamLast: [] as number[],
        streamAll: [] as number[],
      };
      for (let round = 0; round < rounds; round++) {
        times.last.push(await show(harness, rows.slice(-20)));
        times.all.push(await show(harness, rows));
        times.streamLast.push(await stream(harness, rows.slice(-20)));
        times.streamAll.push(await stream(harness, rows));
      }
      const least = (list: readonly number[]): number => Math.min(...list);
      figures.push(
        {
          workload: `open ${size} rows`,
          ratio: least(times.all) / least(times.last),
          target: 2,
          note: `${least(times.all).toFixed(0)} ms`,
        },
        {
          workload: `stream ${TOKENS} tokens at ${size} rows`,
          ratio: least(times.streamAll) / least(times.streamLast),
          target: 2,
          note: `${least(times.streamAll).toFixed(0)} ms`,
        },
      );
    }
    figures.push(posted());
  } finally {
    await harness.close();
  }
  return figures;
}

/** Bytes of the patches that streaming makes, against the text in them. */
function posted(): Figure {
  const patches = createPatches(createClock(), () => undefined);
  patches.reset([text('z', '', { streaming: true })], state());
  let bytes = 0;
  patches.onPatch((patch) => (bytes += JSON.stringify({ type: 'patch', ...patch }).length));
  let chars = 0;
  for (let i = 0; i < 2000; i++) {
    const token = 'some words of an answer, ';
    chars += token.length;
    patches.push([{ op: 'append', id: 'z', field: 'text', text: token }]);
    if (i % 16 === 15) patches.snapshot(); // a frame
  }
  patches.dispose();
  return { workload: 'bytes posted for streamed text', ratio: bytes / chars, target: 1.3 };
}

if (require.main?.filename.endsWith('B11.js')) start('B11', [5000], run);
