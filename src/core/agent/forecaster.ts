import type { MessageParam } from '@anthropic-ai/sdk/resources/messages/messages';
import { isAnthropic } from '../cost/address.ts';
import { foresee } from '../cost/forecast.ts';
import type { Ledger } from '../cost/ledger.ts';
import { tokensOf, tokensOfFile, weigh } from '../cost/weight.ts';
import type { Disposable } from '../base/disposable.ts';
import type { Clock, Logger, ModelPort, ModelRequest, SessionLog } from '../ports.ts';
import { foldConversation, type Conversation } from '../session/fold.ts';
import type { ForecastView } from '../../protocol/usage.ts';
import type { KnownModel } from './context.ts';
import { nextEpoch } from './epoch.ts';
import type { PrefixSource } from './prefix.ts';
import { nextRequest } from './nextRequest.ts';
import type { ChosenFile } from './tray.ts';

/** Says what the message in the composer would cost, while it is being written. Never while a turn runs. */
export interface Forecaster extends Disposable {
  /** The composer's text changed. */
  typed(text: string): void;
  /** Other files, another session, model or configuration, or a turn that began or ended: what was foreseen no longer holds. */
  reset(): void;
  readonly view: ForecastView | null;
}

/** What a forecast is made from, as it is now. */
export interface ForecastSource extends PrefixSource {
  readonly log: SessionLog | undefined;
  readonly ledger: Ledger;
  /** The model that is going to answer, and what is known of it. */
  readonly model: string;
  readonly info: KnownModel;
  readonly busy: boolean;
}

export interface ForecasterDeps {
  readonly model: ModelPort;
  readonly clock: Clock;
  readonly logger: Logger;
  source(): ForecastSource;
  /** What goes with the message. Nothing of it is sent to be counted. */
  files(): readonly ChosenFile[];
  changed(): void;
}

/** The API counts when nothing was typed for so long: its own limit is some thousand counts a minute for everyone. */
const QUIET_MS = 700;
const COUNT_TIMEOUT_MS = 10_000;
const REMEMBERED = 16;
/** What Claude is told of a file in the container. */
const NOTED_TOKENS = 100;

export function createForecaster(deps: ForecasterDeps): Forecaster {
  return new ComposerForecaster(deps);
}

class ComposerForecaster implements Forecaster {
  readonly #deps: ForecasterDeps;
  /** Counts by what was counted, newest last. */
  readonly #counts = new Map<string, number>();
  #text = '';
  #view: ForecastView | null = null;
  #timer: Disposable | undefined;
  #asking: AbortController | undefined;

  constructor(deps: ForecasterDeps) {
    this.#deps = deps;
  }

  get view(): ForecastView | null {
    return this.#view;
  }

  typed(text: string): void {
    this.#text = text.trim();
    this.reset();
  }

  reset(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#asking?.abort();
    const source = this.#deps.source();
    const isEmpty = this.#text === '' && this.#deps.files().length === 0;
    const nothing = isEmpty || source.busy || source.model === '';
    const counted = nothing ? undefined : this.#counts.get(keyOf(source, this.#text));
    this.#show(nothing ? null : this.#forecast(source, counted));
    if (nothing || this.#text === '' || counted !== undefined || !source.config.hasKey) return;
    this.#timer = this.#deps.clock.timer(QUIET_MS, () => void this.#count());
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#asking?.abort();
  }

  async #count(): Promise<void> {
    const source = this.#deps.source();
    if (source.busy) return;
    const request = requestOf(source, this.#text);
    const key = keyOf(source, this.#text);
    const asking = (this.#asking = new AbortController());
    const deadline = this.#deps.clock.timer(COUNT_TIMEOUT_MS, () => asking.abort());
    try {
      const tokens = await this.#deps.model.countTokens(request, asking.signal);
      if (tokens === undefined || asking.signal.aborted) return;
      this.#remember(key, tokens);
      if (keyOf(this.#deps.source(), this.#text) === key) this.#show(this.#forecast(source, tokens));
    } catch (error) {
      // The estimate stands; the request itself will meet whatever is wrong.
      if (!asking.signal.aborted) this.#deps.logger.trace(`Tokens were not counted: ${String(error)}`);
    } finally {
      deadline.dispose();
    }
  }

  #forecast(source: ForecastSource, counted: number | undefined): ForecastView {
    const { ledger, config, model } = source;
    const files = tokensOfFiles(this.#deps.files());
    const typed = tokensOf(this.#text.length) + prefixTokens(source) + files;
    const { prompt, nano } = foresee({
      ...{ ledger, model, now: this.#deps.clock.now(), typed },
      pricing: { own: config.prices, listed: isAnthropic(config.baseUrl) },
      ...(counted === undefined ? {} : { counted: counted + files }),
    });
    return { tokens: prompt, nano: nano ?? null, counted: counted !== undefined && files === 0 };
  }

  #remember(key: string, tokens: number): void {
    this.#counts.set(key, tokens);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > REMEMBERED && oldest !== undefined) this.#counts.delete(oldest);
  }

  #show(view: ForecastView | null): void {
    if (JSON.stringify(view) === JSON.stringify(this.#view)) return;
    this.#view = view;
    this.#deps.changed();
  }
}

/** Of one for the container only its name is sent. */
function tokensOfFiles(files: readonly ChosenFile[]): number {
  const all = files.map(({ file, use }) =>
    use === 'container' ? NOTED_TOKENS : tokensOfFile(file.content, file.size),
  );
  return all.reduce((sum, tokens) => sum + tokens, 0);
}

/** The request that this text would make. */
function requestOf(source: ForecastSource, text: string): ModelRequest {
  const typed: MessageParam = { role: 'user', content: [{ type: 'text', text }] };
  return nextRequest(source, conversationOf(source), { id: source.model, info: source.info }, [typed]);
}

/** Before the session's first answer nothing was counted yet: what its prefix has comes on top of what is typed. */
function prefixTokens(source: ForecastSource): number {
  if (source.ledger.context.tokens > 0) return 0;
  const { system, tools } = nextEpoch(source, conversationOf(source), { id: source.model, info: source.info });
  return tokensOf(weigh(system) + weigh(tools));
}

function conversationOf({ log }: ForecastSource): Conversation {
  return foldConversation(log?.entries() ?? []);
}

function keyOf({ log, model, config }: ForecastSource, text: string): string {
  return [config.baseUrl, model, log?.header.id, log?.entries().at(-1)?.id, text].join('\n');
}
