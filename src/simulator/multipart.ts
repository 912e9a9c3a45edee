export interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly contentType?: string;
  readonly content: Buffer;
}

/** Splits a multipart/form-data body; undefined when it is not one. */
export function parseMultipart(body: Buffer, contentType: string): readonly Part[] | undefined {
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  if (!contentType.toLowerCase().startsWith('multipart/form-data') || !boundary) return undefined;
  const marker = Buffer.from(`--${boundary}`);
  const parts: Part[] = [];
  let at = body.indexOf(marker);
  while (at >= 0) {
    const start = at + marker.length;
    if (body.subarray(start, start + 2).toString() === '--') return parts;
    const next = body.indexOf(marker, start);
    if (next < 0) return undefined;
    // A line end follows the marker and precedes the next one.
    const part = parsePart(body.subarray(start + 2, next - 2));
    if (part) parts.push(part);
    at = next;
  }
  return undefined;
}

function parsePart(bytes: Buffer): Part | undefined {
  const split = bytes.indexOf('\r\n\r\n');
  if (split < 0) return undefined;
  const head = bytes.subarray(0, split).toString('utf8');
  const name = /[;\s]name="([^"]*)"/i.exec(head)?.[1];
  if (name === undefined) return undefined;
  const filename = /[;\s]filename="([^"]*)"/i.exec(head)?.[1];
  const contentType = /^content-type:\s*(.+)$/im.exec(head)?.[1]?.trim();
  return {
    name,
    content: bytes.subarray(split + 4),
    ...(filename === undefined ? {} : { filename }),
    ...(contentType === undefined ? {} : { contentType }),
  };
}
