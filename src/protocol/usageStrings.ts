/** Texts of the meter and of the forecast. */
export interface UsageStrings {
  readonly usageTitle: string;
  readonly usageContext: string;
  readonly usageEstimate: string;
  readonly contextTools: string;
  readonly contextSystem: string;
  readonly contextFiles: string;
  readonly contextResults: string;
  readonly contextConversation: string;
  readonly usageTurn: string;
  readonly usageSession: string;
  readonly usageUnknown: string;
  /** {0}: an amount. */
  readonly usageAtLeast: string;
  readonly usageRequestsOne: string;
  /** {0}: how many. */
  readonly usageRequests: string;
  /** {0} to {3}: tokens. */
  readonly usageTokens: string;
  /** {0}: tokens. */
  readonly usageThinking: string;
  readonly usageContainer: string;
  /** {0}: a time, {1}: an amount. */
  readonly usageContainerNote: string;
  readonly usageCache: string;
  /** {0}, {1}: percentages. */
  readonly usageCacheNote: string;
  readonly missPending: string;
  readonly missModel: string;
  readonly missSystem: string;
  readonly missTools: string;
  readonly missMessages: string;
  readonly missTooOld: string;
  readonly missUnavailable: string;
  readonly missEpoch: string;
  readonly missPause: string;
  readonly missUnknown: string;
  /** {0}: tokens. */
  readonly forecastTokens: string;
  /** {0}: tokens. */
  readonly forecastCounted: string;
  /** {0}: tokens. */
  readonly forecastEstimated: string;
  /** {0}: the text about tokens, {1}: an amount. */
  readonly forecastCost: string;
}

/** For tests, and the texts that the host translates. */
export const englishUsageStrings: UsageStrings = {
  usageTitle: 'Usage of this session',
  usageContext: 'Context',
  usageEstimate: 'Shares are estimated by size.',
  contextTools: 'Tools',
  contextSystem: 'System prompt',
  contextFiles: 'Files',
  contextResults: 'Results of tools',
  contextConversation: 'Conversation',
  usageTurn: 'This turn',
  usageSession: 'This session',
  usageUnknown: 'cost unknown',
  usageAtLeast: '{0} at least',
  usageRequestsOne: '1 request',
  usageRequests: '{0} requests',
  usageTokens: '{0} new, {1} written to the cache, {2} read from it, {3} answered',
  usageThinking: '{0} of the answer was thinking',
  usageContainer: 'Container time',
  usageContainerNote:
    '{0}, {1} at most, which is in the total: an estimate by this computer’s clock, without your free hours',
  usageCache: 'From the cache',
  usageCacheNote: '{0} of the last request, {1} of the session',
  missPending: 'The last request missed the cache; the API is still finding out why.',
  missModel: 'The last request missed the cache: the model or its speed changed.',
  missSystem: 'The last request missed the cache: the system prompt changed.',
  missTools: 'The last request missed the cache: the tools changed.',
  missMessages: 'The last request missed the cache: earlier messages changed.',
  missTooOld: 'The last request missed the cache: the one before it is no longer known to the API.',
  missUnavailable: 'The last request missed the cache; the API can not say why.',
  missEpoch: 'The last request missed the cache: the model, the tools or the settings changed.',
  missPause: 'The last request missed the cache: it is kept for five minutes, and the pause was longer.',
  missUnknown: 'The last request missed the cache, for no known reason.',
  forecastTokens: '≈ {0} tokens',
  forecastCounted: 'If it is sent now: {0} tokens of input, as the API counts them',
  forecastEstimated: 'If it is sent now: about {0} tokens of input',
  forecastCost: '{0}; {1} with an answer as long as those so far',
};
