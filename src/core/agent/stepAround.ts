import type { ApiFailure } from '../errors.ts';
import type { ModelRequest } from '../ports.ts';
import { foldConversation } from '../session/fold.ts';
import { record, type TurnContext } from './context.ts';
import { stepDownTool, stepOverBinding } from './epoch.ts';

/** A refused tool version or a lost container: changes the log so that the next request does without it. */
export async function stepAround(context: TurnContext, request: ModelRequest, failure: ApiFailure): Promise<boolean> {
  const { epoch, container } = foldConversation(context.log.entries());
  if (epoch !== undefined && (await stepDownTool(context, epoch, failure))) return true;
  if (epoch !== undefined && (await stepOverBinding(context, epoch, failure))) return true;
  const mayBeContainer =
    failure.kind === 'invalid-request' || failure.kind === 'not-found' || failure.kind === 'server';
  if (container === null || request.container === undefined || !mayBeContainer) return false;
  if (failure.kind !== 'server' && !/container/i.test(failure.message)) return false;
  await record(context, { type: 'containerLost', containerId: container.id });
  return true;
}
