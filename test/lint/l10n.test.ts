import { getL10nJson } from '@vscode/l10n-dev';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { englishStrings } from '../../src/protocol/strings.ts';

const UPDATE = 'Update it by: npx vscode-l10n-dev export --outDir l10n src media';
const bundle = JSON.parse(readFileSync('l10n/bundle.l10n.json', 'utf8')) as Record<string, unknown>;

suite('The localisation bundle', () => {
  test('holds exactly the texts of the sources', async function () {
    this.timeout(120_000);
    const files = ['src', 'media'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name))
        .map((name) => join(folder, name)),
    );
    // A file that does not say so has no such text, and parsing is slow.
    const contents = files
      .map((file) => ({ extension: extname(file), contents: readFileSync(file, 'utf8') }))
      .filter((file) => file.contents.includes('l10n'));
    const found = await getL10nJson(contents);
    const missing = Object.keys(found).filter((text) => !(text in bundle));
    const unused = Object.keys(bundle).filter((text) => !(text in found));
    assert.deepEqual({ missing, unused, hint: UPDATE }, { missing: [], unused: [], hint: UPDATE });
  });

  test('holds every text of the view', () => {
    const missing = Object.values(englishStrings as unknown as Record<string, string>).filter(
      (text) => !(text in bundle),
    );
    assert.deepEqual(missing, []);
  });
});
