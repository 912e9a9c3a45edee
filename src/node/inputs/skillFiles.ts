import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { MOST_SKILL_BYTES } from '../../core/base/skillFolder.ts';
import { UserError } from '../../core/errors.ts';

export interface SkillFiles {
  /** Paths within the folder, with `/`. */
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array }[];
  /** What is there and is not taken along: links, pipes, version control. */
  readonly left: readonly string[];
}

const MOST_FILES = 1000;
const NOT_OF_THE_SKILL = new Set(['.git', '.hg', '.svn', '.DS_Store', 'node_modules', '__pycache__']);

/** Reads a folder whole. Throws `UserError` when it holds more than a skill may, or can't be read. Follows no links. */
export async function readSkillFolder(folder: string): Promise<SkillFiles> {
  const files: { path: string; bytes: Uint8Array }[] = [];
  const left: string[] = [];
  let size = 0;
  const walk = async (path: string): Promise<void> => {
    const entries = await readdir(join(folder, path), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`;
      if (NOT_OF_THE_SKILL.has(entry.name) || !(entry.isFile() || entry.isDirectory())) {
        left.push(inner);
        continue;
      }
      if (entry.isDirectory()) {
        await walk(inner);
        continue;
      }
      // Asked before it is read: nothing too large comes into memory.
      size += (await lstat(join(folder, inner))).size;
      if (size >= MOST_SKILL_BYTES)
        throw new UserError(l10n.t('The skill has more than the 30 MB that the API takes.'));
      if (files.length >= MOST_FILES) throw new UserError(l10n.t('The folder has more than {0} files.', MOST_FILES));
      files.push({ path: inner, bytes: await readFile(join(folder, inner)) });
    }
  };
  try {
    await walk('');
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(l10n.t('The folder could not be read: {0}', String(error)), { cause: error });
  }
  return { files, left };
}
