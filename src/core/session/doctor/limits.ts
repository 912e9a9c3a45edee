/** What the Messages API takes at most (Messages API, "Vision" and "Errors"). */
export interface Limits {
  /** UTF-8 bytes of `messages`. */
  readonly requestBytes: number;
  /** Characters of one image's base64 data. */
  readonly imageChars: number;
  /** Images in one request. */
  readonly images: number;
  /** Pixels of an image's longer side. */
  readonly side: number;
  /** The same for images that ask not to be made smaller by the API. */
  readonly exactSide: number;
  /** With more images than `manyImages` in the request no side may be longer than `manySide`. */
  readonly manyImages: number;
  readonly manySide: number;
}

const MB = 1024 * 1024;
/** A window of this size and less marks the older models, which take fewer and smaller images. Tokens. */
const SMALL_WINDOW = 200_000;
/** What the parts of a body around `messages` are given. */
const ENVELOPE_BYTES = 256 * 1024;

/** The limits of a model with this context window; where it is unknown, the wider ones: the API has the last word. */
export function limitsFor(maxInputTokens: number | null | undefined): Limits {
  const small = typeof maxInputTokens === 'number' && maxInputTokens <= SMALL_WINDOW;
  return {
    requestBytes: 32 * MB - ENVELOPE_BYTES,
    imageChars: 5 * MB,
    images: small ? 100 : 600,
    side: 8000,
    exactSide: small ? 1568 : 2576,
    manyImages: 20,
    manySide: 2000,
  };
}
