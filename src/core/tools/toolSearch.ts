import * as l10n from '@vscode/l10n';
import type { ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { isObject, stringAt } from '../base/json.ts';
import { inTitle, oneLine } from './cardText.ts';
import type { ServerTool } from './tool.ts';

/** Anthropic's search among tools whose definitions are loaded on demand, declared where there are such tools. */
export const toolSearchTool: ServerTool = {
  kind: 'server',
  name: 'tool_search',
  // By words first: what Claude looks for is a task, and no pattern of a name.
  versions: ['tool_search_tool_bm25_20251119', 'tool_search_tool_regex_20251119'],
  place: 'server',
  capability: 'tool_search',
  calls: ['tool_search_tool_regex', 'tool_search_tool_bm25', 'tool_search'],
  declare(version, { deferring }) {
    return deferring ? ({ type: version, name: version.replace(/_\d+$/, '') } as ToolUnion) : undefined;
  },
  presentCall: (_name, input) => ({ title: titleOf(input), body: { kind: 'none' } }),
  presentResult(_name, input, result) {
    const content = isObject(result) ? result['content'] : undefined;
    const title = titleOf(input);
    const found = isObject(content) ? content['tool_references'] : undefined;
    if (!Array.isArray(found)) {
      return { title, body: { kind: 'text', text: searchError(content) }, isError: true };
    }
    const names = found.map((reference) => oneLine(stringAt(reference, 'tool_name') ?? '')).filter(Boolean);
    const text = names.length === 0 ? l10n.t('No tool was found.') : names.join('\n');
    return { title, body: { kind: 'text', text }, isError: false };
  },
  fileIds: () => [],
};

function titleOf(input: unknown): string {
  const wanted = inTitle(stringAt(input, 'pattern') ?? stringAt(input, 'query') ?? '');
  return wanted === '' ? l10n.t('Tool search') : l10n.t('Tool search · {0}', wanted);
}

function searchError(content: unknown): string {
  const detail = stringAt(content, 'error_message');
  if (detail !== undefined && detail !== '') return inTitle(detail);
  return l10n.t(
    'Tool search reported an error ({0}).',
    inTitle(stringAt(content, 'error_code') ?? '') || l10n.t('no code'),
  );
}
