import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCredentials } from '../../../src/node/attachments/contentCredentials.ts';
import { box, manifestStore, timeStampAt } from '../../support/c2pa.ts';
import { createAuthority } from '../../support/certificates.ts';
import { png, pngChunk } from '../../support/png.ts';

const certificate = new X509Certificate(createAuthority('Sample Signer').cert).raw;
const store = manifestStore(certificate, timeStampAt('20261130101500Z'));
const SAID = { issuer: 'Sample Signer', at: '2026-11-30T10:15:00.000Z' };

suite('content credentials', () => {
  let path = '';
  setup(async () => (path = join(await fs.mkdtemp(join(tmpdir(), 'loopdock-c2pa-')), 'file')));
  teardown(() => fs.rm(join(path, '..'), { recursive: true }));

  async function read(bytes: Uint8Array): ReturnType<typeof readCredentials> {
    await fs.writeFile(path, bytes);
    return readCredentials(path);
  }

  function jpeg(manifest: Buffer, pieces: number): Buffer {
    const size = Math.ceil(manifest.length / pieces);
    const parts = Array.from({ length: pieces }, (_, nth) => {
      const head = nth === 0 ? [] : [manifest.subarray(0, 8)];
      const body = Buffer.concat([Buffer.from('4a500001', 'hex'), Buffer.from([0, 0, 0, nth + 1]), ...head]);
      const whole = Buffer.concat([body, manifest.subarray(nth * size, (nth + 1) * size)]);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(whole.length + 2);
      return Buffer.concat([Buffer.from([0xff, 0xeb]), length, whole]);
    });
    return Buffer.concat([Buffer.from('ffd8', 'hex'), ...parts, Buffer.from('ffd9', 'hex')]);
  }

  test('name the signer and the time, in each place where a format keeps them', async () => {
    assert.deepEqual(await read(png(2, 2, pngChunk('caBX', store))), SAID);
    assert.deepEqual(await read(jpeg(store, 1)), SAID);
    assert.deepEqual(await read(jpeg(store, 3)), SAID);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(store.length);
    const webp = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBPC2PA', 'latin1'), length, store]);
    assert.deepEqual(await read(webp), SAID);
  });

  test('of a hostile file hold nobody up: millions of boxes, flat or nested, and a manifest without end', async () => {
    const empty = box('jumb', Buffer.alloc(0));
    const flat = Buffer.alloc(12_000_000, empty);
    const description = Buffer.concat([Buffer.alloc(16, 1), Buffer.from([3]), Buffer.from('c2pa\0', 'latin1')]);
    const inside = (content: Buffer): Buffer => box('jumb', Buffer.concat([box('jumd', description), content]));
    const nested = [1, 2, 3, 4, 5, 6].reduce<Buffer>((content) => box('jumb', content), flat);
    const endless = jpeg(Buffer.alloc(40_000_000), 700);
    for (const bytes of [
      png(2, 2, pngChunk('caBX', inside(inside(flat)))),
      png(2, 2, pngChunk('caBX', inside(inside(nested)))),
      endless,
    ]) {
      await fs.writeFile(path, bytes);
      const begun = performance.now();
      const said = await readCredentials(path);
      assert.equal(said?.issuer, undefined);
      // Without the limits it was seconds. Reading the file is the rest.
      assert.ok(performance.now() - begun < 1_500, `${performance.now() - begun} ms`);
    }
  });

  test('are not claimed for files without them, nor for something else in the same place', async () => {
    assert.equal(await read(png(2, 2)), undefined);
    assert.equal(await read(png(2, 2, pngChunk('caBX', Buffer.from('something else')))), undefined);
    assert.equal(await read(Buffer.from('caBX')), undefined);
    assert.equal(await read(Buffer.alloc(0)), undefined);
    assert.equal(await readCredentials(`${path}-missing`), undefined);
  });

  test('that can’t be read are there all the same, without a name or a time', async () => {
    const broken = manifestStore(Buffer.from('no certificate'));
    assert.deepEqual(await read(png(2, 2, pngChunk('caBX', broken))), {});
    const none = box('jumb', Buffer.concat([box('jumd', Buffer.concat([Buffer.alloc(17), Buffer.from('c2pa\0')]))]));
    assert.deepEqual(await read(png(2, 2, pngChunk('caBX', none))), {});
  });

  test('changed or cut anywhere never throw', async () => {
    const whole = png(2, 2, pngChunk('caBX', store));
    for (let at = 0; at < whole.length; at += 13) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      await read(changed);
      await read(whole.subarray(0, at));
    }
  });
});
