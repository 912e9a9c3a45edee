import type { ApiFailure } from '../errors.ts';
import type { ModelRequest } from '../ports.ts';
import { foldConversation } from '../session/fold.ts';
import { record, type TurnContext } from './context.ts';
import { stepOverLostFiles } from './lostFiles.ts';
import { stepDownTool, stepOverBinding, stepOverToolMessage } from './epoch.ts';

export interface FailedRequest {
  readonly request: ModelRequest;
  readonly failure: ApiFailure;
  /** A part of the answer had come, for the first time. */
  readonly begun: boolean;
}

/** A refused tool version, a lost file or a lost container: changes the log so that the next request does without it. */
export async function stepAround(
  context: TurnContext,
  { request, failure, begun }: FailedRequest,
  signal: AbortSignal,
): Promise<boolean> {
  const { epoch, container } = foldConversation(context.log.entries());
  if (epoch !== undefined && (await stepOverToolMessage(context, epoch, failure))) return true;
  if (epoch !== undefined && (await stepDownTool(context, epoch, failure))) return true;
  if (epoch !== undefined && (await stepOverBinding(context, epoch, failure))) return true;
  if (await stepOverLostFiles(context, request, failure, signal)) return true;
  // What began to answer had taken the container: all that was made in it is not given up for one broken connection.
  if (begun) return false;
  if (container === null || request.container === undefined || !mayBeContainer(failure)) return false;
  await record(context, { type: 'containerLost', containerId: container.id });
  return true;
}

/** A container that is gone is refused with 404 or 400 in words, or with a bare 500. */
function mayBeContainer({ kind, message }: ApiFailure): boolean {
  if (kind === 'server') return true;
  return (kind === 'invalid-request' || kind === 'not-found') && /container/i.test(message);
}
