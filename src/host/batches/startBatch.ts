import * as vscode from 'vscode';
import type { BatchManager, BatchPlan } from '../../core/batches/batchManager.ts';
import type { BatchItem, BatchTemplate } from '../../core/batches/batchTypes.ts';
import type { FileItemPorts, FileUse } from '../../core/batches/fileItem.ts';
import { templateFor } from '../../core/batches/template.ts';
import { FALLBACK_MODEL } from '../../core/agent/epoch.ts';
import { fileSize } from '../../core/base/fileSize.ts';
import { isAnthropic } from '../../core/cost/address.ts';
import { foreseeBatch } from '../../core/cost/batchForecast.ts';
import { messageOf } from '../../core/errors.ts';
import type { ModelInfo, ModelPort } from '../../core/ports.ts';
import type { SkillRef } from '../../core/session/entries.ts';
import { codeExecutionTool } from '../../core/tools/codeExecution.ts';
import { dollars } from '../containers/words.ts';
import type { Services } from '../services.ts';
import { readSettings } from '../settings.ts';
import { filesAsInputs, rowsAsInputs, type BatchInputs } from './batchInputs.ts';
import { BATCHES_VIEW } from './batchView.ts';

export interface StartDeps extends FileItemPorts {
  readonly manager: BatchManager;
  readonly model: ModelPort;
  readonly skills: () => readonly SkillRef[];
}

/** What an answer is taken to have, for the forecast: nobody knows before. Tokens. */
const USUAL_ANSWER = 1_000;
const MOST_LISTED = 12;
const MOST_TITLE = 80;

/** From the choice of the inputs to the submission. Resolves early where the user changes their mind. */
export async function startBatch(services: Services, deps: StartDeps, given: readonly vscode.Uri[]): Promise<void> {
  const inputs = await chooseInputs(deps, given);
  const use = inputs && (await chooseUse(inputs));
  const prompt = use && (await askPrompt(inputs));
  if (!inputs || !use || prompt === undefined) return;
  const template = await templateNow(services, deps, use);
  if (!(await isWanted(services, { inputs, use, prompt, template }))) return;
  const { baseUrl } = await services.credentials.connection();
  const title = prompt.replace(/\s+/g, ' ').slice(0, MOST_TITLE);
  await submit(deps, async (signal, say) => {
    const items = Array.from({ length: inputs.count }, (_, index) => index);
    async function* contents(): AsyncGenerator<BatchItem> {
      for (const index of items) {
        say(vscode.l10n.t('{0} of {1}', index + 1, inputs?.count ?? 0));
        const item = await (inputs as BatchInputs).item(
          index,
          { prompt: prompt as string, use: use as FileUse },
          signal,
        );
        // Only what has to be uploaded first can't be looked at first.
        if (index === 0 && use === 'message') await tryOne(deps.model, template, item, signal);
        yield item;
      }
      say(vscode.l10n.t('Submitting'));
    }
    const states = items.map((index) => ({ id: `item-${String(index + 1)}`, label: inputs.label(index) }));
    return { title, baseUrl, template, items: states, contents: contents() };
  });
}

/** Submits what a plan says, visibly and so that it can be stopped; then the list shows it. */
export async function submit(
  { manager }: Pick<StartDeps, 'manager'>,
  plan: (signal: AbortSignal, say: (message: string) => void) => Promise<BatchPlan>,
): Promise<void> {
  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Preparing the batch'), cancellable: true },
    async (progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      await manager.submit(await plan(abort.signal, (message) => progress.report({ message })), abort.signal);
    },
  );
  await vscode.commands.executeCommand(`${BATCHES_VIEW}.focus`);
}

/** The API judges items only while it works on the batch: what is wrong with all of them shows in the first. */
async function tryOne(model: ModelPort, template: BatchTemplate, item: BatchItem, signal: AbortSignal): Promise<void> {
  await model.countTokens({ ...template, messages: [{ role: 'user', content: [...item.content] }] }, signal);
}

async function chooseInputs(deps: StartDeps, given: readonly vscode.Uri[]): Promise<BatchInputs | undefined> {
  const isTable = given.length === 1 && /\.(csv|tsv)$/i.test(given[0]?.path ?? '');
  const kind = given.length > 0 && !isTable ? 'files' : await chooseKind();
  if (kind === undefined) return undefined;
  const uris = given.length > 0 ? given : await pick(kind);
  const [first] = uris;
  if (first === undefined) return undefined;
  return kind === 'files' ? filesAsInputs(deps, uris) : rowsAsInputs(deps.inputs, first);
}

async function chooseKind(): Promise<'files' | 'rows' | undefined> {
  const chosen = await vscode.window.showQuickPick(
    [
      {
        label: vscode.l10n.t('$(files) Files'),
        detail: vscode.l10n.t('The prompt runs once for each file'),
        kind: 'files',
      },
      {
        label: vscode.l10n.t('$(table) Rows of a CSV file'),
        detail: vscode.l10n.t('The prompt runs once for each row'),
        kind: 'rows',
      },
    ].map(({ kind, ...item }) => ({ ...item, of: kind as 'files' | 'rows' })),
    { title: vscode.l10n.t('Run a Prompt as a Batch'), placeHolder: vscode.l10n.t('Run over what?') },
  );
  return chosen?.of;
}

function pick(kind: 'files' | 'rows'): Thenable<readonly vscode.Uri[]> {
  const defaultUri = vscode.workspace.workspaceFolders?.[0]?.uri;
  const rows = { canSelectMany: false, filters: { CSV: ['csv', 'tsv'] } };
  const options = {
    ...(kind === 'rows' ? rows : { canSelectMany: true }),
    title: vscode.l10n.t('Run a Prompt as a Batch'),
  };
  return vscode.window.showOpenDialog({ ...options, ...(defaultUri ? { defaultUri } : {}) }).then((uris) => uris ?? []);
}

async function chooseUse({ onlyContainer, columns }: BatchInputs): Promise<FileUse | undefined> {
  const sandbox = {
    label: vscode.l10n.t('With the sandbox'),
    detail: columns
      ? vscode.l10n.t('Claude can run code and make files')
      : vscode.l10n.t('The files are uploaded into it; Claude can run code and make files'),
    use: 'container' as const,
  };
  const plain = {
    label: vscode.l10n.t('Answers only'),
    detail: vscode.l10n.t('The content goes into the message'),
    use: 'message' as const,
  };
  const items = onlyContainer ? [sandbox] : [plain, sandbox];
  const placeHolder = onlyContainer
    ? vscode.l10n.t('Some of the files are neither text, image nor PDF: they need the sandbox')
    : vscode.l10n.t('How is each of them done?');
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Run a Prompt as a Batch'), placeHolder }))
    ?.use;
}

async function askPrompt({ columns }: BatchInputs): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Prompt of the Batch'),
    prompt: columns
      ? vscode.l10n.t(
          'Runs once for each row. {0} is filled in; without such a name the row follows the prompt.',
          `{{${columns[0] ?? ''}}}`,
        )
      : vscode.l10n.t('Runs once for each file.'),
    ignoreFocusOut: true,
    validateInput: (value) => (value.trim() === '' ? vscode.l10n.t('A batch needs a prompt.') : undefined),
  });
  return text?.trim() || undefined;
}

async function templateNow({ log, credentials }: Services, deps: StartDeps, use: FileUse): Promise<BatchTemplate> {
  const settings = readSettings();
  const { simulated } = await credentials.connection();
  const wanted = simulated ? '' : settings.model;
  let models: readonly ModelInfo[] = [];
  try {
    models = await deps.model.models(new AbortController().signal);
  } catch (error) {
    log.warn(`The list of models is not to be had: ${messageOf(error)}`);
  }
  const info = wanted === '' ? models[0] : models.find(({ id }) => id === wanted);
  return templateFor({
    ...{ model: wanted || (info?.id ?? FALLBACK_MODEL), info, skills: deps.skills() },
    thinking: { thinking: settings.thinking, effort: settings.effort },
    codeExecution:
      use === 'container' ? (settings.toolVersions['code_execution'] ?? codeExecutionTool.versions[0]) : undefined,
  });
}

interface Wish {
  readonly inputs: BatchInputs;
  readonly use: FileUse;
  readonly prompt: string;
  readonly template: BatchTemplate;
}

/** Nothing has left this computer before this. */
async function isWanted({ credentials }: Services, { inputs, use, prompt, template }: Wish): Promise<boolean> {
  const { origin, baseUrl } = await credentials.connection();
  const prompts = Array.from({ length: inputs.count }, (_, index) => inputs.tokens(index, prompt, use));
  const pricing = { own: readSettings().prices, listed: isAnthropic(baseUrl) };
  const foreseen = foreseeBatch({ model: template.model, prompts, answer: USUAL_ANSWER, pricing });
  const more = inputs.lines.length - MOST_LISTED;
  const cost =
    foreseen.input === undefined || foreseen.whole === undefined
      ? vscode.l10n.t('The price of {0} is not known.', template.model)
      : vscode.l10n.t(
          'At half price about {0} for the input; with answers of {1} tokens each {2}.',
          dollars(foreseen.input),
          USUAL_ANSWER.toLocaleString(vscode.env.language),
          dollars(foreseen.whole),
        );
  const lines = [
    vscode.l10n.t(
      '{0} requests of about {1} tokens in all, to {2}.',
      inputs.count,
      foreseen.tokens.toLocaleString(vscode.env.language),
      template.model,
    ),
    cost,
    ...(inputs.guessed && use === 'message'
      ? [vscode.l10n.t('This is an estimate: of PDFs only the size is known before they are sent.')]
      : []),
    ...(use === 'container' ? [vscode.l10n.t('What is done in the sandbox comes on top.')] : []),
    vscode.l10n.t('Most batches are done within an hour, all within 24. VS Code need not stay open.'),
    '',
    ...inputs.lines.slice(0, MOST_LISTED),
    ...(more > 0 ? [vscode.l10n.t('… and {0} more', more)] : []),
  ];
  const question = vscode.l10n.t('Send {0} to {1} as a batch?', fileSize(inputs.size, vscode.env.language), origin);
  const yes = vscode.l10n.t('Submit');
  return (await vscode.window.showInformationMessage(question, { modal: true, detail: lines.join('\n') }, yes)) === yes;
}
