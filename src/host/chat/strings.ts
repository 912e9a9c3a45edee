import * as vscode from 'vscode';
import type { WebviewStrings } from '../../protocol/strings.ts';
import { inputStrings } from './inputStrings.ts';
import { usageStrings } from './usageStrings.ts';

/** The localised texts of the webview. Each one is a literal call, so that the l10n export finds it. */
export function webviewStrings(): WebviewStrings {
  return {
    ...usageStrings(),
    ...inputStrings(),
    ...headerNavigationStrings(),
    ...bannersStrings(),
    ...feedStrings(),
    ...placesStatesToolsStrings(),
    ...toolBodiesStrings(),
    ...approvalStrings(),
    ...attachmentsStrings(),
    ...noticesStrings(),
    ...composerFooterStrings(),
    ...codeStrings(),
  };
}

function headerNavigationStrings() {
  return {
    newSession: vscode.l10n.t('New session'),
    history: vscode.l10n.t('Sessions'),
    untitledSession: vscode.l10n.t('New session'),
    back: vscode.l10n.t('Back to the conversation'),
    loading: vscode.l10n.t('Loading…'),
    noSessions: vscode.l10n.t('No sessions yet'),
    currentSession: vscode.l10n.t('open now'),
    containerLabel: vscode.l10n.t('Anthropic container {0}'),
    containerExpires: vscode.l10n.t('expires {0}'),
    containerExpired: vscode.l10n.t('expired'),
  };
}

function bannersStrings() {
  return {
    simulatedBanner: vscode.l10n.t('Simulated answers, no model'),
    untrustedBanner: vscode.l10n.t(
      'Restricted Mode: Loopdock reads and changes no files and runs no commands in this workspace.',
    ),
    manageTrust: vscode.l10n.t('Manage Workspace Trust'),
    readOnlyBanner: vscode.l10n.t('Another window writes this session. Here it can only be read.'),
    noKeyBanner: vscode.l10n.t('No API key is set.'),
    setApiKey: vscode.l10n.t('Set API Key'),
    startDemo: vscode.l10n.t('Start Offline Demo'),
    staleView: vscode.l10n.t('Loopdock was updated. Reload the window to go on.'),
    viewFailed: vscode.l10n.t('The view could not be drawn. The session is not affected.'),
    reload: vscode.l10n.t('Reload View'),
  };
}

function feedStrings() {
  return {
    conversation: vscode.l10n.t('Conversation'),
    you: vscode.l10n.t('You'),
    claude: vscode.l10n.t('Claude'),
    thinking: vscode.l10n.t('Thinking'),
    showSummary: vscode.l10n.t('Show the summary'),
    thinkingNow: vscode.l10n.t('Thinking…'),
    notSent: vscode.l10n.t('not sent to Claude'),
    inspectRequest: vscode.l10n.t('Inspect the request of this answer'),
    showEarlier: vscode.l10n.t('Show {0} earlier'),
    jumpToLatest: vscode.l10n.t('Jump to latest'),
    rowFailed: vscode.l10n.t('This part could not be shown.'),
    toolCall: vscode.l10n.t('Tool call'),
    attachment: vscode.l10n.t('Attachment'),
    emptyTitle: vscode.l10n.t('What should Claude do?'),
    emptyText: vscode.l10n.t(
      'Edits are shown as diffs before they count. Commands run in your terminal, and each one asks first.',
    ),
    trySuggestion: vscode.l10n.t('Try this'),
  };
}

function placesStatesToolsStrings() {
  return {
    placeLocal: vscode.l10n.t('this machine'),
    placeContainer: vscode.l10n.t('Anthropic container'),
    placeServer: vscode.l10n.t('Anthropic servers'),
    statusStreaming: vscode.l10n.t('Writing…'),
    statusQueued: vscode.l10n.t('Queued'),
    statusPreparing: vscode.l10n.t('Preparing…'),
    statusApproval: vscode.l10n.t('Waits for you'),
    statusRunning: vscode.l10n.t('Running…'),
    statusDone: vscode.l10n.t('Done'),
    statusError: vscode.l10n.t('Failed'),
    statusDenied: vscode.l10n.t('Denied'),
    statusCancelled: vscode.l10n.t('Cancelled'),
  };
}

function toolBodiesStrings() {
  return {
    linesAdded: vscode.l10n.t('{0} lines added'),
    linesRemoved: vscode.l10n.t('{0} lines removed'),
    moreLines: vscode.l10n.t('{0} more lines'),
    truncated: vscode.l10n.t('Not everything is shown.'),
    outputTail: vscode.l10n.t('Only the end of the output is shown.'),
    noOutput: vscode.l10n.t('No output'),
    output: vscode.l10n.t('Output'),
    command: vscode.l10n.t('Command'),
    changesTo: vscode.l10n.t('Changes to {0}'),
    exitCode: vscode.l10n.t('exit code {0}'),
    showTerminal: vscode.l10n.t('Show Terminal'),
    links: vscode.l10n.t('Links'),
    sources: vscode.l10n.t('Sources'),
  };
}

function approvalStrings() {
  return {
    approvalLabel: vscode.l10n.t('Approval'),
    approvalWaits: vscode.l10n.t('Decide the one above first.'),
    approvalAnswered: vscode.l10n.t('Answer sent…'),
    openDiff: vscode.l10n.t('Open Diff'),
    denyMessageLabel: vscode.l10n.t('Message to Claude'),
    denyMessagePlaceholder: vscode.l10n.t('Tell Claude what to do instead…'),
    sendMessage: vscode.l10n.t('Send'),
    cancel: vscode.l10n.t('Cancel'),
    waitingOne: vscode.l10n.t('Waits for your decision'),
    waitingMany: vscode.l10n.t('{0} decisions wait for you'),
    showWaiting: vscode.l10n.t('Show'),
  };
}

function attachmentsStrings() {
  return {
    open: vscode.l10n.t('Open'),
    saveAs: vscode.l10n.t('Save As…'),
    addToWorkspace: vscode.l10n.t('Add to Workspace'),
    openData: vscode.l10n.t('Open Data'),
    retry: vscode.l10n.t('Retry'),
    downloading: vscode.l10n.t('Downloading…'),
    downloadFailed: vscode.l10n.t('Download failed'),
    downloadAgain: vscode.l10n.t('Download Again'),
    fileDeleted: vscode.l10n.t('You deleted this file.'),
    unnamedFile: vscode.l10n.t('Unnamed file'),
    thumbnailOf: vscode.l10n.t('Preview of {0}'),
  };
}

function noticesStrings() {
  return {
    severityInfo: vscode.l10n.t('Information'),
    severityWarning: vscode.l10n.t('Warning'),
    severityError: vscode.l10n.t('Error'),
    requestId: vscode.l10n.t('Request ID: {0}'),
    retryIn: vscode.l10n.t('Trying again in {0}'),
    retryNow: vscode.l10n.t('Trying again…'),
  };
}

function composerFooterStrings() {
  return {
    messageLabel: vscode.l10n.t('Message to Claude'),
    placeholder: vscode.l10n.t('Ask Claude…'),
    placeholderBusy: vscode.l10n.t('Type the next message; it is sent when this turn ends'),
    placeholderReadOnly: vscode.l10n.t('This session can only be read here'),
    send: vscode.l10n.t('Send'),
    queue: vscode.l10n.t('Send after this turn'),
    stop: vscode.l10n.t('Stop'),
    queued: vscode.l10n.t('Queued messages'),
    editQueued: vscode.l10n.t('Edit queued message'),
    removeQueued: vscode.l10n.t('Remove queued message'),
    modeAsk: vscode.l10n.t('Ask'),
    modeAskHint: vscode.l10n.t('Reading is free; every edit and command asks first'),
    chooseModel: vscode.l10n.t('Choose model'),
    noModel: vscode.l10n.t('No model'),
    contextOf: vscode.l10n.t('Context: {0} of {1} tokens'),
    contextUsed: vscode.l10n.t('Context: {0} tokens'),
    working: vscode.l10n.t('Working…'),
  };
}

function codeStrings() {
  return {
    copy: vscode.l10n.t('Copy'),
    copied: vscode.l10n.t('Copied'),
    code: vscode.l10n.t('Code'),
  };
}
