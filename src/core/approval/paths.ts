/**
 * What a path's names say about it. Names are compared folded: letter case, Unicode forms, characters that some file
 * systems ignore, trailing dots and spaces and stream suffixes (`.git::$INDEX_ALLOCATION`) can all spell one file.
 */

/** The names of a path, folded: every spelling that some file system takes for the same file compares equal. */
export type FoldedNames = readonly string[];

export function foldNames(segments: readonly string[]): FoldedNames {
  return segments.map(foldName);
}

function foldName(segment: string): string {
  const [beforeStream = ''] = (isPlain(segment) ? segment : unify(segment)).split(':');
  return beforeStream.replace(/[. ]+$/, '').toLowerCase();
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** Without what hides, and with one form for letters that some file system or program takes for the same. */
function unify(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu, '')
    .toUpperCase()
    .toLowerCase();
}

/** Whether the path is `.git` or lies in one, at any depth and in any spelling (`GIT~1` is its Windows short name). */
export function isInGit(names: FoldedNames): boolean {
  return names.some((name) => /^(\.git|git~\d+)$/.test(name));
}

export type ProtectedKind = 'editor' | 'agent' | 'git' | 'ci' | 'hook' | 'environment' | 'shell' | 'package';

const protectedFolders: Readonly<Record<string, ProtectedKind>> = {
  '.vscode': 'editor',
  '.vscode-server': 'editor',
  '.idea': 'editor',
  '.zed': 'editor',
  '.fleet': 'editor',
  '.devcontainer': 'editor',
  '.cursor': 'agent',
  '.claude': 'agent',
  '.cline': 'agent',
  '.clinerules': 'agent',
  '.codex': 'agent',
  '.continue': 'agent',
  '.gemini': 'agent',
  '.kilocode': 'agent',
  '.kiro': 'agent',
  '.loopdock': 'agent',
  '.roo': 'agent',
  '.windsurf': 'agent',
  '.github': 'ci',
  '.gitlab': 'ci',
  '.circleci': 'ci',
  '.buildkite': 'ci',
  '.ci': 'ci',
  '.husky': 'hook',
  '.githooks': 'hook',
  '.ssh': 'environment',
  '.direnv': 'environment',
};

const protectedFiles: readonly (readonly [RegExp, ProtectedKind])[] = [
  [/\.code-workspace$/, 'editor'],
  [/^(devcontainer\.json|\.devcontainer\.json)$/, 'editor'],
  [/^\.?mcp\.json$/, 'agent'],
  [/^(claude|claude\.local|agents|agent|gemini|skill|copilot-instructions)\.md$/, 'agent'],
  [/\.(instructions|prompt|chatmode|agent)\.md$/, 'agent'],
  [/^\.(cursorrules|windsurfrules|clinerules|roorules|aider\.conf\.yml)$/, 'agent'],
  [/^\.(gitmodules|gitattributes|gitconfig)$/, 'git'],
  [/^\.?(gitlab-ci|travis|drone|appveyor|azure-pipelines|bitbucket-pipelines)\.ya?ml$/, 'ci'],
  [/^(jenkinsfile|\.pre-commit-hooks\.ya?ml)$/, 'ci'],
  [/^(\.pre-commit-config\.ya?ml|\.?lefthook(-local)?\.ya?ml|\.lintstagedrc(\..*)?|\.simple-git-hooks\..*)$/, 'hook'],
  [/^\.(env|envrc)(\..*)?$/, 'environment'],
  [/^\.(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|kshrc|cshrc|tcshrc|login)$/, 'shell'],
  [/^\.(zshrc|zshenv|zprofile|zlogin|zlogout|inputrc|xprofile|xinitrc)$/, 'shell'],
  [/^(config\.fish|.*profile\.ps1)$/, 'shell'],
  [/^(package\.json|\.npmrc|\.yarnrc(\.yml)?|\.pnpmfile\.c?js|\.pypirc|\.netrc|_netrc)$/, 'package'],
];

/** Why a file needs a person each time it is written: something runs or obeys it later. Undefined for all others. */
export function protectedKind(names: FoldedNames): ProtectedKind | undefined {
  for (const [i, name] of names.entries()) {
    const kind = Object.hasOwn(protectedFolders, name) ? protectedFolders[name] : undefined;
    if (kind) return kind;
    if (name === '.bin' && names[i - 1] === 'node_modules') return 'package';
  }
  const last = names.at(-1) ?? '';
  return protectedFiles.find(([pattern]) => pattern.test(last))?.[1];
}

const secretFolders = new Set(['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.gcloud', '.password-store']);

const secretFiles: readonly RegExp[] = [
  /^\.env(\.(?!example$|sample$|template$|dist$).*)?$/,
  /\.(pem|key|p12|pfx|p8|jks|keystore|kdbx|ppk|gpg|tfstate|ovpn)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/,
  /^(\.npmrc|\.yarnrc\.yml|\.pypirc|\.netrc|_netrc|\.envrc|\.pgpass|\.my\.cnf|\.htpasswd|\.dockercfg)$/,
  /^(\.git-credentials|\.vault-token|\.boto|\.s3cfg|\.terraformrc)$/,
  /^(credentials|secrets?)(\.(json|ya?ml|toml|ini|env|txt|xml|properties))?$/,
  /^(client_secret|service[-_]?account).*\.json$/,
];

/** Whether reading it would probably bring a credential into the conversation. */
export function looksSecret(names: FoldedNames): boolean {
  const last = names.at(-1) ?? '';
  // A remote's address in `.git/config` can carry a token.
  if (isInGit(names) && last === 'config') return true;
  return names.some((name) => secretFolders.has(name)) || secretFiles.some((pattern) => pattern.test(last));
}

/** Whether the text can be read as something else than the path it names: home, variable, URI, escapes, hidden characters, Windows devices. */
export function isOddSpelling(given: string): boolean {
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|%(2e|2f|5c|00)/iu.test(given)) return true;
  if (/^~|\$[{(\w]|^(?!untitled:)[a-z][a-z0-9+.-]+:/i.test(given)) return true;
  return given.split(/[/\\]/).some(isDeviceName) || /^([/\\]{2})/.test(given);
}

function isDeviceName(segment: string): boolean {
  const [stem = ''] = foldName(segment).split('.');
  return /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9])$/.test(stem.trim());
}
