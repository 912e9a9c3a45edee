import { nodeFs, type LogFs } from '../../../src/node/log/logFs.ts';

export interface FaultPlan {
  /** Number of the call that fails first, from 0. */
  readonly at: number;
  /** How many calls fail from there on. */
  readonly calls: number;
  /** A system error code, or a write that ends early without an error. */
  readonly fault: 'ENOSPC' | 'EIO' | 'EROFS' | 'short';
}

/** The real file system in which the calls of the plan fail. `count()` tells how many calls there were. */
export function faultyFs(plan: FaultPlan): { readonly fs: LogFs; count(): number } {
  let count = 0;
  const due = (): boolean => {
    const hit = count >= plan.at && count < plan.at + plan.calls;
    count += 1;
    return hit;
  };
  const fail = (): never => {
    const code = plan.fault === 'short' ? 'EIO' : plan.fault;
    throw Object.assign(new Error(`${code}: injected`), { code });
  };
  const wrap = (target: object): unknown =>
    new Proxy(target, {
      get(object, key) {
        const value: unknown = Reflect.get(object, key);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]): Promise<unknown> => {
          const write = key === 'write';
          if (due()) {
            if (key === 'close') await Reflect.apply(value, object, args); // it reports an error, but does not leak
            if (plan.fault !== 'short' || !write) fail();
            args[2] = Math.floor(Number(args[2]) / 2); // of (bytes, offset, length)
          }
          const result: unknown = await Reflect.apply(value, object, args);
          return key === 'open' ? wrap(result as object) : result;
        };
      },
    });
  return { fs: wrap(nodeFs) as LogFs, count: () => count };
}
