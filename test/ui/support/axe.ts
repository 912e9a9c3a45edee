import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Frame } from 'playwright-core';

/** Runs axe in a webview's frame and returns one line per violation and element. */
export async function accessibilityProblems(frame: Frame): Promise<string[]> {
  // Through the debugger: the page's content policy lets no script in, and shall not.
  if (!(await frame.evaluate(() => 'axe' in globalThis)))
    await frame.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  // `region` is about whole pages; this one is a part of VS Code's, and its landmarks are VS Code's.
  const options = { iframes: false, resultTypes: ['violations'], rules: { region: { enabled: false } } };
  const results = await frame.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
  );
}
