import assert from 'node:assert/strict';
import { createSessionController } from '../../src/core/agent/controller.ts';
import type { SessionController } from '../../src/core/agent/controllerTypes.ts';
import type { ModelPort } from '../../src/core/ports.ts';
import type { LogEntry, TurnEnded } from '../../src/core/session/entries.ts';
import type { AnyTool } from '../../src/core/tools/tool.ts';
import type { ToolRow } from '../../src/protocol/rows.ts';
import { agentWorld, type AgentWorld } from './agent.ts';
import { settle } from './fakes.ts';
import { assertEveryPrefixValid } from './validRequest.ts';

export interface Run {
  readonly world: AgentWorld;
  readonly controller: SessionController;
  entries(): readonly LogEntry[];
  idle(): Promise<void>;
}

export function start(model: ModelPort, tools?: readonly AnyTool[]): Run {
  const world = agentWorld(model, tools);
  const controller = createSessionController(world);
  return {
    world,
    controller,
    entries: () => world.logs.stored(controller.snapshot().state.sessionId),
    idle: () => idle(controller),
  };
}

export async function idle(controller: SessionController): Promise<void> {
  for (let i = 0; i < 2000; i++) {
    await settle();
    if (!controller.snapshot().state.busy) return;
  }
  assert.fail(`still busy: ${controller.snapshot().state.phase}`);
}

/** The messages that wait for the turn's end. */
export function queuedTexts(controller: SessionController): readonly string[] {
  return controller.snapshot().state.queued.map(({ text }) => text);
}

export async function run(model: ModelPort, tools?: readonly AnyTool[]): Promise<Run> {
  const world = start(model, tools);
  await world.controller.submit('Hello');
  await world.idle();
  assertEveryPrefixValid(world.entries());
  return world;
}

export function end(entries: readonly LogEntry[]): TurnEnded {
  const last = entries.at(-1);
  assert.ok(last?.type === 'turnEnded');
  return last;
}

export async function untilWaiting(controller: SessionController, count = 1): Promise<ToolRow[]> {
  for (let i = 0; i < 2000; i++) {
    await settle();
    const waiting = controller
      .snapshot()
      .rows.filter((row): row is ToolRow => row.kind === 'tool' && row.approval !== undefined);
    if (waiting.length >= count) return waiting;
  }
  return assert.fail('no approval appeared');
}

export function approvalOf(row: ToolRow | undefined): string {
  assert.ok(row?.approval);
  return row.approval.id;
}
