import * as l10n from '@vscode/l10n';
import type { NoticeRow } from '../../protocol/rows.ts';
import type { ContainerChosen, ContainerLost, InputsSent } from './entries.ts';

/** What became of the container, and of the user's files in it. */
export function noticeForContainer(entry: ContainerLost | ContainerChosen | InputsSent): NoticeRow {
  const base = { kind: 'notice', id: `n:${entry.id}`, severity: 'info', actions: [] } as const;
  switch (entry.type) {
    case 'containerLost':
      return {
        ...base,
        severity: 'warning',
        title: l10n.t('Anthropic no longer has the container of this conversation. A new one begins.'),
        detail: l10n.t('What was made in it is gone, but for the attachments: those are kept on this computer.'),
      };
    case 'containerChosen':
      return { ...base, title: chosen(entry) };
    case 'inputsSent':
      return { ...base, ...sentAgain(entry) };
  }
}

function chosen({ container }: ContainerChosen): string {
  return container
    ? l10n.t('From here on in the container {0}.', container.id)
    : l10n.t('From here on in a new container.');
}

function sentAgain({ reason, files, failed }: InputsSent): Pick<NoticeRow, 'title' | 'detail'> {
  const names = files.map(({ name }) => name).join(', ');
  const again =
    reason === 'missing'
      ? l10n.t('Sent to the container again, because they had not arrived there: {0}', names)
      : l10n.t('Sent to the new container: {0}', names);
  const lost = l10n.t('Not to be had any more, attach them again: {0}', failed.join(', '));
  if (failed.length === 0 && names === '') return { title: l10n.t('The program that ran in it has to begin again.') };
  if (failed.length === 0) return { title: again };
  return names === '' ? { title: lost } : { title: again, detail: lost };
}
