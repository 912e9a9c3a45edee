import * as l10n from '@vscode/l10n';

/** What a request without the cache reads: tokens, and what they cost in dollars where the price is known. */
export interface ReadAnew {
  readonly tokens: number;
  readonly cost?: string;
}

/** In words. An estimate: what is added is not counted, and another model counts other tokens. */
export function readAnew({ tokens, cost }: ReadAnew): string {
  if (tokens === 0) return l10n.t('The next request reads the conversation anew, without the cache.');
  return cost === undefined
    ? l10n.t('The next request reads the conversation anew, without the cache: about {0} tokens.', tokens)
    : l10n.t('The next request reads the conversation anew, without the cache: about {0} tokens, {1}.', tokens, cost);
}
