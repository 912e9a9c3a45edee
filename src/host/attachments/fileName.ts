const LONGEST_NAME_BYTES = 180;
/** Names that Windows gives to devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])$/i;
/** Control, format (bidi, zero width), unassigned and lone surrogate characters, and what Windows forbids or reads as more than a name. */
const FORBIDDEN = /[\p{C}\u2028\u2029<>:"|?*~$%`]/gu;

/**
 * A plain file name from one that somebody else chose: no path, no hidden file, no device, no stream, at most 180 bytes.
 * The extension is kept. Never empty.
 */
export function safeFileName(name: string): string {
  const last = name.normalize('NFC').split(/[\\/]/).at(-1) ?? '';
  const plain = last.replace(FORBIDDEN, '_').replace(/^[\s.]+|[\s.]+$/gu, '');
  const [stem, extension] = splitExtension(plain);
  const device = DEVICE.test(plain.split('.', 1)[0]?.trimEnd() ?? '');
  const room = LONGEST_NAME_BYTES - Buffer.byteLength(extension);
  const safe = cutBytes(`${device ? '_' : ''}${stem}`, room).trimEnd();
  return (safe === '' ? 'file' : safe) + extension;
}

/** `chart.png` → `chart-2.png`; the first number that is used is 2. */
export function numberedName(name: string, number: number): string {
  const [stem, extension] = splitExtension(name);
  return `${stem}-${number}${extension}`;
}

function splitExtension(name: string): readonly [stem: string, extension: string] {
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 ? name.slice(dot) : '';
  return /^\.[\p{L}\p{N}_+-]{1,16}$/u.test(extension) ? [name.slice(0, dot), extension] : [name, ''];
}

function cutBytes(text: string, most: number): string {
  let cut = '';
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > most) break;
    cut += character;
  }
  return cut;
}
