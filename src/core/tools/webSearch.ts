import * as l10n from '@vscode/l10n';
import type { ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { isObject, stringAt } from '../base/json.ts';
import type { LinkItem, ToolBody } from '../../protocol/rows.ts';
import { inTitle, oneLine } from './cardText.ts';
import type { ServerTool } from './tool.ts';
import { callersOf } from './toolVersion.ts';
import { searchFilter } from './webWish.ts';

const MOST_LINKS = 50;

/** Anthropic's web search. Results are encrypted for Claude; their titles and addresses are shown. */
export const webSearchTool: ServerTool = {
  kind: 'server',
  name: 'web_search',
  versions: ['web_search_20260318', 'web_search_20260209', 'web_search_20250305'],
  place: 'server',
  capability: 'web_search',
  onlyWhenStated: true,
  calls: ['web_search'],
  declare(version, { web, programmatic }) {
    const filter = searchFilter(web);
    if (!web.search || filter === undefined) return undefined;
    return {
      type: version,
      name: 'web_search',
      max_uses: web.maxUses,
      ...filter,
      ...callersOf(version, programmatic),
    } as ToolUnion;
  },
  presentCall: (_name, input) => ({ title: titleOf(input), body: { kind: 'none' } }),
  presentResult(_name, input, result) {
    const content = isObject(result) ? result['content'] : undefined;
    const title = titleOf(input);
    if (!Array.isArray(content)) {
      const text = searchError(stringAt(content, 'error_code') ?? '');
      return { title, body: { kind: 'text', text }, isError: true };
    }
    return { title, body: linksBody(content), isError: false };
  },
  fileIds: () => [],
};

function titleOf(input: unknown): string {
  const query = inTitle(stringAt(input, 'query') ?? '');
  return query === '' ? l10n.t('Web search') : l10n.t('Web search · {0}', query);
}

/** An empty list is an answer, not an error. */
function linksBody(results: readonly unknown[]): ToolBody {
  if (results.length === 0) return { kind: 'text', text: l10n.t('Nothing was found.') };
  const links = results.slice(0, MOST_LINKS).flatMap((result): LinkItem[] => {
    const url = stringAt(result, 'url');
    if (url === undefined) return [];
    const age = stringAt(result, 'page_age');
    return [
      { title: oneLine(stringAt(result, 'title') ?? ''), url, ...(age === undefined ? {} : { note: oneLine(age) }) },
    ];
  });
  return { kind: 'links', links };
}

function searchError(code: string): string {
  switch (code) {
    case 'invalid_tool_input':
    case 'invalid_input':
      return l10n.t('The search could not make sense of this call.');
    case 'unavailable':
      return l10n.t('Web search is not available right now. Nothing is charged for it.');
    case 'max_uses_exceeded':
      return l10n.t('Claude has used up the searches that one request may make ("loopdock.web.maxUses").');
    case 'too_many_requests':
      return l10n.t('There were too many searches at once.');
    case 'query_too_long':
      return l10n.t('The query was too long.');
    case 'request_too_large':
      return l10n.t('The conversation is too large for a search.');
    default:
      return l10n.t('Web search reported an error ({0}).', inTitle(code) || l10n.t('no code'));
  }
}
