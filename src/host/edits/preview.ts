import * as vscode from 'vscode';
import { DisposableStore } from '../../core/base/disposable.ts';
import { Emitter } from '../../core/base/event.ts';
import { toLf } from '../../core/edit/lineEnds.ts';
import type { Logger, PreviewHandle, PreviewPort } from '../../core/ports.ts';
import type { DiffPreview } from '../../core/tools/tool.ts';
import { within } from './documents.ts';
import { BEFORE_SCHEME, PROPOSED_SCHEME, ProposedFiles } from './proposedFiles.ts';

export interface Previews extends PreviewPort, vscode.Disposable {
  /** The user's decision in the diff editor of this right side; of the active diff when there is no URI. */
  decide(proposed: vscode.Uri | undefined, decision: 'allow' | 'deny'): void;
}

/** A diff editor that does not come in this time is given up: the card decides as well. */
const OPEN_MS = 5000;
/** After a key stroke the user is taken to be typing for so long; a diff then opens behind their editor. */
const TYPING_MS = 3000;

/**
 * Native diffs of edits that wait for their decision. The schemes are registered with the first one. Diffs open one
 * after the other, and never take the focus or hide the editor that the user is typing in.
 */
export function createPreviews(logger: Logger): Previews {
  return new DiffPreviews(logger);
}

/** Registers what the buttons of the diff editor run. */
export function registerPreviewCommands(previews: Previews): vscode.Disposable {
  const command = (id: string, decision: 'allow' | 'deny') =>
    vscode.commands.registerCommand(id, (uri: unknown) =>
      previews.decide(uri instanceof vscode.Uri ? uri : undefined, decision),
    );
  return vscode.Disposable.from(command('loopdock.acceptEdit', 'allow'), command('loopdock.rejectEdit', 'deny'));
}

class DiffPreviews implements Previews {
  readonly #logger: Logger;
  readonly #store = new DisposableStore();
  readonly #open = new Map<string, Preview>();
  #files: ProposedFiles | undefined;
  #count = 0;
  #queue: Promise<void> = Promise.resolve();
  #lastTyped = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
    this.#store.add(vscode.workspace.onDidChangeTextDocument((event) => this.#changed(event)));
  }

  open(_callId: string, diff: DiffPreview): PreviewHandle {
    const files = (this.#files ??= this.#register());
    const path = `/${String(++this.#count)}/${diff.path.replace(/\\/g, '/').replace(/^\/+/, '')}`;
    const before = vscode.Uri.from({ scheme: BEFORE_SCHEME, path });
    const proposed = vscode.Uri.from({ scheme: PROPOSED_SCHEME, path });
    files.put(before, diff.before, proposed, diff.after);
    const preview = new Preview(before, proposed, diff);
    this.#open.set(proposed.toString(), preview);
    return {
      onDecision: preview.decided.event,
      revised: () => preview.revised(files),
      show: () => this.#enqueue(() => this.#show(preview)),
      dispose: () => {
        if (!this.#open.delete(proposed.toString())) return;
        preview.decided.dispose();
        // The text stays until the tab is closed, or the editor would complain that its file is gone.
        void this.#enqueue(async () => {
          await closeTabs((uri) => uri.toString() === proposed.toString());
          files.remove(before, proposed);
        });
      },
    };
  }

  decide(proposed: vscode.Uri | undefined, decision: 'allow' | 'deny'): void {
    const uri = proposed?.scheme === PROPOSED_SCHEME ? proposed : activeProposal();
    if (uri) this.#open.get(uri.toString())?.decided.fire(decision);
  }

  dispose(): void {
    this.#open.clear();
    this.#store.dispose();
  }

  #register(): ProposedFiles {
    const files = this.#store.add(new ProposedFiles());
    this.#store.add(vscode.workspace.registerFileSystemProvider(PROPOSED_SCHEME, files, { isCaseSensitive: true }));
    this.#store.add(vscode.workspace.registerTextDocumentContentProvider(BEFORE_SCHEME, files));
    // Diffs that a restart of the window brought back: their texts and their approvals are gone.
    void this.#enqueue(() => closeTabs((uri) => !this.#open.has(uri.toString())));
    return files;
  }

  /** A changed proposal is saved at once, into memory: so closing its tab asks nothing. */
  #changed({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (contentChanges.length === 0) return;
    if (document.uri.scheme === PROPOSED_SCHEME) void this.#guard(() => saveProposal(document));
    else if (document === vscode.window.activeTextEditor?.document) this.#lastTyped = Date.now();
  }

  async #show(preview: Preview): Promise<void> {
    const { before, proposed, diff } = preview;
    if (!this.#open.has(proposed.toString())) return;
    const name = diff.path.split(/[/\\]/).at(-1) ?? diff.path;
    const title = diff.exists
      ? vscode.l10n.t('Edit {0} (Loopdock)', name)
      : vscode.l10n.t('Create {0} (Loopdock)', name);
    // Only the first time: later the user asks for it.
    const background = !preview.shown && Date.now() - this.#lastTyped < TYPING_MS;
    preview.shown = true;
    const options = { preview: true, preserveFocus: true, background };
    const opened = vscode.commands.executeCommand('vscode.diff', before, proposed, title, options).then(() => true);
    if (!(await within(OPEN_MS, opened, false))) this.#logger.warn('The diff editor did not open in time.');
  }

  #enqueue(run: () => Promise<void>): Promise<void> {
    return (this.#queue = this.#queue.then(() => this.#guard(run)));
  }

  /** A preview is cosmetic: whatever fails in it is logged and goes no further. */
  async #guard(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.#logger.error('A preview failed', error);
    }
  }
}

class Preview {
  readonly before: vscode.Uri;
  readonly proposed: vscode.Uri;
  readonly diff: DiffPreview;
  readonly decided = new Emitter<'allow' | 'deny'>();
  shown = false;

  constructor(before: vscode.Uri, proposed: vscode.Uri, diff: DiffPreview) {
    this.before = before;
    this.proposed = proposed;
    this.diff = diff;
  }

  /** The right side where the user changed it: as it is on screen, or as it was when its tab was closed. */
  revised(files: ProposedFiles): string | undefined {
    if (!files.has(this.proposed)) return undefined;
    const uri = this.proposed.toString();
    const document = vscode.workspace.textDocuments.find((open) => !open.isClosed && open.uri.toString() === uri);
    const text = document?.getText() ?? new TextDecoder().decode(files.readFile(this.proposed));
    return toLf(text) === toLf(this.diff.after) ? undefined : text;
  }
}

/**
 * Saving would run the user's formatter over a text that they are just typing. Where one is set up, the command that
 * leaves it out is used; it works on the active editor only.
 */
async function saveProposal(document: vscode.TextDocument): Promise<void> {
  const active = vscode.window.activeTextEditor?.document === document;
  if (active && changesOnSave(document)) {
    await vscode.commands.executeCommand('workbench.action.files.saveWithoutFormatting');
  } else {
    await document.save();
  }
}

function changesOnSave(document: vscode.TextDocument): boolean {
  const editor = vscode.workspace.getConfiguration('editor', document);
  const files = vscode.workspace.getConfiguration('files', document);
  return (
    editor.get<boolean>('formatOnSave') === true ||
    Object.values(editor.get<Record<string, unknown>>('codeActionsOnSave') ?? {}).some(
      (when) => when !== 'never' && when !== false,
    ) ||
    ['trimTrailingWhitespace', 'insertFinalNewline', 'trimFinalNewlines'].some(
      (key) => files.get<boolean>(key) === true,
    )
  );
}

function activeProposal(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputTextDiff && input.modified.scheme === PROPOSED_SCHEME
    ? input.modified
    : undefined;
}

/** Closes the diffs of those proposals; never with a question, so a proposal that is still unsaved is saved first. */
async function closeTabs(which: (proposed: vscode.Uri) => boolean): Promise<void> {
  const tabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ input }) => {
      const uri = proposalOf(input);
      return uri !== undefined && which(uri);
    });
  if (tabs.length === 0) return;
  for (const tab of tabs.filter(({ isDirty }) => isDirty)) {
    const uri = proposalOf(tab.input)?.toString();
    await vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri)?.save();
  }
  await within(OPEN_MS, vscode.window.tabGroups.close(tabs, true), false);
}

function proposalOf(input: unknown): vscode.Uri | undefined {
  const uri =
    input instanceof vscode.TabInputTextDiff
      ? input.modified
      : input instanceof vscode.TabInputText
        ? input.uri
        : undefined;
  return uri?.scheme === PROPOSED_SCHEME ? uri : undefined;
}
