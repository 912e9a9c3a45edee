import * as l10n from '@vscode/l10n';

type Environment = Readonly<Record<string, string | undefined>>;

const PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'];

/** Passwords in proxy variables: nothing that is logged may hold them. */
export function proxyCredentials(environment: Environment): readonly string[] {
  const values = PROXIES.flatMap((name) => [environment[name], environment[name.toLowerCase()]]);
  return values.flatMap((value) => {
    const password = value === undefined ? '' : passwordIn(value.includes('://') ? value : `http://${value}`);
    return password === '' ? [] : [password, decoded(password)];
  });
}

/**
 * What the environment asks for and what does not work, or is dangerous, in an extension: whole sentences for the user.
 * VS Code gives the requests of extensions its own list of roots, and that list replaces the one of Node, to which
 * `NODE_EXTRA_CA_CERTS` adds.
 */
export function networkWarnings(environment: Environment, usesSystemRoots: boolean): readonly string[] {
  const warnings: string[] = [];
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    warnings.push(
      l10n.t(
        'NODE_TLS_REJECT_UNAUTHORIZED=0 is set where VS Code was started: certificates are not checked, and anyone on the way can read the key. Take it out, and add the root certificate to the system instead.',
      ),
    );
  }
  const extra = environment['NODE_EXTRA_CA_CERTS'];
  if (extra && usesSystemRoots) {
    warnings.push(
      l10n.t(
        'NODE_EXTRA_CA_CERTS names {0}, but VS Code does not use it for extensions. Add that certificate to the store of the operating system, or switch "http.systemCertificates" off.',
        extra,
      ),
    );
  }
  return warnings;
}

function passwordIn(url: string): string {
  try {
    return new URL(url).password;
  } catch {
    return '';
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
