import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type {
  TextEditorCodeExecutionToolResultBlock,
  TextEditorCodeExecutionToolResultErrorCode,
} from '@anthropic-ai/sdk/resources/messages/messages';
import { stringOf } from './json.ts';
import type { Json } from './json.ts';
import type { Container } from './sandbox.ts';

type EditorContent = TextEditorCodeExecutionToolResultBlock['content'];

/** `text_editor_code_execution`: file operations inside the container's directory. */
export async function runContainerEditor(container: Container, input: Json): Promise<EditorContent> {
  const file = confine(container, stringOf(input['path']));
  if (!file) return failure('invalid_tool_input', 'The path must be inside the container.');
  try {
    switch (input['command']) {
      case 'view':
        return await view(file);
      case 'create':
        return await create(file, stringOf(input['file_text']));
      case 'str_replace':
        return await replace(file, stringOf(input['old_str']), stringOf(input['new_str']));
      default:
        return failure('invalid_tool_input', `Unknown command: ${String(input['command'])}`);
    }
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return failure(missing ? 'file_not_found' : 'unavailable', (error as Error).message);
  }
}

function confine(container: Container, name: string): string | undefined {
  if (name === '') return undefined;
  const file = path.resolve(container.directory, name.replace(/^[/\\]+/, ''));
  return file.startsWith(container.directory + path.sep) ? file : undefined;
}

async function view(file: string): Promise<EditorContent> {
  const content = await readFile(file, 'utf8');
  const lines = content.split('\n').length;
  return {
    type: 'text_editor_code_execution_view_result',
    file_type: 'text',
    content,
    num_lines: lines,
    start_line: 1,
    total_lines: lines,
  };
}

async function create(file: string, text: string): Promise<EditorContent> {
  const existed = await readFile(file).then(
    () => true,
    () => false,
  );
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  return { type: 'text_editor_code_execution_create_result', is_file_update: existed };
}

async function replace(file: string, oldText: string, newText: string): Promise<EditorContent> {
  const before = await readFile(file, 'utf8');
  const parts = before.split(oldText);
  if (oldText === '' || parts.length !== 2) {
    return failure('invalid_tool_input', 'old_str must occur exactly once.');
  }
  await writeFile(file, parts.join(newText));
  const line = (parts[0] ?? '').split('\n').length;
  const removed = oldText.split('\n');
  const added = newText.split('\n');
  return {
    type: 'text_editor_code_execution_str_replace_result',
    old_start: line,
    old_lines: removed.length,
    new_start: line,
    new_lines: added.length,
    lines: [...removed.map((text) => `-${text}`), ...added.map((text) => `+${text}`)],
  };
}

function failure(code: TextEditorCodeExecutionToolResultErrorCode, message: string): EditorContent {
  return { type: 'text_editor_code_execution_tool_result_error', error_code: code, error_message: message };
}
