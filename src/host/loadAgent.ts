import type * as AgentModule from './agent.ts';

let loaded: typeof AgentModule | undefined;

/**
 * The agent's bundle lies beside this one and is read when the view, or a command, first needs the agent: tools and
 * their schemas would make every activation slower. A `require`, and not an `import()`, which esbuild would turn into a
 * part of this bundle.
 */
export function loadAgent(): typeof AgentModule {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- the other bundle, read when it is needed
  return (loaded ??= require('./agent.js') as typeof AgentModule);
}
