import * as z from 'zod';

export type TextEditorInput = ViewInput | CreateInput | ReplaceInput | InsertInput;

export interface ViewInput {
  readonly command: 'view';
  readonly path: string;
  readonly view_range?: readonly [number, number] | undefined;
}

export interface CreateInput {
  readonly command: 'create';
  readonly path: string;
  readonly file_text: string;
}

export interface ReplaceInput {
  readonly command: 'str_replace';
  readonly path: string;
  readonly old_str: string;
  readonly new_str?: string | undefined;
}

export interface InsertInput {
  readonly command: 'insert';
  readonly path: string;
  readonly insert_line: number;
  readonly insert_text: string;
}

const text = (name: string) =>
  z.string({
    error: ({ input }) =>
      input === undefined ? `Parameter \`${name}\` is required.` : `Parameter \`${name}\` must be a string.`,
  });

const path = text('path').min(1, { error: 'Parameter `path` must not be empty.' });

const RANGE = 'Parameter `view_range` must be two whole numbers [start, end], where end may be -1 for the last line.';
const viewRange = z.tuple([z.int({ error: RANGE }), z.int({ error: RANGE })], { error: RANGE });

const LINE = 'Parameter `insert_line` is required: a whole number, 0 for the start of the file.';

const view = z.object({
  command: z.literal('view'),
  path,
  // Some models write null for what they leave out.
  view_range: viewRange.nullish().transform((range) => range ?? undefined),
});
const create = z.object({ command: z.literal('create'), path, file_text: text('file_text') });
const replace = z.object({
  command: z.literal('str_replace'),
  path,
  old_str: text('old_str').min(1, {
    error:
      'Parameter `old_str` must not be empty. To add text use the command `insert`; to write a whole file use `create`.',
  }),
  new_str: text('new_str')
    .nullish()
    .transform((value) => value ?? undefined),
});
// Older examples call the inserted text `new_str`.
const insert = z
  .object({
    command: z.literal('insert'),
    path,
    insert_line: z.int({ error: LINE }).min(0, { error: LINE }),
    insert_text: text('insert_text').optional(),
    new_str: text('new_str').optional(),
  })
  .transform(({ new_str, insert_text, ...rest }, context) => {
    const inserted = insert_text ?? new_str;
    if (inserted !== undefined) return { ...rest, insert_text: inserted };
    context.addIssue({ code: 'custom', message: 'Parameter `insert_text` is required.', path: ['insert_text'] });
    return z.NEVER;
  });

/** The input of `str_replace_based_edit_tool`. Each message names the parameter that is wrong. */
export const textEditorInput: z.ZodType<TextEditorInput> = z.discriminatedUnion(
  'command',
  [view, create, replace, insert],
  { error: 'Parameter `command` must be one of `view`, `create`, `str_replace`, `insert`.' },
);
