import type { Tool } from '@anthropic-ai/sdk/resources/messages/messages';

/**
 * The typed client tools of the Messages API, written out: for servers that speak the API and know none of its tool
 * types. The inputs are those of the types, so the same code runs the calls. English: Claude reads it.
 */
export const plainBash: Tool = {
  name: 'bash',
  description:
    "Runs a command in one persistent bash session on the user's machine: working directory, variables and functions stay between calls. Returns standard output and standard error together. There is nobody to answer prompts. `restart` ends the session and begins a new one.",
  input_schema: {
    type: 'object',
    properties: {
      command: { type: 'string', description: 'The command to run. Required unless `restart` is true.' },
      restart: { type: 'boolean', description: 'True to begin a new session.' },
    },
  },
};

export const plainTextEditor: Tool = {
  name: 'str_replace_based_edit_tool',
  description:
    "Views and edits text files of the user's workspace. `view` shows a file with line numbers, or lists a folder. `create` writes a whole file. `str_replace` replaces the one place where `old_str` stands, exactly as it is in the file. `insert` adds text after a line.",
  input_schema: {
    type: 'object',
    properties: {
      command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert'] },
      path: { type: 'string', description: 'Path of the file or folder.' },
      view_range: {
        type: 'array',
        items: { type: 'integer' },
        description: 'For `view`: first and last line, from 1; -1 for the end of the file.',
      },
      file_text: { type: 'string', description: 'For `create`: the whole text of the file.' },
      old_str: { type: 'string', description: 'For `str_replace`: the text to replace; it must occur once.' },
      new_str: { type: 'string', description: 'For `str_replace`: the new text; without it the old one is deleted.' },
      insert_line: {
        type: 'integer',
        description: 'For `insert`: the line after which to insert; 0 is the beginning.',
      },
      insert_text: { type: 'string', description: 'For `insert`: the text to insert.' },
    },
    required: ['command', 'path'],
  },
};
