/** A manifest store of one manifest whose signature names this certificate (DER), and perhaps this time-stamp token. */
export function manifestStore(certificate: Buffer, timeStamp?: Buffer): Buffer {
  const header = map([head(0, 1), head(1, 6)], [head(0, 33), bytesOf(certificate)]);
  const token = timeStamp && map([textOf('val'), bytesOf(timeStamp)]);
  const tokens = token && map([textOf('tstTokens'), Buffer.concat([head(4, 1), token])]);
  const open = tokens ? map([textOf('sigTst'), tokens]) : map();
  const parts = [bytesOf(header), open, Buffer.from([0xf6]), bytesOf(Buffer.alloc(64))];
  const cose = Buffer.concat([Buffer.from([0xd2]), head(4, parts.length), ...parts]);
  const signature = superbox('c2pa.signature', box('cbor', cose));
  const manifest = superbox('urn:c2pa:0b2f8f1e', superbox('c2pa.claim', box('cbor', map())), signature);
  return superbox('c2pa', manifest);
}

/** As much of an RFC 3161 token as says when. */
export function timeStampAt(time: string): Buffer {
  const type = Buffer.from('060b2a864886f70d0109100104', 'hex');
  return Buffer.concat([type, Buffer.from('a0800480', 'hex'), Buffer.from([0x18, time.length]), Buffer.from(time)]);
}

function superbox(label: string, ...boxes: readonly Buffer[]): Buffer {
  const description = Buffer.concat([Buffer.alloc(16, 1), Buffer.from([3]), Buffer.from(`${label}\0`, 'latin1')]);
  return box('jumb', Buffer.concat([box('jumd', description), ...boxes]));
}

export function box(type: string, content: Uint8Array): Buffer {
  const start = Buffer.alloc(8);
  start.writeUInt32BE(8 + content.length);
  start.write(type, 4, 'latin1');
  return Buffer.concat([start, content]);
}

/** The head of a CBOR item: its major type and its argument. */
function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.from([(major << 5) | argument]);
  return Buffer.from([(major << 5) | 25, argument >> 8, argument & 255]);
}

function bytesOf(bytes: Uint8Array): Buffer {
  return Buffer.concat([head(2, bytes.length), bytes]);
}

function textOf(text: string): Buffer {
  return Buffer.concat([head(3, text.length), Buffer.from(text)]);
}

function map(...pairs: readonly (readonly [Buffer, Buffer])[]): Buffer {
  return Buffer.concat([head(5, pairs.length), ...pairs.flat()]);
}
