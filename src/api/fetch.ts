/** More than any error page needs; a bomb stops here. */
const MAX_ERROR_BYTES = 64 * 1024;

export type Fetch = typeof globalThis.fetch;

/**
 * Wraps `fetch` with what every request of ours keeps to: redirects are refused (a redirect would carry the key or the
 * conversation to another origin), exactly one credential is sent (`x-api-key`, which only a header setting can bring,
 * beats the bearer), and error bodies are read to a limit.
 */
export function createSafeFetch(fetch: Fetch): Fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    if (headers.has('x-api-key')) headers.delete('authorization');
    const response = await fetch(input, { ...init, headers, redirect: 'error' });
    if (response.redirected) {
      await response.body?.cancel();
      throw new TypeError('unexpected redirect');
    }
    return response.ok ? response : await withLimitedBody(response);
  };
}

/**
 * The body as text, at most `maxBytes` of it (after decompression). The rest is not read: the connection is closed.
 */
export async function readLimited(
  response: Response,
  maxBytes: number,
): Promise<{ readonly text: string; readonly cut: boolean }> {
  if (!response.body) return { text: '', cut: false };
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), cut: false };
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      text += decoder.decode(value.subarray(0, value.byteLength - (bytes - maxBytes)), { stream: true });
      await reader.cancel();
      return { text, cut: true };
    }
    text += decoder.decode(value, { stream: true });
  }
}

async function withLimitedBody(response: Response): Promise<Response> {
  const { text } = await readLimited(response, MAX_ERROR_BYTES);
  const headers = new Headers(response.headers);
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) headers.delete(name);
  const status = response.status >= 200 && response.status <= 599 ? response.status : 502;
  const bodiless = status === 304 || text === '';
  return new Response(bodiless ? null : text, { status, statusText: response.statusText, headers });
}
