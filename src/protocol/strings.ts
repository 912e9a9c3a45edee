import { englishInputStrings, type InputStrings } from './inputStrings.ts';
import { englishUsageStrings, type UsageStrings } from './usageStrings.ts';

/**
 * Every user-visible text of the webview. The host builds the localised object and puts it into the page as JSON (id
 * `loopdock-strings`). `{0}`, `{1}` are filled in by `format` of format.ts.
 */
export interface WebviewStrings extends UsageStrings, InputStrings {
  // Header and navigation
  readonly newSession: string;
  readonly history: string;
  readonly untitledSession: string;
  readonly back: string;
  readonly loading: string;
  readonly noSessions: string;
  readonly currentSession: string;
  /** {0}: container id. */
  readonly containerLabel: string;
  /** {0}: a time of day or a date. */
  readonly containerExpires: string;
  readonly containerExpired: string;
  // Banners
  readonly simulatedBanner: string;
  readonly untrustedBanner: string;
  readonly manageTrust: string;
  readonly readOnlyBanner: string;
  readonly noKeyBanner: string;
  readonly setApiKey: string;
  readonly startDemo: string;
  readonly staleView: string;
  readonly viewFailed: string;
  readonly reload: string;
  // Feed
  readonly conversation: string;
  readonly you: string;
  readonly claude: string;
  readonly thinking: string;
  readonly showSummary: string;
  readonly thinkingNow: string;
  readonly notSent: string;
  readonly inspectRequest: string;
  /** {0}: how many rows are hidden above. */
  readonly showEarlier: string;
  readonly jumpToLatest: string;
  readonly rowFailed: string;
  readonly toolCall: string;
  readonly attachment: string;
  readonly emptyTitle: string;
  readonly emptyText: string;
  readonly trySuggestion: string;
  // Places and states of tools
  readonly placeLocal: string;
  readonly placeContainer: string;
  readonly placeServer: string;
  readonly statusStreaming: string;
  readonly statusQueued: string;
  readonly statusPreparing: string;
  readonly statusApproval: string;
  readonly statusRunning: string;
  readonly statusDone: string;
  readonly statusError: string;
  readonly statusDenied: string;
  readonly statusCancelled: string;
  // Tool bodies
  /** {0}: added lines. */
  readonly linesAdded: string;
  /** {0}: removed lines. */
  readonly linesRemoved: string;
  /** {0}: how many lines are left out. */
  readonly moreLines: string;
  readonly truncated: string;
  readonly outputTail: string;
  readonly noOutput: string;
  readonly output: string;
  readonly command: string;
  /** {0}: path. */
  readonly changesTo: string;
  /** {0}: exit code. */
  readonly exitCode: string;
  readonly showTerminal: string;
  readonly links: string;
  readonly sources: string;
  // Approval
  readonly approvalLabel: string;
  readonly approvalWaits: string;
  readonly approvalAnswered: string;
  readonly openDiff: string;
  readonly denyMessageLabel: string;
  readonly denyMessagePlaceholder: string;
  readonly sendMessage: string;
  readonly cancel: string;
  /** One approval waits. */
  readonly waitingOne: string;
  /** {0}: how many approvals wait. */
  readonly waitingMany: string;
  readonly showWaiting: string;
  // Attachments
  readonly open: string;
  readonly saveAs: string;
  readonly addToWorkspace: string;
  readonly openData: string;
  readonly retry: string;
  readonly downloading: string;
  readonly downloadFailed: string;
  readonly downloadAgain: string;
  readonly fileDeleted: string;
  readonly unnamedFile: string;
  /** {0}: file name. */
  readonly thumbnailOf: string;
  // Notices
  readonly severityInfo: string;
  readonly severityWarning: string;
  readonly severityError: string;
  /** {0}: request id. */
  readonly requestId: string;
  /** {0}: a time such as `12 s`. */
  readonly retryIn: string;
  readonly retryNow: string;
  // Composer and footer
  readonly messageLabel: string;
  readonly placeholder: string;
  readonly placeholderBusy: string;
  readonly placeholderReadOnly: string;
  readonly send: string;
  readonly queue: string;
  readonly stop: string;
  readonly queued: string;
  readonly editQueued: string;
  readonly removeQueued: string;
  readonly modeAsk: string;
  readonly modeAskHint: string;
  readonly chooseModel: string;
  readonly noModel: string;
  /** {0}: tokens used, {1}: the limit. */
  readonly contextOf: string;
  /** {0}: tokens used. */
  readonly contextUsed: string;
  readonly working: string;
  // Code
  readonly copy: string;
  readonly copied: string;
  readonly code: string;
}

/** The English texts: what the host passes to its localisation, and what tests use. */
export const englishStrings: WebviewStrings = {
  ...englishUsageStrings,
  ...englishInputStrings,
  newSession: 'New session',
  history: 'Sessions',
  untitledSession: 'New session',
  back: 'Back to the conversation',
  loading: 'Loading…',
  noSessions: 'No sessions yet',
  currentSession: 'open now',
  containerLabel: 'Anthropic container {0}',
  containerExpires: 'expires {0}',
  containerExpired: 'expired',
  simulatedBanner: 'Simulated answers, no model',
  untrustedBanner: 'Restricted Mode: Loopdock reads and changes no files and runs no commands in this workspace.',
  manageTrust: 'Manage Workspace Trust',
  readOnlyBanner: 'Another window writes this session. Here it can only be read.',
  noKeyBanner: 'No API key is set.',
  setApiKey: 'Set API Key',
  startDemo: 'Start Offline Demo',
  staleView: 'Loopdock was updated. Reload the window to go on.',
  viewFailed: 'The view could not be drawn. The session is not affected.',
  reload: 'Reload View',
  conversation: 'Conversation',
  you: 'You',
  claude: 'Claude',
  thinking: 'Thinking',
  showSummary: 'Show the summary',
  thinkingNow: 'Thinking…',
  notSent: 'not sent to Claude',
  inspectRequest: 'Inspect the request of this answer',
  showEarlier: 'Show {0} earlier',
  jumpToLatest: 'Jump to latest',
  rowFailed: 'This part could not be shown.',
  toolCall: 'Tool call',
  attachment: 'Attachment',
  emptyTitle: 'What should Claude do?',
  emptyText: 'Edits are shown as diffs before they count. Commands run in your terminal, and each one asks first.',
  trySuggestion: 'Try this',
  placeLocal: 'this machine',
  placeContainer: 'Anthropic container',
  placeServer: 'Anthropic servers',
  statusStreaming: 'Writing…',
  statusQueued: 'Queued',
  statusPreparing: 'Preparing…',
  statusApproval: 'Waits for you',
  statusRunning: 'Running…',
  statusDone: 'Done',
  statusError: 'Failed',
  statusDenied: 'Denied',
  statusCancelled: 'Cancelled',
  linesAdded: '{0} lines added',
  linesRemoved: '{0} lines removed',
  moreLines: '{0} more lines',
  truncated: 'Not everything is shown.',
  outputTail: 'Only the end of the output is shown.',
  noOutput: 'No output',
  output: 'Output',
  command: 'Command',
  changesTo: 'Changes to {0}',
  exitCode: 'exit code {0}',
  showTerminal: 'Show Terminal',
  links: 'Links',
  sources: 'Sources',
  approvalLabel: 'Approval',
  approvalWaits: 'Decide the one above first.',
  approvalAnswered: 'Answer sent…',
  openDiff: 'Open Diff',
  denyMessageLabel: 'Message to Claude',
  denyMessagePlaceholder: 'Tell Claude what to do instead…',
  sendMessage: 'Send',
  cancel: 'Cancel',
  waitingOne: 'Waits for your decision',
  waitingMany: '{0} decisions wait for you',
  showWaiting: 'Show',
  open: 'Open',
  saveAs: 'Save As…',
  addToWorkspace: 'Add to Workspace',
  openData: 'Open Data',
  retry: 'Retry',
  downloading: 'Downloading…',
  downloadFailed: 'Download failed',
  downloadAgain: 'Download Again',
  fileDeleted: 'You deleted this file.',
  unnamedFile: 'Unnamed file',
  thumbnailOf: 'Preview of {0}',
  severityInfo: 'Information',
  severityWarning: 'Warning',
  severityError: 'Error',
  requestId: 'Request ID: {0}',
  retryIn: 'Trying again in {0}',
  retryNow: 'Trying again…',
  messageLabel: 'Message to Claude',
  placeholder: 'Ask Claude…',
  placeholderBusy: 'Type the next message; it is sent when this turn ends',
  placeholderReadOnly: 'This session can only be read here',
  send: 'Send',
  queue: 'Send after this turn',
  stop: 'Stop',
  queued: 'Queued messages',
  editQueued: 'Edit queued message',
  removeQueued: 'Remove queued message',
  modeAsk: 'Ask',
  modeAskHint: 'Reading is free; every edit and command asks first',
  chooseModel: 'Choose model',
  noModel: 'No model',
  contextOf: 'Context: {0} of {1} tokens',
  contextUsed: 'Context: {0} tokens',
  working: 'Working…',
  copy: 'Copy',
  copied: 'Copied',
  code: 'Code',
};
