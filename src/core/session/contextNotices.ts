import * as l10n from '@vscode/l10n';
import { stringAt } from '../base/json.ts';
import { visibleText } from '../base/visibleText.ts';
import type { NoticeRow } from '../../protocol/rows.ts';
import type { Compacted, ToolsChanged } from './contextEntries.ts';
import type { AssistantBlock, ContextNoted, NotedRules } from './entries.ts';
import { readAnew, type ReadAnew } from './readAnew.ts';

/** Which rules files Claude was given, or why none. Everything else in a note is small and not shown. */
export function noticesForContext(entry: ContextNoted): readonly NoticeRow[] {
  const rules: readonly NotedRules[] = Array.isArray(entry.rules) ? (entry.rules as readonly NotedRules[]) : [];
  const open = { id: 'openRules', label: l10n.t('Open') } as const;
  const base = { kind: 'notice', severity: 'info' } as const;
  const rows = CHANGES.flatMap((change): NoticeRow[] => {
    const files = rules.filter((file) => file.change === change);
    if (files.length === 0) return [];
    const title = titleOf(change, files.map(({ path }) => path).join(', '));
    const cut = files.filter(({ truncated }) => truncated).map(({ path }) => path);
    const detail = cut.length === 0 ? {} : { detail: l10n.t('Too long, only the beginning: {0}', cut.join(', ')) };
    const row = { ...base, id: `n:${entry.id}:${change}`, title, ...detail };
    return [
      change === 'gone' ? { ...row, actions: [] } : { ...row, actions: [open], files: files.map(({ uri }) => uri) },
    ];
  });
  if (entry.rulesWithheld !== true) return rows;
  const title = l10n.t('Restricted Mode: the rules files of this workspace are not read.');
  const trust = { id: 'manageTrust', label: l10n.t('Manage Workspace Trust') } as const;
  return [...rows, { ...base, id: `n:${entry.id}:withheld`, title, actions: [trust] }];
}

/** Other tools, said in a message: the cache is not lost. */
export function noticeForTools({ id, added, removed }: ToolsChanged): NoticeRow {
  const names = [...added.map((tool) => stringAt(tool, 'name') ?? '?'), ...removed];
  const title = l10n.t('The tools of this conversation changed: {0}', [...new Set(names)].join(', '));
  const detail = l10n.t('Claude was told in a message. What is cached stays cached.');
  return { kind: 'notice', id: `n:${id}`, severity: 'info', title, detail, actions: [] };
}

/** Which tools a server of the MCP connector has, as the API found them. */
export function noticeForListing({ id, block }: AssistantBlock): NoticeRow {
  const { tools } = block as unknown as { readonly tools?: unknown };
  const names = Array.isArray(tools)
    ? tools.map((tool) => visibleText(stringAt(tool, 'name') ?? '')).filter(Boolean)
    : [];
  const title = l10n.t('{0} offers {1} tools.', visibleText(stringAt(block, 'mcp_server_name') ?? ''), names.length);
  return { kind: 'notice', id: `n:${id}`, severity: 'info', title, more: names.join('\n'), actions: [] };
}

/** Where the conversation was cut. Everything above is still there to read. */
export function noticeForCompaction({ id, summary }: Compacted, anew: ReadAnew | undefined): NoticeRow {
  const title = l10n.t('Summarized here. Claude goes on from a summary of what is above.');
  const detail = readAnew(anew ?? { tokens: 0 });
  return { kind: 'notice', id: `n:${id}`, severity: 'info', title, detail, more: summary, actions: [] };
}

const CHANGES: readonly NotedRules['change'][] = ['loaded', 'changed', 'gone'];

function titleOf(change: NotedRules['change'], paths: string): string {
  switch (change) {
    case 'loaded':
      return l10n.t('Claude follows the rules in {0}.', paths);
    case 'changed':
      return l10n.t('The rules in {0} have changed; Claude follows the new ones.', paths);
    case 'gone':
      return l10n.t('The rules in {0} are gone and no longer hold.', paths);
  }
}
