import type { InputsSent, SentFile } from '../session/entries.ts';

/** What Claude is told of files for the container; undefined when there are none. English. */
export function noteFor(files: readonly SentFile[]): string | undefined {
  const names = files.filter(({ use }) => use === 'container').map(describe);
  if (names.length === 0) return undefined;
  return (
    `[Files that the user attached for the container: ${names.join('; ')}. ${WHERE} ` +
    'They are not on the user’s machine under these names.]'
  );
}

/** The same files once more, and those that are not to be had. English. */
export function noteForAgain({
  reason,
  files,
  failed,
  stranded,
}: Pick<InputsSent, 'reason' | 'files' | 'failed'> & { readonly stranded: boolean }): string {
  const why =
    reason === 'missing'
      ? 'A listing of the container did not show all of the user’s files.'
      : 'This is another container than before: nothing that was made in the earlier one is in it.';
  const again = files.length === 0 ? '' : ` Put into it again: ${files.map(describe).join('; ')}. ${WHERE}`;
  const lost =
    failed.length === 0 ? '' : ` No longer to be had: ${failed.map((name) => JSON.stringify(name)).join(', ')}.`;
  return `[${why}${stranded ? STRANDED : ''}${again}${lost}]`;
}

const STRANDED =
  ' The program that ran there ended with it, in the middle. What its calls of tools changed stays changed: look before you repeat any.';

// Uploads have been seen to go missing, and then a command works on nothing.
const WHERE =
  'They are in the folder $INPUT_DIR (where that is not set: in the working directory). In the first command that uses them list that folder with `ls -la "${INPUT_DIR:-.}"`; if one is missing, say so instead of going on without it.';

function describe({ name, size, mimeType }: SentFile): string {
  return `${JSON.stringify(name)} (${String(size)} bytes, ${mimeType})`;
}
