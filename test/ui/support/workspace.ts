import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A small project as a literal: path → content. */
export type WorkspaceFiles = Readonly<Record<string, string | Uint8Array>>;

/** Fills `folder` from a literal, or with a copy of another folder. */
export function fillWorkspace(folder: string, content: WorkspaceFiles | string): void {
  mkdirSync(folder, { recursive: true });
  if (typeof content === 'string') {
    cpSync(content, folder, { recursive: true });
    return;
  }
  for (const [path, text] of Object.entries(content)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
