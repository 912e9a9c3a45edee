import { z } from 'zod';
import type { AgentConfig, ControllerDeps } from '../../src/core/agent/controllerTypes.ts';
import { NO_BUDGET } from '../../src/core/cost/budget.ts';
import { Emitter } from '../../src/core/base/event.ts';
import { ApiError, CancelledError, ToolError } from '../../src/core/errors.ts';
import type { FilesPort, ModelPort, PreviewHandle, PreviewPort } from '../../src/core/ports.ts';
import { codeExecutionTool } from '../../src/core/tools/codeExecution.ts';
import { NO_ADVISOR } from '../../src/core/tools/advisorWish.ts';
import { NO_WEB } from '../../src/core/tools/webWish.ts';
import {
  clientTool,
  type AnyTool,
  type DiffPreview,
  type ToolOutcome,
  type ToolWish,
} from '../../src/core/tools/tool.ts';
import { fakeInputs, type FakeInputs } from './fakeInputs.ts';
import {
  fakeAttachments,
  fakeClock,
  fakeIds,
  fakeLogger,
  fakeLogStore,
  type FakeAttachments,
  type FakeLogger,
  type FakeLogStore,
} from './fakes.ts';

export const CONFIG: AgentConfig = {
  model: '',
  mode: 'ask',
  thinking: { thinking: 'auto', effort: 'default' },
  compactAt: 80,
  compactBy: 'api',
  clearOldResults: false,
  toolVersions: {},
  folders: ['file:///w'],
  environment: 'Root: /w',
  trusted: true,
  hasKey: true,
  simulated: false,
  suggestedPrompt: '',
  baseUrl: 'https://api.anthropic.com',
  prices: {},
  budget: NO_BUDGET,
  web: NO_WEB,
  mcp: [],
  advisor: NO_ADVISOR,
  readWorkspace: false,
};

/** For declarations that depend on nothing. */
export const NO_WISH: ToolWish = {
  model: 'claude-simulated-5',
  web: NO_WEB,
  advisor: NO_ADVISOR,
  deferring: false,
  programmatic: false,
  readWorkspace: false,
};

/** A tool whose calls only read: it answers with what it was given. */
export function echoTool(log: string[] = []): AnyTool {
  return clientTool<{ text: string }>({
    kind: 'client',
    name: 'echo',
    versions: [],
    declare: () => ({ name: 'echo', description: 'Echoes', input_schema: { type: 'object' } }),
    input: z.object({ text: z.string() }),
    readOnly: () => true,
    title: () => 'Echo',
    prepare: ({ text }) =>
      Promise.resolve({
        title: `Echo ${text}`,
        effects: [],
        preview: { kind: 'none' },
        invoke: () => {
          log.push(text);
          return Promise.resolve({ content: text, isError: false, body: { kind: 'text', text } } satisfies ToolOutcome);
        },
      }),
  });
}

export interface EffectToolOptions {
  readonly log?: string[];
  readonly diff?: DiffPreview;
  /** How often `invoke` says that the world changed. */
  stale?: number;
  /** Never answers until aborted. */
  readonly hang?: boolean;
}

/** A tool that needs approval. `fail` in the input makes it throw. */
export function effectTool(options: EffectToolOptions = {}): AnyTool {
  const { log = [], diff, hang = false } = options;
  return clientTool<{ name: string; fail?: boolean | undefined }>({
    kind: 'client',
    name: 'effect',
    versions: [],
    declare: () => ({ name: 'effect', description: 'Does', input_schema: { type: 'object' } }),
    input: z.object({ name: z.string(), fail: z.boolean().optional() }),
    readOnly: () => false,
    title: () => 'Effect',
    prepare: ({ name, fail }) =>
      Promise.resolve({
        title: `Effect ${name}`,
        effects: [{ kind: 'execute', command: name, cwd: '/w' }],
        preview: { kind: 'terminal', command: name, output: '' },
        ...(diff ? { diff } : {}),
        invoke: async (run): Promise<ToolOutcome | 'stale'> => {
          if (options.stale !== undefined && options.stale > 0) {
            options.stale -= 1;
            return 'stale';
          }
          log.push(run.revised === undefined ? name : `${name}:${run.revised}`);
          run.progress(`running ${name}\n`);
          if (fail) throw new ToolError('Error: it failed');
          if (hang)
            await new Promise((_, reject) => run.signal.addEventListener('abort', () => reject(new CancelledError())));
          return {
            content: `did ${name}`,
            isError: false,
            body: { kind: 'terminal', command: name, output: 'ok', exitCode: 0 },
          };
        },
      }),
  });
}

export interface FakePreviews extends PreviewPort {
  readonly shown: string[];
  revised: string | undefined;
  readonly decisions: Map<string, Emitter<'allow' | 'deny'>>;
  readonly closed: string[];
}

export function fakePreviews(): FakePreviews {
  const previews: FakePreviews = {
    shown: [],
    closed: [],
    revised: undefined,
    decisions: new Map(),
    open(callId): PreviewHandle {
      const emitter = new Emitter<'allow' | 'deny'>();
      previews.decisions.set(callId, emitter);
      return {
        show: () => Promise.resolve(void previews.shown.push(callId)),
        revised: () => previews.revised,
        onDecision: emitter.event,
        dispose: () => void previews.closed.push(callId),
      };
    },
  };
  return previews;
}

export interface FakeFiles extends FilesPort {
  readonly files: Map<string, { readonly name: string; readonly bytes: Uint8Array }>;
  fail: Error | undefined;
  failUploads: Error | undefined;
  readonly uploads: {
    readonly id: string;
    readonly name: string;
    readonly mimeType: string;
    readonly text: string;
  }[];
}

export function fakeFiles(): FakeFiles {
  const port: FakeFiles = {
    files: new Map(),
    fail: undefined,
    failUploads: undefined,
    uploads: [],
    metadata: (id) => {
      const file = port.files.get(id);
      if (port.fail) return Promise.reject(port.fail);
      if (!file) return Promise.reject(new ApiError({ kind: 'not-found', status: 404, message: `no file ${id}` }));
      return Promise.resolve({
        id,
        name: file.name,
        mimeType: 'image/png',
        size: file.bytes.length,
        downloadable: true,
      });
    },
    async upload(source, signal, onSent) {
      const parts: Uint8Array[] = [];
      for await (const part of source.read()) {
        if (signal.aborted) throw new CancelledError();
        parts.push(part);
        onSent?.(Buffer.concat(parts).length);
      }
      if (port.failUploads) throw port.failUploads;
      const id = `file_up${String(port.uploads.length + 1)}`;
      const { name, mimeType } = source;
      port.uploads.push({ id, name, mimeType, text: Buffer.concat(parts).toString() });
      port.files.set(id, { name, bytes: Buffer.concat(parts) });
      return { id, name, mimeType, size: source.size, downloadable: false };
    },
    content: (id) => Promise.resolve(chunks(port.files.get(id)?.bytes ?? new Uint8Array())),
    remove: (id) => Promise.resolve(void port.files.delete(id)),
  };
  return port;
}

async function* chunks(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 7) yield Promise.resolve(bytes.subarray(at, at + 7));
}

export interface AgentWorld extends ControllerDeps {
  readonly logs: FakeLogStore;
  readonly logger: FakeLogger;
  readonly previews: FakePreviews;
  readonly files: FakeFiles;
  readonly attachments: FakeAttachments;
  readonly inputs: FakeInputs;
  /** Disposed tool sets. */
  readonly disposed: string[];
}

/** Everything that a controller needs, in memory. Timers run by themselves, so retries take no time. */
export function agentWorld(
  model: ModelPort,
  tools: readonly AnyTool[] = [echoTool(), codeExecutionTool],
  config: Partial<AgentConfig> = {},
): AgentWorld {
  const clock = fakeClock({ auto: true });
  const disposed: string[] = [];
  const attachments = fakeAttachments();
  return {
    model,
    clock,
    ids: fakeIds(),
    logger: fakeLogger(),
    logs: fakeLogStore(clock),
    files: fakeFiles(),
    attachments,
    inputs: fakeInputs(attachments),
    previews: fakePreviews(),
    editorContext: { read: () => Promise.resolve({}) },
    createTools: (sessionId) => ({ tools, dispose: () => void disposed.push(sessionId) }),
    config: () => Promise.resolve({ ...CONFIG, ...config }),
    thumbnail: () => Promise.resolve(undefined),
    disposed,
  };
}
