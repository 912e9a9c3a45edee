import { NO_ADVISOR } from '../tools/advisorWish.ts';
import { NO_WEB } from '../tools/webWish.ts';
import { NO_BUDGET } from '../cost/budget.ts';
import type { AgentConfig } from './controllerTypes.ts';

/** What is configured before anything was read. */
export const NO_CONFIG: AgentConfig = {
  model: '',
  mode: 'ask',
  thinking: { thinking: 'auto', effort: 'default' },
  compactBy: 'own',
  clearOldResults: false,
  compactAt: 0,
  toolVersions: {},
  folders: [],
  environment: '',
  trusted: false,
  hasKey: false,
  simulated: false,
  suggestedPrompt: '',
  baseUrl: '',
  prices: {},
  budget: NO_BUDGET,
  web: NO_WEB,
  mcp: [],
  advisor: NO_ADVISOR,
  readWorkspace: false,
};
