import { addNano, costOf, type Nano, type Pricing } from './cost.ts';
import { NO_TOKENS } from './usage.ts';

export interface BatchQuestion {
  readonly model: string;
  /** Input tokens of each request. */
  readonly prompts: readonly number[];
  /** How long each answer is taken to be, in tokens. */
  readonly answer: number;
  readonly pricing: Pricing;
}

/** What a batch costs, at half the price: its input, and its input with answers of that length. */
export function foreseeBatch({ model, prompts, answer, pricing }: BatchQuestion): {
  readonly tokens: number;
  readonly input: Nano;
  readonly whole: Nano;
} {
  let [input, whole]: [Nano, Nano] = [0, 0];
  for (const prompt of prompts) {
    // Each by itself: the price of a token may depend on the length of its prompt.
    input = addNano(input, cost(model, { prompt, output: 0 }, pricing));
    whole = addNano(whole, cost(model, { prompt, output: answer }, pricing));
  }
  return { tokens: prompts.reduce((sum, prompt) => sum + prompt, 0), input, whole };
}

function cost(model: string, { prompt, output }: { prompt: number; output: number }, pricing: Pricing): Nano {
  const buckets = { ...NO_TOKENS, input: prompt, output };
  const parts = [{ model, kind: 'message', buckets }] as const;
  return costOf({ parts, context: prompt, webSearches: 0, fast: false, batch: true, inUs: false }, pricing);
}
