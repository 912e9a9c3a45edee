import * as l10n from '@vscode/l10n';
import { diffTexts, formatHunks } from '../edit/hunks.ts';
import { toLf } from '../edit/lineEnds.ts';
import type { PathFacts } from '../approval/effects.ts';
import type { AppliedEdit } from '../ports.ts';
import type { Hunk, ToolBody } from '../../protocol/rows.ts';
import { cutForModel } from './textEditorText.ts';
import type { ToolOutcome } from './tool.ts';

export interface FinishedEdit {
  readonly path: PathFacts;
  readonly title: string;
  /** What the model is told on success. */
  readonly done: string;
  readonly before: string;
  /** What the model proposed, and what was written after the user had a hand in it. */
  readonly proposed: string;
  readonly after: string;
  readonly applied: AppliedEdit;
}

const MAX_REPORT = 8000;

export function diffBody(path: PathFacts, before: string, after: string, note?: string): ToolBody {
  const { hunks, added, removed, truncated } = diffTexts(before, after);
  return {
    kind: 'diff',
    path: path.display,
    added,
    removed,
    hunks,
    ...(truncated ? { truncated } : {}),
    ...(note === undefined ? {} : { note }),
  };
}

/**
 * The result of an edit that was written: the tool's own text, and what is otherwise than the model thinks: changes of
 * the user's, changes on save, not being on disk.
 */
export function editResult(edit: FinishedEdit): ToolOutcome {
  const { applied, before, after } = edit;
  const parts = [edit.done];
  const notes: string[] = [];
  if (toLf(edit.proposed) !== toLf(after)) {
    parts.push(
      `The user changed the edit before accepting it. What they changed in your proposal:\n${difference(edit)}`,
    );
    notes.push(l10n.t('Accepted with changes of yours.'));
  }
  if (applied.changedOnSave) {
    parts.push(
      'Saving changed the file further (a formatter or another action on save). ' +
        `The changed places now read:\n${changedPlaces(before, applied.text)}`,
    );
    notes.push(l10n.t('Saving changed the file further.'));
  }
  if (!applied.saved) {
    parts.push('The change is in the open editor only; it is not saved to disk yet, so commands do not see it.');
    notes.push(l10n.t('Not saved yet.'));
  }
  return {
    content: parts.join('\n'),
    isError: false,
    title: edit.title,
    body: diffBody(edit.path, before, applied.text, notes.length > 0 ? notes.join(' ') : undefined),
  };
}

function difference({ proposed, after }: FinishedEdit): string {
  return cutForModel(formatHunks(diffTexts(proposed, after, { context: 1 }).hunks), MAX_REPORT);
}

/** The new text of every changed place with its line numbers. */
function changedPlaces(before: string, now: string): string {
  return cutForModel(diffTexts(before, now, { context: 1 }).hunks.map(newSide).join('\n…\n'), MAX_REPORT);
}

function newSide(hunk: Hunk): string {
  return hunk.lines
    .filter((line) => !line.startsWith('-'))
    .map((line, index) => `${String(hunk.newStart + index)}: ${line.slice(1)}`)
    .join('\n');
}
