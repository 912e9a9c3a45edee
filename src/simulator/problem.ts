/** An error answer of the API: HTTP status and the `error` object of its body. */
export interface ApiProblem {
  readonly status: number;
  readonly error: {
    readonly type: string;
    readonly message: string;
    readonly details?: Readonly<Record<string, unknown>>;
  };
}

/** 400 `invalid_request_error`. */
export function invalid(message: string, details?: Readonly<Record<string, unknown>>): ApiProblem {
  return problem(400, 'invalid_request_error', message, details);
}

/** 404 `not_found_error`. */
export function notFound(message: string, details?: Readonly<Record<string, unknown>>): ApiProblem {
  return problem(404, 'not_found_error', message, details);
}

export function problem(
  status: number,
  type: string,
  message: string,
  details?: Readonly<Record<string, unknown>>,
): ApiProblem {
  return { status, error: details ? { type, message, details } : { type, message } };
}

/** Carries a problem out of nested code; the server answers with it. */
export class ProblemError extends Error {
  readonly problem: ApiProblem;
  constructor(cause: ApiProblem) {
    super(cause.error.message);
    this.name = 'ProblemError';
    this.problem = cause;
  }
}
