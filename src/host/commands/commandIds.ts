/** Every command of the manifest but those of the proposal diff, which its own room registers. */
export const commandIds = [
  'loopdock.openChat',
  'loopdock.newSession',
  'loopdock.sendPrompt',
  'loopdock.stop',
  'loopdock.continue',
  'loopdock.compact',
  'loopdock.showSessions',
  'loopdock.setApiKey',
  'loopdock.clearApiKey',
  'loopdock.setMcpToken',
  'loopdock.testConnection',
  'loopdock.chooseModel',
  'loopdock.chooseThinking',
  'loopdock.batch',
  'loopdock.chooseSkills',
  'loopdock.uploadSkill',
  'loopdock.attachFiles',
  'loopdock.runOnSandbox',
  'loopdock.rerunAnalysis',
  'loopdock.showAttachments',
  'loopdock.inspectRequest',
  'loopdock.openSettings',
  'loopdock.showLog',
  'loopdock.startDemo',
] as const;

export type CommandId = (typeof commandIds)[number];
