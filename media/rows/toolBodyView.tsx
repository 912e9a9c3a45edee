import type { LinkItem, ToolBody } from '../../src/protocol/rows.ts';
import { allowedLink } from '../../src/protocol/links.ts';
import { format } from '../../src/protocol/format.ts';
import { HighlightedCode } from '../markdown/codeBlock.tsx';
import { rasterImage } from '../rasterImage.ts';
import { useServices } from '../services.ts';
import { label, visible } from '../visible.ts';
import { DiffView } from './diffView.tsx';
import { TerminalView } from './terminalView.tsx';

interface ToolBodyViewProps {
  readonly body: ToolBody;
  readonly running: boolean;
  readonly local: boolean;
}

/** Longest text of a file or a JSON value in the page, in characters. */
const MAX_SHOWN = 60_000;

export function ToolBodyView({ body, running, local }: ToolBodyViewProps) {
  switch (body.kind) {
    case 'none':
      return null;
    case 'text':
      return <Capped text={body.text} language={body.language ?? ''} />;
    case 'json':
      return <Capped text={body.json} language="json" />;
    case 'diff':
      return <DiffView body={body} />;
    case 'terminal':
      return <TerminalView body={body} running={running} local={local} />;
    case 'image':
      return <Picture src={body.src} name={label(body.name)} />;
    case 'links':
      return (
        <>
          <Links links={body.links} />
          {body.text !== undefined && <Capped text={body.text} language="" />}
          {body.note !== undefined && <p class="body-note">{label(body.note)}</p>}
        </>
      );
  }
}

function Capped({ text, language }: { readonly text: string; readonly language: string }) {
  const { strings } = useServices();
  const shown = text.slice(0, MAX_SHOWN);
  return (
    <>
      {language === '' ? (
        <pre class="plain-text" tabIndex={0} role="group" aria-label={strings.output} dir="auto">
          {visible(shown)}
        </pre>
      ) : (
        <HighlightedCode code={shown} language={language} />
      )}
      {text.length > MAX_SHOWN && <p class="body-note">{strings.truncated}</p>}
    </>
  );
}

function Picture({ src, name }: { readonly src: string; readonly name: string }) {
  const shown = rasterImage(src);
  return shown ? <img class="body-picture" src={shown} alt={name} /> : null;
}

const MAX_LINKS = 50;

function Links({ links }: { readonly links: readonly LinkItem[] }) {
  const { strings } = useServices();
  return (
    <>
      <ul class="links" aria-label={strings.links}>
        {links.slice(0, MAX_LINKS).map((link, index) => (
          <li key={index}>
            <SafeLink title={link.title} url={link.url} />
            {link.note !== undefined && <span class="link-note"> {label(link.note)}</span>}
          </li>
        ))}
      </ul>
      {links.length > MAX_LINKS && <p class="body-note">{format(strings.moreLines, links.length - MAX_LINKS)}</p>}
    </>
  );
}

/** A link that the view hands over; the words where the address is none to open. `hint` is shown with the address. */
export function SafeLink({
  title,
  url,
  hint,
}: {
  readonly title: string;
  readonly url: string;
  readonly hint?: string;
}) {
  const allowed = allowedLink(url);
  const text = label(title) || label(url);
  if (allowed === undefined) return <bdi>{text}</bdi>;
  return (
    <a role="link" tabIndex={0} data-url={allowed} title={hint ? `${allowed}\n${label(hint)}` : allowed}>
      <bdi>{text}</bdi>
    </a>
  );
}
