import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionController } from '../../src/core/agent/controllerTypes.ts';
import { scripted } from '../../src/simulator/scenarios/scripted.ts';
import { startSimulator, type Simulator } from '../../src/simulator/server.ts';

/** What each test of a suite has anew. */
export interface PerTest {
  readonly simulator: Simulator;
  /** Where the logs are. */
  readonly folder: string;
  /** Disposed after the test. */
  readonly opened: SessionController[];
}

/** Gives each test of the suite around a scripted simulator and a folder of its own. `chunkSize`: code points per delta. */
export function simulatorPerTest(chunkSize: number): PerTest {
  const world = { opened: [] } as unknown as { -readonly [K in keyof PerTest]: PerTest[K] };
  setup(async () => {
    world.simulator = await startSimulator({ scenario: scripted, chunkSize });
    world.folder = await mkdtemp(join(tmpdir(), 'loopdock-simulated-'));
  });
  teardown(async () => {
    for (const controller of world.opened.splice(0)) controller.dispose();
    await world.simulator.close();
    await rm(world.folder, { recursive: true, force: true });
  });
  return world;
}
