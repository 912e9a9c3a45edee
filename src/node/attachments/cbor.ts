/** A decoded item: maps are `Map`s, tags are dropped, large integers are rounded to doubles. */
export type Cbor =
  number | string | boolean | null | undefined | Uint8Array | readonly Cbor[] | ReadonlyMap<Cbor, Cbor>;

const MOST_DEPTH = 16;

/** Reads the first item: as much of CBOR (RFC 8949) as signatures have, so nothing of indefinite length. Throws `RangeError`. */
export function readCbor(bytes: Uint8Array): Cbor {
  return new Reader(bytes).item(0);
}

class Reader {
  readonly #view: DataView;
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  item(depth: number): Cbor {
    if (depth > MOST_DEPTH) throw new RangeError('Nested too deep');
    const first = this.#view.getUint8(this.#at++);
    const argument = first >> 5 === 7 ? 0 : this.#argument(first & 31);
    switch (first >> 5) {
      case 0:
        return argument;
      case 1:
        return -1 - argument;
      case 2:
        return this.#take(argument);
      case 3:
        return new TextDecoder().decode(this.#take(argument));
      case 4:
        return this.#list(argument, depth);
      case 5:
        return this.#map(argument, depth);
      case 6:
        return this.item(depth + 1);
      default:
        return this.#simple(first & 31);
    }
  }

  #list(length: number, depth: number): readonly Cbor[] {
    const items: Cbor[] = [];
    // Each item has a byte at least, so a length that lies ends with the bytes.
    for (let nth = 0; nth < length; nth++) items.push(this.item(depth + 1));
    return items;
  }

  #map(length: number, depth: number): ReadonlyMap<Cbor, Cbor> {
    const map = new Map<Cbor, Cbor>();
    for (let nth = 0; nth < length; nth++) {
      const key = this.item(depth + 1);
      map.set(key, this.item(depth + 1));
    }
    return map;
  }

  #simple(info: number): Cbor {
    if (info === 20 || info === 21) return info === 21;
    if (info === 22) return null;
    const size = { 24: 1, 25: 2, 26: 4, 27: 8 }[info];
    if (size !== undefined) this.#take(size);
    return undefined;
  }

  #argument(info: number): number {
    if (info < 24) return info;
    const at = this.#at;
    switch (info) {
      case 24:
        this.#at += 1;
        return this.#view.getUint8(at);
      case 25:
        this.#at += 2;
        return this.#view.getUint16(at);
      case 26:
        this.#at += 4;
        return this.#view.getUint32(at);
      case 27:
        this.#at += 8;
        return Number(this.#view.getBigUint64(at));
      default:
        throw new RangeError('Of indefinite length');
    }
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('Cut off');
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }
}
