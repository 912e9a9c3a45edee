import { useServices } from './services.ts';

/** Text of people and servers in the page, in characters: one line of a megabyte takes a second to lay out. */
const MAX_SHOWN = 20_000;

/** Plain text, cut when it is very long. */
export function LongText({ text }: { readonly text: string }) {
  const { strings } = useServices();
  if (text.length <= MAX_SHOWN) return <>{text}</>;
  return (
    <>
      {text.slice(0, MAX_SHOWN)}… <em class="body-note">{strings.truncated}</em>
    </>
  );
}
