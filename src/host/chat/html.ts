/** What the page is made of; all addresses are the webview's own. */
export interface PageParts {
  readonly cspSource: string;
  /** Unguessable, new for every page. */
  readonly nonce: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  /** BCP 47, for the page's `lang`. */
  readonly language: string;
  readonly title: string;
  /** User-visible strings, read by the script from a JSON block. */
  readonly strings: object;
}

/** The page of the chat view. No inline script or style, no connection, no frame: the policy allows what is listed only. */
export function chatPage(parts: PageParts): string {
  const { cspSource, nonce } = parts;
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    `img-src ${cspSource} blob: data:`,
    `font-src ${cspSource}`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escapeHtml(parts.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${escapeHtml(parts.styleUri)}">
<title>${escapeHtml(parts.title)}</title>
</head>
<body>
<div id="root"></div>
<script type="application/json" id="loopdock-strings" nonce="${nonce}">${jsonForScript(parts.strings)}</script>
<script nonce="${nonce}" src="${escapeHtml(parts.scriptUri)}"></script>
</body>
</html>`;
}

/** JSON inside a script element ends at the first `</script`, whatever the JSON says: no `<` may be in it. */
function jsonForScript(value: object): string {
  return JSON.stringify(value)
    .replace(/</g, '\\u003c')
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
