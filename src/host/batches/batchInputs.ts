import * as vscode from 'vscode';
import { readCsv, fillRow, type Table } from '../../core/batches/csv.ts';
import { fitsMessage, itemOfFile, type FileItemPorts, type FileUse } from '../../core/batches/fileItem.ts';
import type { BatchItem } from '../../core/batches/batchTypes.ts';
import { visibleText } from '../../core/base/visibleText.ts';
import { tokensOf, tokensOfFile } from '../../core/cost/weight.ts';
import { UserError } from '../../core/errors.ts';
import type { InputPort, LocalFile } from '../../core/inputPort.ts';

/** What the prompt is run over. */
export interface BatchInputs {
  readonly count: number;
  /** For the question before anything is sent: names with sizes. */
  readonly lines: readonly string[];
  /** Bytes. */
  readonly size: number;
  /** Of a table. */
  readonly columns?: readonly string[];
  /** The files can only go into the container. */
  readonly onlyContainer: boolean;
  /** Of a PDF only the size is known before it is sent, which says little about its tokens. */
  readonly guessed: boolean;
  label(index: number): string;
  tokens(index: number, prompt: string, use: FileUse): number;
  item(
    index: number,
    wish: { readonly prompt: string; readonly use: FileUse },
    signal: AbortSignal,
  ): Promise<BatchItem>;
}

/** What a table may have: it is read whole. Bytes. */
const MOST_TABLE_BYTES = 50 * 1024 * 1024;
const MOST_ITEMS = 100_000;

/** The files as inputs, one item each; undefined when the user did not want to send what looks secret. Throws `UserError`. */
export async function filesAsInputs(
  ports: FileItemPorts,
  uris: readonly vscode.Uri[],
): Promise<BatchInputs | undefined> {
  checkCount(uris.length);
  const files: LocalFile[] = [];
  for (const uri of uris) files.push(await ports.inputs.look(uri.toString()));
  if (!(await maySend(files))) return undefined;
  const at = (index: number): LocalFile => files[index] as LocalFile;
  return {
    count: files.length,
    lines: files.map(({ path }) => visibleText(path)),
    size: files.reduce((sum, { size }) => sum + size, 0),
    onlyContainer: files.some((file) => !fitsMessage(file)),
    label: (index) => at(index).path,
    guessed: files.some(({ content }) => content === 'pdf'),
    tokens(index, prompt, use) {
      const { content, size } = at(index);
      return tokensOf(prompt.length) + (use === 'container' ? 0 : tokensOfFile(content, size));
    },
    item: (index, wish, signal) => itemOfFile(ports, { id: idOf(index), file: at(index), ...wish }, signal),
  };
}

/** The rows of a CSV file as inputs. Throws `UserError`. */
export async function rowsAsInputs(inputs: InputPort, uri: vscode.Uri): Promise<BatchInputs | undefined> {
  const file = await inputs.look(uri.toString());
  if (!(await maySend([file]))) return undefined;
  if (file.content !== 'text' || file.size > MOST_TABLE_BYTES)
    throw new UserError(vscode.l10n.t('{0} is no CSV file of at most 50 MB.', file.path));
  const table = readCsv(await textOf(inputs, file));
  if (table.rows.length === 0) throw new UserError(vscode.l10n.t('{0} has no rows below its first line.', file.path));
  checkCount(table.rows.length);
  return tableAsInputs(table, file.size);
}

function tableAsInputs(table: Table, size: number): BatchInputs {
  const { columns, rows } = table;
  const filled = (index: number, prompt: string): string => fillRow(prompt, table, rows[index] ?? []);
  const label = (index: number): string => {
    const first = rows[index]?.find((cell) => cell.trim() !== '') ?? '';
    return vscode.l10n.t('Row {0}: {1}', index + 1, visibleText(first).replace(/\s+/g, ' ').slice(0, 60));
  };
  return {
    ...{ count: rows.length, size, columns, label, onlyContainer: false, guessed: false },
    lines: [vscode.l10n.t('Columns: {0}', visibleText(columns.join(', ')))],
    tokens: (index, prompt) => tokensOf(filled(index, prompt).length),
    item(index, { prompt }) {
      const text = filled(index, prompt);
      return Promise.resolve({ id: idOf(index), label: label(index), text, content: [{ type: 'text', text }] });
    },
  };
}

function idOf(index: number): string {
  return `item-${String(index + 1)}`;
}

function checkCount(count: number): void {
  if (count > MOST_ITEMS) throw new UserError(vscode.l10n.t('A batch takes {0} requests at most.', MOST_ITEMS));
}

/** What looks like a secret, or is kept out of the project's history, needs a yes. */
async function maySend(files: readonly LocalFile[]): Promise<boolean> {
  const careful = files.filter(({ caution }) => caution !== undefined);
  if (careful.length === 0) return true;
  const question = vscode.l10n.t('Some of these files may not be meant to leave this computer. Use them all the same?');
  const detail = careful.map(({ path }) => visibleText(path)).slice(0, 20);
  const yes = vscode.l10n.t('Use Them');
  const options = { modal: true, detail: detail.join('\n') };
  return (await vscode.window.showWarningMessage(question, options, yes)) === yes;
}

async function textOf(inputs: InputPort, file: LocalFile): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of inputs.read(file)) chunks.push(chunk);
  return new TextDecoder().decode(Buffer.concat(chunks));
}
