import type { FromWebview } from '../../protocol/messages.ts';

/** One handler per message; a new message type does not compile until it has one. */
export type WebviewHandlers = {
  readonly [T in FromWebview['type']]: (message: Extract<FromWebview, { readonly type: T }>) => unknown;
};

export function dispatch(handlers: WebviewHandlers, message: FromWebview): unknown {
  const handler = handlers[message.type] as (message: FromWebview) => unknown;
  return handler(message);
}
