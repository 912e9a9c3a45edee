import * as l10n from '@vscode/l10n';
import type { ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { isObject, stringAt } from '../base/json.ts';
import { inTitle } from './cardText.ts';
import type { ServerTool } from './tool.ts';

/**
 * A second model at Anthropic that reads the whole conversation and says what it thinks of it (Messages API, "Advisor
 * tool"). Its calls have no input. What it used is billed at its own prices, beside the answer's.
 */
export const advisorTool: ServerTool = {
  kind: 'server',
  name: 'advisor',
  versions: ['advisor_20260301'],
  place: 'server',
  capability: 'advisor',
  calls: ['advisor'],
  declare(version, { model, advisor }) {
    if (advisor.model === '' || !mayAdvise(advisor.model, model)) return undefined;
    // A type of the SDK's beta namespace.
    return {
      type: version,
      name: 'advisor',
      model: advisor.model,
      max_uses: advisor.maxUses,
    } as unknown as ToolUnion;
  },
  presentCall: () => ({ title: l10n.t('Advisor'), body: { kind: 'none' } }),
  presentResult(_name, _input, result) {
    const content = isObject(result) ? result['content'] : undefined;
    const title = l10n.t('Advisor');
    switch (stringAt(content, 'type')) {
      case 'advisor_result':
        return { title, body: { kind: 'text', text: adviceOf(content) }, isError: false };
      case 'advisor_redacted_result': {
        const text = l10n.t('The advice is encrypted: only Claude can read it.');
        return { title, body: { kind: 'text', text }, isError: false };
      }
      default: {
        const text = advisorError(stringAt(content, 'error_code') ?? '');
        return { title, body: { kind: 'text', text }, isError: true };
      }
    }
  },
  fileIds: () => [],
};

/** Fable 5.2 takes advice from its own kind only (Messages API, "What's new"); every other pair the API judges itself. */
export function mayAdvise(advisor: string, executor: string): boolean {
  // A digit behind it is the date of a snapshot of Fable 5.
  return !/^claude-fable-5-2(?!\d)/.test(executor) || /^claude-(?:fable|mythos)-5-2(?!\d)/.test(advisor);
}

function adviceOf(content: unknown): string {
  const text = stringAt(content, 'text') ?? '';
  if (text === '') return l10n.t('The advisor said nothing.');
  return stringAt(content, 'stop_reason') === 'max_tokens' ? l10n.t('{0}\n(cut at its length limit)', text) : text;
}

function advisorError(code: string): string {
  switch (code) {
    case 'max_uses_exceeded':
      return l10n.t('Claude has used up the advice that one request may ask for ("loopdock.advisor.maxUses").');
    case 'prompt_too_long':
      return l10n.t('The conversation is too long for the advisor’s model.');
    case 'too_many_requests':
    case 'overloaded':
      return l10n.t('The advisor’s model has too much to do right now. Claude goes on without it.');
    case 'unavailable':
    case 'execution_time_exceeded':
      return l10n.t('The advisor did not answer. Claude goes on without it.');
    case 'model_not_found':
      return l10n.t('The advisor’s model does not exist, or your key may not use it ("loopdock.advisor.model").');
    default:
      return l10n.t('The advisor reported an error ({0}).', inTitle(code) || l10n.t('no code'));
  }
}
