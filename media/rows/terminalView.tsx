import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ToolBody } from '../../src/protocol/rows.ts';
import { format } from '../../src/protocol/format.ts';
import { duration } from '../format.ts';
import { useServices } from '../services.ts';
import { visible } from '../visible.ts';

type Terminal = Extract<ToolBody, { kind: 'terminal' }>;

interface TerminalViewProps {
  readonly body: Terminal;
  readonly running: boolean;
  /** Whether the user's own terminal shows it too. */
  readonly local: boolean;
}

/** Of long output the end is kept in the page: this many characters and lines. */
const MAX_CHARS = 20_000;
const MAX_LINES = 400;

/** A command and its output, as text and nothing else. */
export function TerminalView({ body, running, local }: TerminalViewProps) {
  const { strings } = useServices();
  const began = running || body.output !== '' || body.durationMs !== undefined;
  const output = tail(body.output);
  const pre = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    if (running && pre.current) pre.current.scrollTop = pre.current.scrollHeight;
  }, [output, running]);
  return (
    <div class="terminal" dir="ltr">
      <pre class="terminal-command" role="group" aria-label={strings.command}>
        <span class="terminal-prompt" aria-hidden="true">
          ${' '}
        </span>
        {visible(body.command)}
      </pre>
      {output.length < body.output.length && <p class="body-note">{strings.outputTail}</p>}
      {output !== '' && (
        <pre class="terminal-output" tabIndex={0} role="group" aria-label={strings.output} ref={pre}>
          {visible(output)}
        </pre>
      )}
      {output === '' && !running && typeof body.exitCode === 'number' && <p class="body-note">{strings.noOutput}</p>}
      {body.truncated && <p class="body-note">{strings.truncated}</p>}
      {body.note && <p class="body-note">{body.note}</p>}
      <TerminalEnd body={body} hasTerminal={local && began} />
    </div>
  );
}

function TerminalEnd({ body, hasTerminal }: { readonly body: Terminal; readonly hasTerminal: boolean }) {
  const { strings, language, post } = useServices();
  const { exitCode, durationMs } = body;
  const ended = typeof exitCode === 'number';
  if (!ended && !hasTerminal && durationMs === undefined) return null;
  return (
    <p class="terminal-end">
      {ended && <span>{format(strings.exitCode, exitCode)}</span>}
      {durationMs !== undefined && <span>{duration(durationMs, language)}</span>}
      {hasTerminal && (
        <button type="button" class="link-button" onClick={() => post({ type: 'terminal/show' })}>
          {strings.showTerminal}
        </button>
      )}
    </p>
  );
}

/** The end of `output` within both limits, beginning with a whole line where there is one. */
export function tail(output: string): string {
  let text = output.length > MAX_CHARS ? output.slice(-MAX_CHARS) : output;
  if (text.length < output.length) {
    const lineEnd = text.indexOf('\n');
    if (lineEnd >= 0 && lineEnd < text.length - 1) text = text.slice(lineEnd + 1);
  }
  let at = text.length;
  for (let lines = 0; lines <= MAX_LINES && at >= 0; lines++) at = at === 0 ? -1 : text.lastIndexOf('\n', at - 1);
  return at < 0 ? text : text.slice(at + 1);
}
