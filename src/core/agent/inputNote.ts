import type { SentFile } from '../session/entries.ts';

/** What Claude is told of files for the container; undefined when there are none. English. */
export function noteFor(files: readonly SentFile[]): string | undefined {
  const names = files.filter(({ use }) => use === 'container').map(describe);
  if (names.length === 0) return undefined;
  return (
    `[Files that the user attached for the container: ${names.join('; ')}. ${WHERE} ` +
    'They are not on the user’s machine under these names.]'
  );
}

// Uploads have been seen to go missing, and then a command works on nothing.
const WHERE =
  'They are in the folder $INPUT_DIR (where that is not set: in the working directory). In the first command that uses them list that folder with `ls -la "${INPUT_DIR:-.}"`; if one is missing, say so instead of going on without it.';

function describe({ name, size, mimeType }: SentFile): string {
  return `${JSON.stringify(name)} (${String(size)} bytes, ${mimeType})`;
}
