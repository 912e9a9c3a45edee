import type { CapabilitySupport, ModelCapabilities, ModelInfo } from '@anthropic-ai/sdk/resources/models';

/** The full-featured simulated model; behaves as the newest families do (adaptive thinking, bound to its prefix). */
export const MODEL = 'claude-simulated-5';
/** A lesser one: no code execution, no effort, manual thinking only, thinking not bound to its prefix. */
export const MINI_MODEL = 'claude-simulated-mini';

export interface SimulatedModel {
  readonly info: ModelInfo;
  /** Thinking blocks are tied to the exact conversation before them. */
  readonly bindsThinking: boolean;
  /** `tool_choice` `any` and `tool` are taken. */
  readonly forcedToolChoice: boolean;
  /** `role: "system"` inside `messages` is taken. */
  readonly systemMessages: boolean;
  /** Thinking is on when the request says nothing. */
  readonly thinksByDefault: boolean;
  /** The parameter `compaction` is taken: a capability of the beta's view of the list. */
  readonly summarizes: boolean;
}

const yes: CapabilitySupport = { supported: true };
const no: CapabilitySupport = { supported: false };

const capabilities = {
  batch: no,
  citations: yes,
  code_execution: yes,
  context_management: {
    supported: true,
    clear_thinking_20251015: yes,
    clear_tool_uses_20250919: yes,
    compact_20260112: no,
  },
  effort: { supported: true, low: yes, medium: yes, high: yes, xhigh: yes, max: yes },
  image_input: yes,
  pdf_input: yes,
  server_tools: { supported: true, code_execution: yes, web_search: yes },
  structured_outputs: no,
  thinking: { supported: true, types: { adaptive: yes, enabled: no, disabled: yes, between_tools: no } },
} satisfies ModelCapabilities;

const miniCapabilities = {
  ...capabilities,
  code_execution: no,
  context_management: {
    supported: false,
    clear_thinking_20251015: no,
    clear_tool_uses_20250919: no,
    compact_20260112: null,
  },
  effort: { supported: false, low: no, medium: no, high: no, xhigh: null, max: no },
  pdf_input: no,
  server_tools: { supported: false, code_execution: no, web_search: no },
  thinking: { supported: true, types: { adaptive: no, enabled: yes, disabled: yes, between_tools: no } },
} satisfies ModelCapabilities;

const common = {
  type: 'model',
  lifecycle: 'active',
  deprecated_at: null,
  retires_at: null,
  line: null,
} as const;

export const MODELS: readonly SimulatedModel[] = [
  {
    info: {
      ...common,
      id: MODEL,
      display_name: 'Simulated (no model)',
      created_at: '2026-11-01T00:00:00Z',
      max_input_tokens: 1_000_000,
      max_tokens: 128_000,
      capabilities,
    } satisfies ModelInfo,
    bindsThinking: true,
    forcedToolChoice: false,
    systemMessages: true,
    thinksByDefault: true,
    summarizes: true,
  },
  {
    info: {
      ...common,
      id: MINI_MODEL,
      display_name: 'Simulated mini (no model)',
      created_at: '2026-10-01T00:00:00Z',
      max_input_tokens: 200_000,
      max_tokens: 64_000,
      capabilities: miniCapabilities,
    } satisfies ModelInfo,
    bindsThinking: false,
    forcedToolChoice: true,
    systemMessages: false,
    thinksByDefault: false,
    summarizes: false,
  },
];

export function findModel(id: string): SimulatedModel | undefined {
  return MODELS.find((model) => model.info.id === id);
}
