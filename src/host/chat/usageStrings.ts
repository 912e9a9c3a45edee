import * as vscode from 'vscode';
import type { UsageStrings } from '../../protocol/usageStrings.ts';

/** The texts of the meter and of the forecast, in the editor's language. */
export function usageStrings(): UsageStrings {
  return {
    usageTitle: vscode.l10n.t('Usage of this session'),
    usageContext: vscode.l10n.t('Context'),
    usageEstimate: vscode.l10n.t('Shares are estimated by size.'),
    contextTools: vscode.l10n.t('Tools'),
    contextSystem: vscode.l10n.t('System prompt'),
    contextFiles: vscode.l10n.t('Files'),
    contextResults: vscode.l10n.t('Results of tools'),
    contextConversation: vscode.l10n.t('Conversation'),
    usageTurn: vscode.l10n.t('This turn'),
    usageSession: vscode.l10n.t('This session'),
    usageUnknown: vscode.l10n.t('cost unknown'),
    usageAtLeast: vscode.l10n.t('{0} at least'),
    usageRequestsOne: vscode.l10n.t('1 request'),
    usageRequests: vscode.l10n.t('{0} requests'),
    usageTokens: vscode.l10n.t('{0} new, {1} written to the cache, {2} read from it, {3} answered'),
    usageThinking: vscode.l10n.t('{0} of the answer was thinking'),
    usageContainer: vscode.l10n.t('Container time'),
    usageContainerNote: vscode.l10n.t(
      '{0}, {1} at most, which is in the total: an estimate by this computer’s clock, without your free hours',
    ),
    usageCache: vscode.l10n.t('From the cache'),
    usageCacheNote: vscode.l10n.t('{0} of the last request, {1} of the session'),
    missPending: vscode.l10n.t('The last request missed the cache; the API is still finding out why.'),
    missModel: vscode.l10n.t('The last request missed the cache: the model or its speed changed.'),
    missSystem: vscode.l10n.t('The last request missed the cache: the system prompt changed.'),
    missTools: vscode.l10n.t('The last request missed the cache: the tools changed.'),
    missMessages: vscode.l10n.t('The last request missed the cache: earlier messages changed.'),
    missTooOld: vscode.l10n.t('The last request missed the cache: the one before it is no longer known to the API.'),
    missUnavailable: vscode.l10n.t('The last request missed the cache; the API can not say why.'),
    missEpoch: vscode.l10n.t('The last request missed the cache: the model, the tools or the settings changed.'),
    missPause: vscode.l10n.t(
      'The last request missed the cache: it is kept for five minutes, and the pause was longer.',
    ),
    missUnknown: vscode.l10n.t('The last request missed the cache, for no known reason.'),
    forecastTokens: vscode.l10n.t('≈ {0} tokens'),
    forecastCounted: vscode.l10n.t('If it is sent now: {0} tokens of input, as the API counts them'),
    forecastEstimated: vscode.l10n.t('If it is sent now: about {0} tokens of input'),
    forecastCost: vscode.l10n.t('{0}; {1} with an answer as long as those so far'),
  };
}
