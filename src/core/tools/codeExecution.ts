import * as l10n from '@vscode/l10n';
import type { ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { base64Head, isBase64 } from '../base/base64.ts';
import { imageType, isSafeToDecode } from '../base/image.ts';
import { isObject, stringAt } from '../base/json.ts';
import { cutText } from '../base/text.ts';
import type { Hunk, ToolBody } from '../../protocol/rows.ts';
import { inTitle, LONGEST_BODY, oneLine, shorten } from './cardText.ts';
import type { ServerTool } from './tool.ts';

/** Python only, and a beta; for models and gateways that have nothing newer. */
const LEGACY = 'code_execution_20250522';
/** A picture that Claude looked at is shown up to this size, in characters of its data. */
const LARGEST_PICTURE = 1_000_000;

/** Anthropic's sandbox. Nothing of it runs here: it is declared, and its calls and results are shown. */
export const codeExecutionTool = {
  kind: 'server',
  name: 'code_execution',
  versions: ['code_execution_20260521', 'code_execution_20260120', 'code_execution_20250825', LEGACY],
  place: 'container',
  capability: 'code_execution',
  calls: ['bash_code_execution', 'text_editor_code_execution', 'code_execution'],
  declare: (version) => ({ type: version, name: 'code_execution' }) as ToolUnion,
  presentCall: (name, input) => ({ title: titleOf(name, input), body: callBody(name, input) }),
  presentResult,
  fileIds,
} satisfies ServerTool;

function presentResult(name: string, input: unknown, result: unknown): ReturnType<ServerTool['presentResult']> {
  const content = isObject(result) ? result['content'] : undefined;
  const replaced = isObject(content) && content['is_file_update'] === true;
  const title = replaced ? sandboxTitle(l10n.t('replace {0}', stringAt(input, 'path') ?? '…')) : titleOf(name, input);
  const type = stringAt(content, 'type') ?? '';
  if (type.endsWith('_error')) return { title, body: errorBody(name, input, content), isError: true };
  if (type.includes('text_editor')) return { title, body: editorBody(input, content), isError: false };
  if (type.endsWith('code_execution_result')) return { title, body: outputBody(name, input, content), isError: false };
  return { title, body: unknownBody(content), isError: false };
}

/** Ids look like `file_011CNha8iCJcU1wXNR6q4V8w`; anything else is not asked for. */
function fileIds(result: unknown): readonly string[] {
  const content = isObject(result) ? result['content'] : undefined;
  const outputs = isObject(content) ? content['content'] : undefined;
  if (!Array.isArray(outputs)) return [];
  const ids = outputs.map((output: unknown) => stringAt(output, 'file_id') ?? '');
  return [...new Set(ids.filter((id) => /^file_[A-Za-z0-9_-]{1,200}$/.test(id)))];
}

// --- Titles ----------------------------------------------------------------------------------------------------------

function titleOf(name: string, input: unknown): string {
  return sandboxTitle(actionOf(name, input));
}

function sandboxTitle(action: string): string {
  return l10n.t('Sandbox · {0}', inTitle(action));
}

function actionOf(name: string, input: unknown): string {
  if (name === 'text_editor_code_execution') {
    const path = stringAt(input, 'path') ?? '…';
    switch (stringAt(input, 'command')) {
      case 'view':
        return l10n.t('view {0}', path);
      case 'create':
        return l10n.t('create {0}', path);
      case 'str_replace':
        return l10n.t('edit {0}', path);
      default:
        return stringAt(input, 'path') ?? l10n.t('file');
    }
  }
  return firstLine(commandOf(name, input)) ?? (name === 'bash_code_execution' ? 'bash' : 'python');
}

function commandOf(name: string, input: unknown): string {
  return stringAt(input, name === 'bash_code_execution' ? 'command' : 'code') ?? '';
}

function firstLine(text: string): string | undefined {
  return cutText(text, 10_000)
    .split('\n')
    .find((line) => line.trim() !== '');
}

// --- Bodies ----------------------------------------------------------------------------------------------------------

function callBody(name: string, input: unknown): ToolBody {
  if (name !== 'text_editor_code_execution') {
    const command = commandOf(name, input);
    return command === '' ? { kind: 'none' } : { kind: 'terminal', command: shorten(command), output: '' };
  }
  if (stringAt(input, 'command') === 'create') return textBody(stringAt(input, 'file_text') ?? '', input);
  if (stringAt(input, 'command') === 'str_replace') return diffBody(input, undefined);
  return { kind: 'none' };
}

function outputBody(name: string, input: unknown, content: unknown): ToolBody {
  const encrypted = stringAt(content, 'encrypted_stdout') !== undefined;
  const stdout = stringAt(content, 'stdout') ?? '';
  const stderr = stringAt(content, 'stderr') ?? '';
  const whole = stdout !== '' && stderr !== '' && !stdout.endsWith('\n') ? `${stdout}\n${stderr}` : stdout + stderr;
  const code = isObject(content) ? content['return_code'] : undefined;
  return {
    kind: 'terminal',
    command: shorten(commandOf(name, input)),
    output: shorten(whole),
    ...(typeof code === 'number' ? { exitCode: code } : {}),
    ...(whole.length > LONGEST_BODY ? { truncated: true } : {}),
    ...(encrypted ? { note: l10n.t('The output is encrypted: only Claude can read it.') } : {}),
  };
}

function editorBody(input: unknown, content: unknown): ToolBody {
  const type = stringAt(content, 'type') ?? '';
  if (type.endsWith('create_result')) return textBody(stringAt(input, 'file_text') ?? '', input);
  if (type.endsWith('str_replace_result')) return diffBody(input, content);
  const fileType = stringAt(content, 'file_type');
  if (fileType === 'image') return pictureBody(stringAt(content, 'content') ?? '', input);
  if (fileType === 'pdf') return { kind: 'text', text: l10n.t('Claude looked at the PDF.') };
  return textBody(stringAt(content, 'content') ?? '', input);
}

/** A raster image of known size, by its bytes; of all else it is said only that Claude looked at it. */
function pictureBody(data: string, input: unknown): ToolBody {
  const head = isBase64(data) && data.length <= LARGEST_PICTURE ? base64Head(data, data.length) : new Uint8Array();
  const type = imageType(head);
  if (type === null || !isSafeToDecode(head)) return { kind: 'text', text: l10n.t('Claude looked at the image.') };
  return { kind: 'image', src: `data:${type};base64,${data}`, name: oneLine(stringAt(input, 'path') ?? '') };
}

function textBody(text: string, input: unknown): ToolBody {
  const language = /\.([A-Za-z0-9]{1,10})$/.exec(stringAt(input, 'path') ?? '')?.[1]?.toLowerCase();
  return { kind: 'text', text: shorten(text), ...(language === undefined ? {} : { language }) };
}

/** From the result's `lines` where it has them; from the call's old and new text until then. */
function diffBody(input: unknown, content: unknown): ToolBody {
  const given = isObject(content) && Array.isArray(content['lines']) ? content['lines'] : undefined;
  const lines = given
    ? given.filter((line): line is string => typeof line === 'string').map(diffLine)
    : [...signed('-', stringAt(input, 'old_str')), ...signed('+', stringAt(input, 'new_str'))];
  const shown = lines.slice(0, 2000).map((line) => cutText(line, 2000));
  const removed = lines.filter((line) => line.startsWith('-')).length;
  const added = lines.filter((line) => line.startsWith('+')).length;
  const hunk: Hunk = {
    oldStart: numberAt(content, 'old_start') ?? 1,
    oldLines: numberAt(content, 'old_lines') ?? lines.length - added,
    newStart: numberAt(content, 'new_start') ?? 1,
    newLines: numberAt(content, 'new_lines') ?? lines.length - removed,
    lines: shown,
  };
  return {
    kind: 'diff',
    path: oneLine(stringAt(input, 'path') ?? ''),
    added,
    removed,
    hunks: lines.length === 0 ? [] : [hunk],
    ...(shown.length < lines.length ? { truncated: true } : {}),
  };
}

/** A line of the result says by its first character what it is; one without is context. */
function diffLine(line: string): string {
  return /^[-+ ]/.test(line) ? line : ` ${line}`;
}

function signed(sign: '-' | '+', text: string | undefined): string[] {
  return text === undefined || text === '' ? [] : text.split('\n').map((line) => sign + line);
}

function unknownBody(content: unknown): ToolBody {
  return content === undefined || content === null
    ? { kind: 'none' }
    : { kind: 'json', json: shorten(JSON.stringify(content, undefined, 2)) };
}

function errorBody(name: string, input: unknown, content: unknown): ToolBody {
  const detail = stringAt(content, 'error_message');
  const sentence = errorSentence(stringAt(content, 'error_code') ?? '');
  const text = shorten(detail === undefined || detail === '' ? sentence : `${sentence}\n${detail}`);
  return name === 'text_editor_code_execution'
    ? { kind: 'text', text }
    : { kind: 'terminal', command: shorten(commandOf(name, input)), output: '', note: text };
}

function errorSentence(code: string): string {
  switch (code) {
    case 'unavailable':
      return l10n.t('The sandbox is not available right now. Claude was told, and can go on without it.');
    case 'execution_time_exceeded':
      return l10n.t(
        'It ran longer than the sandbox allows and was stopped. Claude was told, and can do it in smaller steps.',
      );
    case 'invalid_tool_input':
      return l10n.t('The sandbox could not make sense of this call. Claude was told, and can call it in another way.');
    case 'too_many_requests':
      return l10n.t('The sandbox had too many calls at once. Claude was told, and can try again.');
    case 'output_file_too_large':
      return l10n.t(
        'A file that the command made is too large to be handed over. It is still in the sandbox, where Claude can make it smaller.',
      );
    case 'file_not_found':
      return l10n.t('There is no such file in the sandbox. Claude was told, and can look for it.');
    default:
      return l10n.t('The sandbox reported an error ({0}).', cutText(oneLine(code), 80) || l10n.t('no code'));
  }
}

function numberAt(value: unknown, key: string): number | undefined {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === 'number' ? found : undefined;
}
