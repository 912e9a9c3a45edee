import type { Hunk, ToolBody } from '../../src/protocol/rows.ts';
import { format } from '../../src/protocol/format.ts';
import { useServices } from '../services.ts';
import { label, visible } from '../visible.ts';

type Diff = Extract<ToolBody, { kind: 'diff' }>;

/** Lines of a diff in the page; the whole one is in the diff editor. */
const MAX_LINES = 400;
const MAX_LINE_LENGTH = 2_000;

/** The hunks of an edit, line by line. Added and removed lines differ by their sign, not by colour alone. */
export function DiffView({ body }: { readonly body: Diff }) {
  const { strings } = useServices();
  const total = body.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  let left = MAX_LINES;
  return (
    <>
      <div class="diff" role="group" aria-label={format(strings.changesTo, label(body.path))} tabIndex={0} dir="ltr">
        {body.hunks.map((hunk, index) => {
          const count = Math.max(0, Math.min(left, hunk.lines.length));
          left -= count;
          return count === 0 ? null : <HunkView key={index} hunk={hunk} count={count} />;
        })}
      </div>
      {total > MAX_LINES && <p class="body-note">{format(strings.moreLines, total - MAX_LINES)}</p>}
      {body.truncated && <p class="body-note">{strings.truncated}</p>}
      {body.note && <p class="body-note">{body.note}</p>}
    </>
  );
}

const kinds: Readonly<Record<string, string>> = { '+': 'add', '-': 'remove' };

function HunkView({ hunk, count }: { readonly hunk: Hunk; readonly count: number }) {
  return (
    <div class="hunk">
      {numbered(hunk)
        .slice(0, count)
        .map(({ line, number }, index) => (
          <div key={index} class={`diff-line diff-${kinds[line[0] ?? ''] ?? 'same'}`}>
            <span class="diff-number" aria-hidden="true">
              {number}
            </span>
            <span class="diff-sign">{line[0]}</span>
            <span class="diff-text">{visible(line.slice(1, MAX_LINE_LENGTH))}</span>
          </div>
        ))}
    </div>
  );
}

/** Each line with its number: in the old file for removed lines, in the new one for all others. */
function numbered(hunk: Hunk): { readonly line: string; readonly number: number }[] {
  let before = hunk.oldStart;
  let after = hunk.newStart;
  return hunk.lines.map((line) => {
    if (line.startsWith('-')) return { line, number: before++ };
    if (!line.startsWith('+')) before++;
    return { line, number: after++ };
  });
}
