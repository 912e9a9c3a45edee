import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { ToolError } from '../../core/errors.ts';
import type { Environment } from './scrubEnvironment.ts';

/**
 * The bash to run commands with: the first on PATH, else the usual places. Only absolute PATH entries count, so that a
 * file of the workspace can't take its place. Throws `ToolError` where there is none, and on Windows, where the
 * channels that the shell is driven through (named pipes, inherited descriptors) do not exist for Git Bash.
 */
export function findBash(env: Environment = process.env, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') {
    throw new ToolError(
      'No shell: commands need bash on Linux or macOS. On Windows, open the folder in WSL, a dev container or over SSH.',
    );
  }
  const folders = (env['PATH'] ?? '').split(':').filter((folder) => path.posix.isAbsolute(folder));
  const found = [...folders, '/bin', '/usr/bin', '/usr/local/bin', '/run/current-system/sw/bin']
    .map((folder) => path.posix.join(folder, 'bash'))
    .find(isExecutable);
  if (found === undefined)
    throw new ToolError('No shell: bash was not found on this machine. Install bash to run commands.');
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
