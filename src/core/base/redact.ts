const GONE = '[redacted]';
/** A header whose value is a credential, in any of the shapes that dumps print: `name: value`, `"name": "value"`, `name=value`. */
const HEADER =
  /((?:proxy-)?authorization|x-api-key|api[-_]?key|(?:auth|access|refresh)[-_]?token|(?:set-)?cookie)(["']?\s*[:=]\s*\[?\s*["']?)(?!\s)((?:bearer|basic)\s+)?[^\s"',;\])}]+/gi;
const BEARER = /\b(bearer|basic)\s+[\w\-.~+/=]{6,}/gi;
const ANTHROPIC_KEY = /sk-ant-[\w-]+/g;
/** Not the `sk-ant-…` of a text that only explains what a key looks like. */
const WHOLE_KEY = /sk-ant-[\w-]{20,}/g;
const USER_INFO = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"']+@/gi;

/**
 * Takes credentials out of a text before it is logged, shown or kept: Anthropic keys, bearer and basic tokens, the
 * values of credential headers, `user:password@` in URLs, and each of `secrets`, also where it was JSON-escaped,
 * percent-encoded or base64-encoded. Secrets shorter than four characters are left alone: they would match anything.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  return redactKeys(text, secrets)
    .replace(ANTHROPIC_KEY, GONE)
    .replace(HEADER, `$1$2${GONE}`)
    .replace(BEARER, `$1 ${GONE}`)
    .replace(USER_INFO, `$1${GONE}@`);
}

/**
 * Takes only what certainly is a credential: each of `secrets` in all its forms, and whole Anthropic keys. For texts
 * that go on to be used, such as the conversation, where `redact` would damage code that merely names a header.
 */
export function redactKeys(text: string, secrets: readonly string[]): string {
  let result = text;
  for (const form of formsOf(secrets)) result = result.replaceAll(form, GONE);
  return result.replace(WHOLE_KEY, GONE);
}

/** Longest first, so that a secret which contains another one goes as a whole. */
function formsOf(secrets: readonly string[]): readonly string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    const trimmed = secret.trim();
    for (const form of [secret, trimmed, JSON.stringify(trimmed).slice(1, -1), percentEncoded(trimmed)]) {
      if (form.length >= 4) forms.add(form);
    }
    const encoded = base64(trimmed);
    if (encoded.length >= 8) forms.add(encoded);
  }
  return [...forms].sort((a, b) => b.length - a.length);
}

function percentEncoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text; // an unpaired surrogate
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Base64 of an ASCII text without padding; '' for anything else (credentials are ASCII). */
function base64(text: string): string {
  if (/[^\x20-\x7e]/.test(text)) return '';
  let bits = 0;
  let held = 0;
  let out = '';
  for (let i = 0; i < text.length; i++) {
    held = (held << 8) | text.charCodeAt(i);
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      out += ALPHABET.charAt((held >> bits) & 63);
    }
    held &= (1 << bits) - 1;
  }
  return out;
}
