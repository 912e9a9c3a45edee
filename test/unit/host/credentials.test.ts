import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../../../src/core/errors.ts';
import { createCredentials, type Credentials, type SecretStore } from '../../../src/host/credentials.ts';

const DEFAULT = 'https://api.anthropic.com';
const LOGGER = { info() {}, warn() {}, error() {}, trace() {} };

interface World {
  readonly stored: Map<string, string>;
  setting: string;
  headers: Readonly<Record<string, string>>;
  readonly credentials: Credentials;
}

function world(environment: Record<string, string> = {}, setting = ''): World {
  const stored = new Map<string, string>();
  const secrets: SecretStore = {
    keys: async () => [...stored.keys()],
    get: async (key) => stored.get(key),
    store: async (key, value) => void stored.set(key, value),
    delete: async (key) => void stored.delete(key),
  };
  const result: World = {
    stored,
    setting,
    headers: {},
    credentials: createCredentials({
      ...{ secrets, environment, logger: LOGGER },
      baseUrlSetting: () => result.setting,
      gateway: () => ({ headers: result.headers, keyHeader: 'x-api-key' }),
    }),
  };
  return result;
}

suite('Credentials', () => {
  test('without anything there is the default address and no key', async () => {
    const connection = await world().credentials.connection();
    assert.deepEqual(connection, {
      ...{ baseUrl: DEFAULT, origin: DEFAULT, credential: undefined, authorized: false, simulated: false },
      ...{ headers: {}, keyHeader: 'x-api-key' },
    });
  });

  test('a stored key wins over the environment', async () => {
    const { credentials } = world({ ANTHROPIC_API_KEY: 'from-environment' });
    await credentials.store('from-user');
    assert.deepEqual((await credentials.connection()).credential, {
      kind: 'apiKey',
      value: 'from-user',
      source: 'stored',
    });
    assert.equal(await credentials.clear(), true);
    assert.equal((await credentials.connection()).credential?.value, 'from-environment');
    assert.equal(await credentials.clear(), false);
  });

  test('an auth token of the environment is used where there is no API key', async () => {
    const { credentials } = world({ ANTHROPIC_AUTH_TOKEN: ' token-1 ', ANTHROPIC_API_KEY: '' });
    assert.deepEqual((await credentials.connection()).credential, {
      kind: 'authToken',
      value: 'token-1',
      source: 'environment',
    });
  });

  test('the base URL is the setting, then the environment', async () => {
    const it = world({ ANTHROPIC_BASE_URL: 'https://gateway.example/v/' }, 'https://mine.example');
    assert.equal((await it.credentials.connection()).baseUrl, 'https://mine.example');
    it.setting = '';
    assert.equal((await it.credentials.connection()).baseUrl, 'https://gateway.example/v');
  });

  for (const other of [
    'https://api.anthropic.com.',
    'https://api.anthropic.com:8443',
    'https://api.anthropic.com.evil.invalid',
    'https://аpi.anthropic.com',
    'http://127.0.0.1:9',
  ]) {
    test(`a stored key does not follow to ${other} [XN3,XN4]`, async () => {
      const it = world();
      await it.credentials.store('key-of-anthropic');
      it.setting = other;
      assert.equal((await it.credentials.connection()).credential, undefined);
      it.setting = `${DEFAULT}/some/path`;
      assert.equal((await it.credentials.connection()).credential?.value, 'key-of-anthropic');
    });

    test(`a key of the environment does not follow a setting to ${other}`, async () => {
      const { credentials } = world({ ANTHROPIC_API_KEY: 'key-of-environment' }, other);
      assert.equal((await credentials.connection()).credential, undefined);
    });
  }

  test('a key of the environment goes to the base URL of the environment', async () => {
    const { credentials } = world({ ANTHROPIC_API_KEY: 'k-12345678', ANTHROPIC_BASE_URL: 'https://gw.example' });
    assert.equal((await credentials.connection()).credential?.value, 'k-12345678');
  });

  for (const refused of ['http://api.example.com', 'https://api.anthropic.com@evil.invalid', 'ftp://x', 'nonsense']) {
    test(`refuses the base URL ${refused} [XN4]`, async () => {
      const { credentials } = world({}, refused);
      await assert.rejects(credentials.connection(), UserError);
      await assert.rejects(credentials.store('key'), UserError);
    });
  }

  test('says where a refused base URL would really have gone [XN4]', async () => {
    const { credentials } = world({}, 'https://api.anthropic.com@evil.invalid');
    await assert.rejects(credentials.connection(), /evil\.invalid/);
  });

  test('keys of other hosts are offered by name, and are of this host only once they are stored for it [XN3]', async () => {
    const it = world();
    await it.credentials.store('key-of-anthropic');
    assert.deepEqual(await it.credentials.elsewhere(), []);
    it.setting = 'https://gw.example';
    assert.deepEqual(await it.credentials.elsewhere(), [{ origin: DEFAULT, value: 'key-of-anthropic' }]);
    assert.equal((await it.credentials.connection()).credential, undefined);
    await it.credentials.store('key-of-anthropic');
    assert.equal((await it.credentials.connection()).credential?.value, 'key-of-anthropic');
  });

  test('headers of the settings go along, a credential among them is enough, and its value is a secret', async () => {
    const it = world({ GW: 'gateway-key-1' });
    it.headers = { 'x-team': 'blue-team-8', 'x-api-key': '${env:GW}' };
    const { headers, credential, authorized } = await it.credentials.connection();
    assert.deepEqual(
      [headers, credential, authorized],
      [{ 'x-team': 'blue-team-8', 'x-api-key': 'gateway-key-1' }, undefined, true],
    );
    assert.deepEqual(it.credentials.known(), ['gateway-key-1']);
  });

  test('headers of the environment go to the environment’s own base URL only [XN3]', async () => {
    const it = world({ ANTHROPIC_CUSTOM_HEADERS: 'x-gw: secret-of-gw', ANTHROPIC_BASE_URL: 'https://gw.example' });
    assert.deepEqual((await it.credentials.connection()).headers, { 'x-gw': 'secret-of-gw' });
    it.setting = 'https://other.example';
    assert.deepEqual((await it.credentials.connection()).headers, {});
    it.credentials.useSimulator({ url: 'http://127.0.0.1:4711', key: 'simulator-key' });
    assert.deepEqual((await it.credentials.connection()).headers, {});
  });

  test('without a keyring the key is kept nowhere, the way out is said, and the environment still works [M4,M11]', async () => {
    const refuse = () => Promise.reject(new Error('no keyring'));
    const secrets: SecretStore = { keys: refuse, get: refuse, store: refuse, delete: refuse };
    const environment = { ANTHROPIC_API_KEY: 'key-of-environment' };
    const credentials = createCredentials({ secrets, environment, baseUrlSetting: () => '', logger: LOGGER });
    await assert.rejects(
      credentials.store('key-of-user'),
      (error) => error instanceof UserError && /keyring.*ANTHROPIC_API_KEY/.test(error.message),
    );
    assert.equal((await credentials.connection()).credential?.value, 'key-of-environment');
    await credentials.load();
  });

  test('environment files of a workspace are not read [XN2]', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'loopdock-dotenv-'));
    const before = process.cwd();
    try {
      for (const name of ['.env', '.envrc']) {
        await writeFile(join(folder, name), 'ANTHROPIC_BASE_URL=https://evil.example\nANTHROPIC_API_KEY=planted-key\n');
      }
      process.chdir(folder);
      const { credentials } = world();
      await credentials.load();
      const { baseUrl, credential } = await credentials.connection();
      assert.deepEqual([baseUrl, credential], [DEFAULT, undefined]);
    } finally {
      process.chdir(before);
      await rm(folder, { recursive: true, force: true });
    }
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };
    assert.ok(!Object.keys(dependencies).some((name) => name.includes('dotenv')));
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const readers = sources.filter((name) =>
      /loadEnvFile|parseEnv\(|dotenv/.test(readFileSync(join('src', name), 'utf8')),
    );
    assert.deepEqual(readers, []);
  });

  test('a key with a line break or a blank in it is refused, around it they are cut off', async () => {
    const { credentials, stored } = world();
    await assert.rejects(credentials.store('ab\r\nx-header: 1'), UserError);
    await assert.rejects(credentials.store('  '), UserError);
    await credentials.store(' pasted-key\n');
    assert.deepEqual([...stored.values()], ['pasted-key']);
  });

  test('an environment key that no header can carry is ignored', async () => {
    const { credentials } = world({ ANTHROPIC_API_KEY: 'a\nb' });
    assert.equal((await credentials.connection()).credential, undefined);
  });

  test('the simulator of the demo takes over, and gives back', async () => {
    const { credentials } = world({ ANTHROPIC_API_KEY: 'real-key-1234' });
    credentials.useSimulator({ url: 'http://127.0.0.1:4711', key: 'simulator-key' });
    assert.deepEqual(await credentials.connection(), {
      baseUrl: 'http://127.0.0.1:4711',
      origin: 'http://127.0.0.1:4711',
      credential: { kind: 'apiKey', value: 'simulator-key', source: 'simulator' },
      ...{ authorized: true, simulated: true, headers: {}, keyHeader: 'authorization' },
    });
    assert.equal(credentials.target(), DEFAULT, 'a key is not stored for the simulator');
    credentials.useSimulator(undefined);
    assert.equal((await credentials.connection()).credential?.value, 'real-key-1234');
  });

  test('the label of simulated answers needs the mark of the environment, and its own address on this machine', async () => {
    const mark = { ANTHROPIC_API_KEY: 'key-12345678', LOOPDOCK_SIMULATED: '1' };
    const simulated = async (environment: Record<string, string>, setting = '') =>
      (await world(environment, setting).credentials.connection()).simulated;
    assert.equal(await simulated({ ...mark, ANTHROPIC_BASE_URL: 'http://127.0.0.1:4711' }), true);
    assert.equal(await simulated({ ...mark, ANTHROPIC_BASE_URL: 'http://127.0.0.1:4711' }, DEFAULT), false);
    assert.equal(await simulated(mark), false);
    assert.equal(await simulated({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:4711' }), false);
  });

  test('everything secret is known for redaction once it was loaded', async () => {
    const it = world({ ANTHROPIC_API_KEY: 'key-one-1', ANTHROPIC_AUTH_TOKEN: 'token-two-2' });
    it.stored.set('loopdock.key:https://a.example', 'stored-a');
    it.stored.set('loopdock.key:https://b.example', 'stored-b');
    it.stored.set('unrelated', 'not ours');
    await it.credentials.load();
    assert.deepEqual([...it.credentials.known()].sort(), ['key-one-1', 'stored-a', 'stored-b', 'token-two-2']);
  });
});
