import { NO_WEB } from '../../../src/core/tools/webWish.ts';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EditPort, TerminalPort } from '../../../src/core/ports.ts';
import { NO_WISH } from '../../support/agent.ts';
import { createToolSet } from '../../../src/core/tools/index.ts';

const folder = join(__dirname, '../../../src/core/tools');
const tools = createToolSet({ edit: {} as EditPort, terminal: {} as TerminalPort });

const WISH = {
  ...NO_WISH,
  advisor: { model: 'claude-opus-5-5', maxUses: 1 },
  deferring: true,
  web: { ...NO_WEB, search: true, fetch: true },
  programmatic: true,
  readWorkspace: true,
};

suite('tool set', () => {
  test('holds every tool that the folder has', () => {
    const registry = readFileSync(join(folder, 'index.ts'), 'utf8');
    const found = readdirSync(folder)
      .filter((name) => name !== 'index.ts' && name !== 'tool.ts')
      .flatMap((name) => [
        ...readFileSync(join(folder, name), 'utf8').matchAll(/^export (?:const|function) (\w+Tool)\b/gm),
      ])
      .map(([, name]) => name ?? '');
    assert.ok(found.length >= 3, 'the search itself works');
    for (const name of found)
      assert.match(registry, new RegExp(`import \\{[^}]*\\b${name}\\b`), `${name} is not registered`);
    assert.equal(tools.length, found.length);
  });

  test('has one tool per name and per server call, so that a call has one owner [C52]', () => {
    const names = tools.flatMap((tool) =>
      tool.kind === 'server' ? [...new Set([tool.name, ...tool.calls])] : [tool.name],
    );
    assert.deepEqual(names, [...new Set(names)]);
  });

  test('declares each version with the name that its calls carry [C110]', () => {
    for (const tool of tools) {
      for (const version of tool.versions) {
        const declared = tool.declare(version, WISH);
        assert.equal(declared?.type, version);
        const { name } = declared as unknown as { readonly name: string };
        assert.ok(tool.kind === 'server' ? [tool.name, ...tool.calls].includes(name) : name === tool.name);
      }
    }
  });
});
