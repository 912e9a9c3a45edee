const valid = /^[A-Za-z0-9+/]+={0,2}$/;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Whether a text is base64 as the Messages API takes it: standard alphabet, no line ends, no data URL before it. */
export function isBase64(text: string): boolean {
  return valid.test(text);
}

/** The first bytes of base64 data, at most `max` of them. Stops at the first character that is none. */
export function base64Head(text: string, max: number): Uint8Array {
  const wanted = Math.min(max, Math.floor((text.length * 3) / 4));
  const bytes = new Uint8Array(wanted);
  let bits = 0;
  let held = 0;
  let length = 0;
  for (let i = 0; i < text.length && length < wanted; i++) {
    const value = alphabet.indexOf(text.charAt(i));
    if (value < 0) break;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = (held >> bits) & 0xff;
  }
  return bytes.subarray(0, length);
}

/** Bytes as base64. */
export function base64Of(bytes: Uint8Array): string {
  // A multiple of three, so that the pieces join; and few enough to be arguments of a call.
  const piece = 3 * 8192;
  let text = '';
  for (let at = 0; at < bytes.length; at += piece) text += btoa(String.fromCharCode(...bytes.subarray(at, at + piece)));
  return text;
}
