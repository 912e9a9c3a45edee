import * as l10n from '@vscode/l10n';
import type { ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { isObject, stringAt } from '../base/json.ts';
import type { ToolBody } from '../../protocol/rows.ts';
import { inTitle, oneLine, shorten } from './cardText.ts';
import type { ServerTool } from './tool.ts';
import { callersOf } from './toolVersion.ts';
import { fetchFilter } from './webWish.ts';

/** Anthropic's web fetch: only addresses that are in the conversation already. */
export const webFetchTool: ServerTool = {
  kind: 'server',
  name: 'web_fetch',
  versions: ['web_fetch_20260318', 'web_fetch_20260309', 'web_fetch_20260209', 'web_fetch_20250910'],
  place: 'server',
  // The Models API has no key of its own for it.
  capability: 'web_search',
  onlyWhenStated: true,
  calls: ['web_fetch'],
  declare(version, { web, programmatic }) {
    const filter = fetchFilter(web);
    if (!web.fetch || filter === undefined) return undefined;
    const options = { max_uses: web.maxUses, citations: { enabled: true } };
    return {
      type: version,
      name: 'web_fetch',
      ...options,
      ...filter,
      ...callersOf(version, programmatic),
    } as ToolUnion;
  },
  presentCall: (_name, input) => ({ title: titleOf(stringAt(input, 'url') ?? ''), body: { kind: 'none' } }),
  presentResult(_name, input, result) {
    const content = isObject(result) ? result['content'] : undefined;
    const url = stringAt(content, 'url') ?? stringAt(input, 'url') ?? '';
    const title = titleOf(url);
    if (stringAt(content, 'type') !== 'web_fetch_result') {
      const text = fetchError(stringAt(content, 'error_code') ?? '');
      return { title, body: { kind: 'text', text }, isError: true };
    }
    const document = isObject(content) ? content['content'] : undefined;
    return { title, body: pageBody(url, document), isError: false };
  },
  fileIds: () => [],
};

function titleOf(url: string): string {
  const shown = inTitle(url);
  return shown === '' ? l10n.t('Web fetch') : l10n.t('Web fetch · {0}', shown);
}

/** The page as Claude got it, behind a link to the page itself. */
function pageBody(url: string, document: unknown): ToolBody {
  const source = isObject(document) ? document['source'] : undefined;
  const note = l10n.t('Text from the web: Claude was told to take it as data, not as instructions.');
  const title = oneLine(stringAt(document, 'title') ?? '');
  const links = [{ title: title === '' ? url : title, url }];
  if (stringAt(source, 'media_type') === 'application/pdf') {
    return { kind: 'links', links, note: l10n.t('Claude read the PDF.') };
  }
  return { kind: 'links', links, text: shorten(stringAt(source, 'data') ?? ''), note };
}

function fetchError(code: string): string {
  switch (code) {
    case 'invalid_tool_input':
      return l10n.t('The address is not one.');
    case 'url_too_long':
      return l10n.t('The address is too long (at most 250 characters).');
    case 'url_not_allowed':
      return l10n.t('This address is not allowed, by your settings or by your organization.');
    case 'url_not_in_prior_context':
      return l10n.t(
        'Claude may only fetch addresses that are in the conversation already. Paste it to let Claude read it.',
      );
    case 'url_not_accessible':
      return l10n.t('The page could not be read.');
    case 'unsupported_content_type':
      return l10n.t('Only text and PDF can be fetched.');
    case 'too_many_requests':
      return l10n.t('There were too many fetches at once.');
    case 'max_uses_exceeded':
      return l10n.t('Claude has used up the fetches that one request may make ("loopdock.web.maxUses").');
    case 'content_too_large':
      return l10n.t('The page is too large.');
    case 'unavailable':
      return l10n.t('Web fetch is not available right now.');
    default:
      return l10n.t('Web fetch reported an error ({0}).', inTitle(code) || l10n.t('no code'));
  }
}
