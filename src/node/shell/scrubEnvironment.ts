export type Environment = Readonly<Record<string, string | undefined>>;

declare const scrubbed: unique symbol;

/** An environment that went through `scrubEnvironment`: the only kind that children are started with. */
export type ChildEnvironment = Record<string, string> & { readonly [scrubbed]: true };

export interface ScrubOptions {
  /** Values that no child may see under any name, such as the API key. Values shorter than 8 characters are ignored. */
  readonly credentials?: readonly string[];
  /** Laid over the result before it is scrubbed; `null` removes a name (the meaning of `terminal.integrated.env.*`). */
  readonly overrides?: Readonly<Record<string, string | null>>;
}

/**
 * Names that never reach a child: our provider's and our own configuration, and the editor's private variables
 * (`ELECTRON_RUN_AS_NODE` breaks Electron programs, `VSCODE_IPC_HOOK_CLI` lets a child drive the editor).
 */
const PRIVATE_NAME = /^(ANTHROPIC|CLAUDE|LOOPDOCK|VSCODE|ELECTRON)_/i;

/** Without a terminal behind them, programs must neither page, nor open an editor, nor ask. */
const QUIET: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
  DEBIAN_FRONTEND: 'noninteractive',
  PYTHONUNBUFFERED: '1',
  /** Documented: start files can tell by it that Loopdock drives the shell. */
  LOOPDOCK_ACTIVE: '1',
};

/**
 * The environment that every child process is started with; nothing is started with any other. `env` is left as it is.
 * A variable goes when its name is private or its value contains a credential.
 */
export function scrubEnvironment(env: Environment, options: ScrubOptions = {}): ChildEnvironment {
  const secrets = (options.credentials ?? []).filter((secret) => secret.length >= 8);
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...env, ...options.overrides })) {
    if (value === undefined || value === null || PRIVATE_NAME.test(name)) continue;
    if (secrets.some((secret) => value.includes(secret)) || isEditorHelper(name, value)) continue;
    result[name] = value;
  }
  return { ...result, ...QUIET } as ChildEnvironment;
}

/** A remote VS Code sets BROWSER and GIT_ASKPASS to scripts that talk to the editor. */
function isEditorHelper(name: string, value: string): boolean {
  if (name === 'BROWSER') return /[\\/]helpers[\\/]browser(-[a-z]+)?\.(sh|cmd)$/.test(value);
  return (name === 'GIT_ASKPASS' || name === 'SSH_ASKPASS') && /[\\/]extensions[\\/]git[\\/]/.test(value);
}

/**
 * Fills in the variables that VS Code allows in `terminal.integrated.env.*`: `${workspaceFolder}`, `${userHome}`,
 * `${env:NAME}`. What is not known stays as it is, an unset `env` becomes empty.
 */
export function resolveVariables(
  value: string,
  known: { readonly workspaceFolder: string | undefined; readonly userHome: string; readonly env: Environment },
): string {
  return value.replace(/\$\{(workspaceFolder|userHome|env:([^}]+))\}/g, (whole, name: string, variable?: string) => {
    if (variable !== undefined) return known.env[variable] ?? '';
    return (name === 'userHome' ? known.userHome : known.workspaceFolder) ?? whole;
  });
}
