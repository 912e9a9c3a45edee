/**
 * The four kinds of failure, fixed where they are thrown: `UserError` (localised, shown), `ToolError` (text for the
 * model), `ApiFailure` (what the API said) and cancellation. Anything else is a bug of ours.
 *
 * They pass from bundle to bundle, and each bundle has its own copy of these classes: `instanceof` goes by the name.
 */

/** Shown to the user as it is: localised, says what happened, what was kept and what to do. */
export class UserError extends Error {
  static override [Symbol.hasInstance](error: unknown): error is UserError {
    return isNamed(error, 'UserError');
  }
  override readonly name = 'UserError';
}

/** Becomes the text of an `is_error` tool result. Written for the model, in English, without host paths outside the roots. */
export class ToolError extends Error {
  static override [Symbol.hasInstance](error: unknown): error is ToolError {
    return isNamed(error, 'ToolError');
  }
  override readonly name = 'ToolError';
}

/** Thrown by whatever was stopped by the user. */
export class CancelledError extends Error {
  static override [Symbol.hasInstance](error: unknown): error is CancelledError {
    return isNamed(error, 'CancelledError');
  }
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
  /** Found before it was sent: the API would refuse it for an item that only the user can decide on. */
  | 'item'
  /** The user stopped before an answer came. */
  | 'cancelled'
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
  /** `error.details.paths`: where in the request, such as `messages.3.content.1.image`. */
  readonly paths?: readonly string[];
  /** The items of the log that it is about; each can be removed. */
  readonly items?: readonly FailedItem[];
  /** The header `x-should-retry`, where it was sent. It wins over everything that the status suggests. */
  readonly shouldRetry?: boolean;
}

const WITHOUT_AN_ANSWER: readonly ApiFailureKind[] = ['connection', 'timeout', 'stream', 'protocol'];

/** Whether a request was on its way when it failed; the others are found before anything is sent. */
export function wasSent({ kind, status, requestId }: ApiFailure): boolean {
  return status !== undefined || requestId !== undefined || WITHOUT_AN_ANSWER.includes(kind);
}

/** An item of a conversation that the API does not take. `entry` and `block` are where the log has it. */
export interface FailedItem {
  readonly entry: string;
  readonly block?: number;
  /** For the user, such as "the image of 6.5 MB in your third message". */
  readonly name: string;
}

/** Carries an `ApiFailure` where a port throws (files, models). `ModelPort.stream` never throws. */
export class ApiError extends Error {
  static override [Symbol.hasInstance](error: unknown): error is ApiError {
    return isNamed(error, 'ApiError');
  }
  override readonly name = 'ApiError';
  readonly failure: ApiFailure;
  constructor(failure: ApiFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}
