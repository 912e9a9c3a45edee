import type * as ApiModule from '../api/index.ts';

let loaded: typeof ApiModule | undefined;

/**
 * The Anthropic adapter. A bundle of its own beside this one, read with the first prompt or model list: the SDK would
 * otherwise make every activation slower.
 */
export function loadApi(): typeof ApiModule {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- a bundle that esbuild must not inline
  return (loaded ??= require('./api.js') as typeof ApiModule);
}

export function isApiLoaded(): boolean {
  return loaded !== undefined;
}
