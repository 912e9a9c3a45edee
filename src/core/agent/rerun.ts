import * as l10n from '@vscode/l10n';
import { UserError } from '../errors.ts';
import type { InputPort, LocalFile } from '../inputPort.ts';
import type { AttachmentPort } from '../ports.ts';
import type { LogEntry, SentFile, UserMessage } from '../session/entries.ts';
import type { Offered } from './outbox.ts';

/** The message to say once more, with the files that are no longer what they were. */
export interface Rerun {
  readonly text: string;
  readonly files: readonly Offered[];
}

/**
 * What has to be said so that the last analysis is done again with the files as they are now. Throws `UserError` when no
 * file was attached for the container, when none has changed, or when one can't be read.
 */
export async function rerunOf(
  entries: readonly LogEntry[],
  ports: { readonly inputs: InputPort; readonly attachments: AttachmentPort },
  signal: AbortSignal,
): Promise<Rerun> {
  const last = entries.findLast(
    (entry): entry is UserMessage => entry.type === 'userMessage' && localOnes(entry).length > 0,
  );
  if (last === undefined)
    throw new UserError(l10n.t('No file of this computer was attached for the container in this session.'));
  const changed: LocalFile[] = [];
  for (const sent of newestOf(entries, localOnes(last))) {
    const now = await ports.inputs.look(sent.uri ?? '');
    if (await isChanged(now, sent, ports, signal)) changed.push({ ...now, name: sent.name });
  }
  const files = changed.map((local): Offered => ({ file: { ...local, from: { local } }, use: 'container' }));
  if (files.length === 0) throw new UserError(l10n.t('The files of the last analysis are still what they were.'));
  const names = changed.map(({ name }) => name).join(', ');
  return {
    text: l10n.t('{0} has changed. Do the same again with what is in it now:\n\n{1}', names, asked(entries, last)),
    files,
  };
}

function localOnes({ files = [] }: UserMessage): readonly SentFile[] {
  return files.filter(({ use, uri }) => use === 'container' && uri !== undefined);
}

/** The files as they were sent last: a rerun before this one sent newer ones. */
function newestOf(entries: readonly LogEntry[], files: readonly SentFile[]): readonly SentFile[] {
  const all = entries.flatMap((entry) => (entry.type === 'userMessage' ? localOnes(entry) : []));
  return files.map((file) => all.findLast(({ uri, name }) => uri === file.uri && name === file.name) ?? file);
}

/** What the first message about these files asked for: a rerun quotes it, and must not quote itself. */
function asked(entries: readonly LogEntry[], last: UserMessage): string {
  const uris = new Set(localOnes(last).map(({ uri }) => uri));
  const first = entries.find(
    (entry): entry is UserMessage => entry.type === 'userMessage' && localOnes(entry).some(({ uri }) => uris.has(uri)),
  );
  return first?.text ?? last.text;
}

async function isChanged(
  now: LocalFile,
  sent: SentFile,
  { inputs, attachments }: { readonly inputs: InputPort; readonly attachments: AttachmentPort },
  signal: AbortSignal,
): Promise<boolean> {
  if (now.size !== sent.size) return true;
  return (await attachments.store(inputs.read(now), signal)).hash !== sent.hash;
}
