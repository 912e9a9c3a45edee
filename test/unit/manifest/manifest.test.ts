import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandIds } from '../../../src/host/commands/commandIds.ts';

interface Manifest {
  readonly activationEvents: readonly string[];
  readonly enabledApiProposals?: readonly string[];
  readonly icon: string;
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly supported: string; readonly restrictedConfigurations: readonly string[] };
    readonly virtualWorkspaces: { readonly supported: boolean };
  };
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly enablement?: string }[];
    readonly menus: Readonly<Record<string, readonly { readonly command: string; readonly when?: string }[]>>;
    readonly keybindings?: readonly { readonly command: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, { readonly scope?: string }>> };
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly icon: string }[]>>;
    readonly viewsContainers: { readonly activitybar: readonly { readonly id: string; readonly icon: string }[] };
  };
}

const text = readFileSync('package.json', 'utf8');
const manifest = JSON.parse(text) as Manifest;
const { contributes } = manifest;
const sources = sourceFiles('src');

suite('The manifest', () => {
  test('uses every text of package.nls.json, and no other', () => {
    const used = new Set([...text.matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key));
    const given = Object.keys(JSON.parse(readFileSync('package.nls.json', 'utf8')) as object);
    assert.deepEqual([...used].sort(), given.sort());
  });

  test('lists exactly the commands that are registered [M10]', () => {
    const elsewhere = sources
      .filter(({ content }) => /\bregisterCommand\(/.test(content))
      .flatMap(({ content }) => [...content.matchAll(/'(loopdock\.[\w.]+)'/g)])
      .map(([, id]) => id)
      .filter((id): id is string => id !== undefined && !commandIds.some((own) => own === id));
    const listed = contributes.commands.map(({ command }) => command);
    assert.deepEqual(listed.sort(), [...commandIds, ...elsewhere].sort());
  });

  test('has menus and keys for listed commands only', () => {
    const listed = new Set(contributes.commands.map(({ command }) => command));
    const menus = Object.values(contributes.menus).flat();
    const unknown = [...menus, ...(contributes.keybindings ?? [])].filter(({ command }) => !listed.has(command));
    assert.deepEqual(unknown, []);
  });

  test('declares exactly the settings that settings.ts reads', () => {
    const read = [...contentOf('src/host/settings.ts').matchAll(/\bread\('([^']+)'/g)].map(
      ([, key]) => `loopdock.${key}`,
    );
    assert.deepEqual(Object.keys(contributes.configuration.properties).sort(), read.sort());
  });

  test('has its settings read in one file only', () => {
    const others = sources.filter(
      ({ path, content }) =>
        path !== join('src', 'host', 'settings.ts') && /getConfiguration\(\s*['"`]loopdock/.test(content),
    );
    assert.deepEqual(
      others.map(({ path }) => path),
      [],
    );
  });

  test('lets no workspace say where the key goes, or what goes with it [XN1]', () => {
    for (const name of ['baseUrl', 'headers', 'keyHeader']) {
      assert.equal(contributes.configuration.properties[`loopdock.${name}`]?.scope, 'machine', name);
      assert.match(contentOf('src/host/settings.ts'), new RegExp(`read\\('${name}', [^\n]*'machine'\\)`), name);
    }
  });

  test('restricts every setting in an untrusted workspace [XN1]', () => {
    const { untrustedWorkspaces, virtualWorkspaces } = manifest.capabilities;
    assert.equal(untrustedWorkspaces.supported, 'limited');
    assert.equal(virtualWorkspaces.supported, false);
    const settings = Object.keys(contributes.configuration.properties);
    assert.deepEqual([...untrustedWorkspaces.restrictedConfigurations].sort(), settings.sort());
  });

  test('activates by nothing but its view and its commands, with stable API only', () => {
    assert.deepEqual(manifest.activationEvents, []);
    assert.equal(manifest.enabledApiProposals, undefined);
  });

  test('names icons that exist', () => {
    const views = Object.values(contributes.views).flat();
    const icons = [manifest.icon, ...[...views, ...contributes.viewsContainers.activitybar].map(({ icon }) => icon)];
    assert.deepEqual(
      icons.filter((icon) => !existsSync(icon)),
      [],
    );
  });
});

function contentOf(path: string): string {
  return readFileSync(path, 'utf8');
}

function sourceFiles(folder: string): readonly { readonly path: string; readonly content: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
    .map((path) => ({ path, content: contentOf(path) }));
}
