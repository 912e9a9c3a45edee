/**
 * The four kinds of failure, fixed where they are thrown: `UserError` (localised, shown), `ToolError` (text for the
 * model), `ApiFailure` (what the API said) and cancellation. Anything else is a bug of ours.
 */

/** Shown to the user as it is: localised, says what happened, what was kept and what to do. */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** Becomes the text of an `is_error` tool result. Written for the model, in English, without host paths outside the roots. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** Thrown by whatever was stopped by the user. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';
  constructor(message = 'Cancelled') {
    super(message);
  }
}

export type ApiFailureKind =
  | 'no-key'
  | 'authentication'
  | 'billing'
  | 'permission'
  | 'not-found'
  | 'invalid-request'
  | 'too-large'
  | 'rate-limit'
  | 'spend-limit'
  | 'overloaded'
  | 'server'
  | 'timeout'
  | 'connection'
  | 'stream'
  | 'protocol'
  | 'unknown';

/**
 * What went wrong with a request, as plain data: it goes into the log and onto a card. `message` is the API's own text
 * with credentials redacted. `retryAfterMs` is what the server asked for. `stream` is a stream that broke after it began.
 */
export interface ApiFailure {
  readonly kind: ApiFailureKind;
  readonly message: string;
  readonly status?: number;
  /** `error.type` of the API's body. */
  readonly type?: string;
  /** `error.details.error_code`. */
  readonly code?: string;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
  /** The header `x-should-retry`, where it was sent. It wins over everything that the status suggests. */
  readonly shouldRetry?: boolean;
}

/** Carries an `ApiFailure` where a port throws (files, models). `ModelPort.stream` never throws. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly failure: ApiFailure;
  constructor(failure: ApiFailure) {
    super(failure.message);
    this.failure = failure;
  }
}
