/** Whether a text can be a credential in an HTTP header: visible ASCII, at least one character. */
export function isHeaderSafe(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
