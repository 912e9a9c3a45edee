import * as l10n from '@vscode/l10n';
import { UserError } from '../core/errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface CustomHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** Values that are credentials: they came from the environment, or their name says so. */
  readonly secrets: readonly string[];
  /** One of them is the credential of the request. */
  readonly authorizes: boolean;
}

const NONE: CustomHeaders = { headers: {}, secrets: [], authorizes: false };
const VARIABLE = /\$\{env:([^}]*)\}/g;
/** What belongs to the connection itself, or to the body that is sent over it. */
const OURS = /^(host|connection|content-length|content-type|accept|accept-encoding|transfer-encoding|te|upgrade)$/i;
const CREDENTIAL = /^(authorization|proxy-authorization|x-api-key)$/i;
const SECRET_NAME = /auth|key|token|secret|cookie|password|credential/i;

/**
 * The header setting with `${env:NAME}` filled in, so that a secret need not be in a settings file. Throws `UserError` for
 * a variable that is not set (a header that is silently empty would be an error far away) and for a name that is not free.
 */
export function resolveHeaders(setting: Readonly<Record<string, string>>, environment: Environment): CustomHeaders {
  return Object.entries(setting).reduce((result, [name, template]) => {
    if (OURS.test(name)) {
      throw new UserError(l10n.t('The header {0} belongs to the connection and can not be set.', name));
    }
    const value = template.replace(VARIABLE, (_whole, variable: string) => valueOf(environment, variable, name));
    return withHeader(result, { name, value, secret: value !== template });
  }, NONE);
}

/** `ANTHROPIC_CUSTOM_HEADERS`: one `Name: value` per line. Everything in it may be secret. */
export function headersOfEnvironment(environment: Environment): CustomHeaders {
  const lines = (environment['ANTHROPIC_CUSTOM_HEADERS'] ?? '').split('\n');
  return lines.reduce((result, line) => {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim();
    if (colon < 1 || OURS.test(name)) return result;
    return withHeader(result, { name, value: line.slice(colon + 1).trim(), secret: true });
  }, NONE);
}

/** Both; what `over` names wins, whatever its case. */
export function mergeHeaders(under: CustomHeaders, over: CustomHeaders): CustomHeaders {
  const names = new Set(Object.keys(over.headers).map((name) => name.toLowerCase()));
  const kept = Object.entries(under.headers).filter(([name]) => !names.has(name.toLowerCase()));
  const headers = { ...Object.fromEntries(kept), ...over.headers };
  return {
    headers,
    secrets: [...under.secrets, ...over.secrets],
    authorizes: Object.keys(headers).some((name) => CREDENTIAL.test(name)),
  };
}

function withHeader(
  result: CustomHeaders,
  { name, value, secret }: { readonly name: string; readonly value: string; readonly secret: boolean },
): CustomHeaders {
  const own = { [name]: value };
  const secrets = secret || SECRET_NAME.test(name) ? [value] : [];
  return mergeHeaders(result, { headers: own, secrets, authorizes: false });
}

function valueOf(environment: Environment, variable: string, header: string): string {
  const value = environment[variable.trim()]?.trim();
  if (value) return value;
  throw new UserError(
    l10n.t(
      'The header {0} takes its value from the environment variable {1}, which is not set where VS Code was started. Nothing was sent.',
      header,
      variable,
    ),
  );
}
