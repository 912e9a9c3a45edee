import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Copies the sample project into a new folder below `parent` (`loopdock-demo`, `loopdock-demo-2`, …): what a user did in
 * an earlier copy is never overwritten. Returns the folder.
 */
export async function copySample(sample: string, parent: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  const taken = new Set(await readdir(parent));
  let name = 'loopdock-demo';
  for (let number = 2; taken.has(name); number++) name = `loopdock-demo-${number}`;
  const folder = join(parent, name);
  await cp(sample, folder, { recursive: true, errorOnExist: true, force: false });
  return folder;
}

/** Whether a folder holds everything that the sample project has at its top. */
export async function isSample(sample: string, folder: string): Promise<boolean> {
  const wanted = await readdir(sample);
  const found: readonly string[] = await readdir(folder).catch(() => []);
  return wanted.every((name) => found.includes(name));
}
