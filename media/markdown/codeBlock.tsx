import { useEffect, useMemo, useState } from 'preact/hooks';
import { IconButton } from '../icon.tsx';
import { useServices } from '../services.ts';
import { visible } from '../visible.ts';
import { highlightSafely } from './highlightSafely.ts';

interface CodeBlockProps {
  readonly code: string;
  readonly language: string;
  /** Sanitised, highlighted HTML; plain text without it. */
  readonly html?: string | undefined;
}

/** Lines per element: one long text node would be laid out again whenever it grows. */
const LINES_PER_CHUNK = 100;

/** A block of code with its language and a copy button. */
export function CodeBlock({ code, language, html }: CodeBlockProps) {
  const { strings } = useServices();
  return (
    <div class="code-block" dir="ltr">
      <div class="code-head">
        <span class="code-language">{language || strings.code}</span>
        <CopyButton text={code} />
      </div>
      <pre class="code" tabIndex={0} aria-label={language || strings.code} role="group">
        {html === undefined ? (
          <code>
            {chunks(code).map((chunk, index) => (
              <span key={index}>{visible(chunk)}</span>
            ))}
          </code>
        ) : (
          <code class="hljs" dangerouslySetInnerHTML={{ __html: visible(html) }} />
        )}
      </pre>
    </div>
  );
}

/** Code of a tool: highlighted here, once for each text. */
export function HighlightedCode({ code, language }: { readonly code: string; readonly language: string }) {
  const html = useMemo(() => highlightSafely(code, language), [code, language]);
  return <CodeBlock code={code} language={language} html={html} />;
}

function CopyButton({ text }: { readonly text: string }) {
  const { strings, post } = useServices();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      (error: unknown) => post({ type: 'log', level: 'warn', text: `copy failed: ${String(error)}` }),
    );
  };
  return <IconButton icon={copied ? 'check' : 'copy'} label={copied ? strings.copied : strings.copy} onClick={copy} />;
}

function chunks(code: string): readonly string[] {
  const lines = code.split('\n');
  if (lines.length <= LINES_PER_CHUNK) return [code];
  const result: string[] = [];
  for (let at = 0; at < lines.length; at += LINES_PER_CHUNK) {
    const end = at + LINES_PER_CHUNK < lines.length ? '\n' : '';
    result.push(lines.slice(at, at + LINES_PER_CHUNK).join('\n') + end);
  }
  return result;
}
