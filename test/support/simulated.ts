import assert from 'node:assert/strict';
import { createApi } from '../../src/api/index.ts';
import { createSessionController } from '../../src/core/agent/controller.ts';
import type { AgentConfig, ControllerDeps, SessionController } from '../../src/core/agent/controllerTypes.ts';
import type { LogStorePort, ModelEvent } from '../../src/core/ports.ts';
import type { LogEntry } from '../../src/core/session/entries.ts';
import { codeExecutionTool } from '../../src/core/tools/codeExecution.ts';
import type { AnyTool } from '../../src/core/tools/tool.ts';
import { createClock } from '../../src/node/clock.ts';
import { createIds } from '../../src/node/ids.ts';
import { createLogStore } from '../../src/node/logStore.ts';
import type { Simulator } from '../../src/simulator/server.ts';
import { agentWorld, echoTool, effectTool } from './agent.ts';
import { fakeLogger, type FakeLogger } from './fakes.ts';

export interface SimulatedOptions {
  readonly simulator: Simulator;
  /** Where the logs are. */
  readonly dir: string;
  readonly tools?: readonly AnyTool[];
  readonly config?: Partial<AgentConfig>;
  readonly inactivityMs?: number;
  readonly onEvent?: ((event: ModelEvent) => void) | undefined;
  /** In place of what is made here. Without a clock, waits of the loop take no time. */
  readonly deps?: Partial<ControllerDeps>;
}

export interface Simulated {
  readonly controller: SessionController;
  readonly logger: FakeLogger;
}

/** The real client rooms and the real log against the simulator; only the editor is missing. */
export function simulated(options: SimulatedOptions): Simulated {
  const { simulator, dir, inactivityMs, onEvent, config, deps } = options;
  const logger = fakeLogger();
  const api = createApi({
    connection: () => Promise.resolve({ baseUrl: simulator.url, apiKey: simulator.key }),
    ...{ logger, clock: createClock() },
    ...(inactivityMs === undefined ? {} : { inactivityMs }),
  });
  const model: typeof api.model = {
    ...api.model,
    stream: (request, signal, listener) =>
      api.model.stream(request, signal, (event) => {
        listener(event);
        onEvent?.(event);
      }),
  };
  const { tools = [echoTool(), effectTool(), codeExecutionTool] } = options;
  const controller = createSessionController({
    ...agentWorld(model, tools, config),
    ...{ ids: createIds(), logger, files: api.files, logs: logsIn(dir, [simulator.key]) },
    ...deps,
  });
  return { controller, logger };
}

/** The real store of logs. */
export function logsIn(dir: string, secrets: readonly string[] = []): LogStorePort {
  return createLogStore({
    ...{ dir, clock: createClock(), ids: createIds(), logger: fakeLogger() },
    secrets: () => secrets,
  });
}

/** Approves everything until the turn has ended. */
export async function finish(controller: SessionController): Promise<void> {
  for (let i = 0; i < 8000; i++) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    const { rows, state } = controller.snapshot();
    for (const row of rows)
      if (row.kind === 'tool' && row.approval?.live) controller.answerApproval(row.approval.id, 'allow');
    if (!state.busy) return;
  }
  assert.fail('the turn does not end');
}

/** The requests for messages that the simulator did not like. */
export function refused(simulator: Simulator): readonly unknown[] {
  return simulator.requests.filter(
    ({ path, status }) => path.startsWith('/v1/messages') && status !== undefined && status >= 400,
  );
}

/** Bodies and betas of the requests for messages, in order. */
export function sentTo(simulator: Simulator): readonly { readonly body: unknown; readonly betas: readonly string[] }[] {
  return simulator.requests
    .filter(({ path, body }) => path === '/v1/messages' && body !== undefined)
    .map(({ body, headers }) => ({ body, betas: (headers['anthropic-beta'] ?? '').split(',') }));
}

/** The entries of a session on disk, after its controller was closed. */
export async function storedEntries(controller: SessionController, folder: string): Promise<readonly LogEntry[]> {
  const { sessionId } = controller.snapshot().state;
  controller.dispose();
  const log = await logsIn(folder).open(sessionId);
  const entries = [...log.entries()];
  log.dispose();
  return entries;
}
