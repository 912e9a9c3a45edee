const KEPT =
  /^(PATH|HOME|LANG|LC_.*|TZ|TMPDIR|TEMP|TMP|USER|LOGNAME|SHELL|TERM|CHROME_PATH|DISPLAY|.*_proxy|.*_PROXY)$/;
const KEPT_ON_WINDOWS =
  /^(SystemRoot|SystemDrive|windir|ComSpec|PATHEXT|APPDATA|LOCALAPPDATA|USERPROFILE|USERNAME|ProgramFiles.*|ProgramData|HOMEDRIVE|HOMEPATH|Path)$/i;

/**
 * The environment for an editor under test: what a program needs to run and nothing else, so that neither a
 * developer's key nor a terminal's settings reach it. `extra` is added; its `undefined` values take a name away.
 */
export function cleanEnvironment(extra: Readonly<Record<string, string | undefined>> = {}): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...process.env, ...extra })) {
    if (value === undefined) continue;
    if (name in extra || KEPT.test(name) || (process.platform === 'win32' && KEPT_ON_WINDOWS.test(name))) {
      result[name] = value;
    }
  }
  return result;
}

/** This process' environment without credentials of the API or of its gateways. */
export function withoutCredentials(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^ANTHROPIC_/i.test(name)));
}
