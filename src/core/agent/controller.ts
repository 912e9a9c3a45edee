import * as l10n from '@vscode/l10n';
import { Emitter } from '../base/event.ts';
import { createSerial } from '../base/serial.ts';
import { messageOf } from '../errors.ts';
import type { ModelInfo, SessionLog } from '../ports.ts';
import type { LiveEvent } from '../session/live.ts';
import { noticeForTurnEnd } from '../session/notices.ts';
import type { Op, ViewState } from '../../protocol/messages.ts';
import { turnContext, type TurnContext } from './context.ts';
import type { ControllerDeps, SessionController, SessionFiles, SkillChoice } from './controllerTypes.ts';
import { createActivity, type Activity } from './activity.ts';
import { compactByHand } from './compactByHand.ts';
import { wordsToContinue } from './continuing.ts';
import { removeItems } from './doctor.ts';
import { openBehindFirstScreen, type OpeningView } from './firstScreen.ts';
import { createForecaster, type Forecaster, type ForecastSource } from './forecaster.ts';
import { NO_CONFIG } from './noConfig.ts';
import { asMessage, createOutbox, type Message, type Offered, type Outbox } from './outbox.ts';
import { createPatches, type Patches } from './patches.ts';
import { closeTurn } from './recovery.ts';
import { sendMessage } from './sending.ts';
import { createSession, type Asked, type Session } from './session.ts';
import { createSessionContainers, type Shown } from './sessionContainers.ts';
import { createSessionFiles, showThumbnails } from './sessionFiles.ts';
import { createSkillChoice } from './skillChoice.ts';
import type { Tray } from './tray.ts';
import { runTurn } from './turn.ts';
import { buildViewState, modelOf } from './viewState.ts';

const MODELS_TIMEOUT_MS = 15_000;

/** Creates the controller with a new, empty session; nothing is written before the first message. */
export function createSessionController(deps: ControllerDeps): SessionController {
  return new Controller(deps);
}

class Controller implements SessionController {
  readonly #deps: ControllerDeps;
  readonly #patches: Patches;
  readonly #announce: Emitter<string>;
  readonly #attention: Emitter<Asked>;
  readonly #forecaster: Forecaster;
  readonly #refusedVersions = new Set<string>();
  #session: Session;
  #config = NO_CONFIG;
  #models: readonly ModelInfo[] = [];
  readonly #activity: Activity;
  readonly #outbox: Outbox;
  readonly tray: Tray;
  #notices = 0;
  /** One change of the session at a time. */
  readonly #switching = createSerial();
  #disposed = false;
  readonly files: SessionFiles = createSessionFiles(
    () => this.#session,
    (session, log) => this.#context(session, log),
  );
  readonly #shown: Shown = {
    ...{ session: () => this.#session, busy: () => this.#activity.busy },
    ...{ log: (session) => this.#logOf(session), context: (session, log) => this.#context(session, log) },
  };
  readonly skills: SkillChoice = createSkillChoice(this.#shown);
  readonly containers = createSessionContainers(this.#shown);
  /** What a notice's buttons do, by the action's name. */
  readonly #noticeActions = new Map<string, (id: string) => Promise<void>>([
    ['retry', () => this.continueTurn()],
    ['continue', () => this.continueTurn()],
    ['cancelRetry', () => this.stop()],
    ['newSession', () => this.newSession()],
    ['compact', () => this.#summarize().then((done) => (done ? this.continueTurn() : undefined))],
    ['removeItems', (id) => this.#removeItems(id)],
  ]);

  constructor(deps: ControllerDeps) {
    this.#deps = deps;
    const onError = (error: unknown): void => deps.logger.error('A listener failed', error);
    this.#patches = createPatches(deps.clock, onError);
    this.#announce = new Emitter(onError);
    this.#attention = new Emitter(onError);
    this.#activity = createActivity(deps.clock, () => this.#showState());
    this.#outbox = createOutbox(deps.ids, () => this.#showAnew());
    this.tray = this.#outbox.tray;
    this.#session = this.#emptySession();
    this.#forecaster = createForecaster({
      ...{ model: deps.model, clock: deps.clock, logger: deps.logger, files: () => this.tray.chosen() },
      source: () => this.#forecastSource(),
      changed: () => this.#showState(),
    });
    this.#patches.reset([], this.#state());
  }

  get onPatch(): SessionController['onPatch'] {
    return this.#patches.onPatch;
  }

  get onAnnounce(): SessionController['onAnnounce'] {
    return this.#announce.event;
  }

  get onAttention(): SessionController['onAttention'] {
    return this.#attention.event;
  }

  snapshot = (): ReturnType<SessionController['snapshot']> => this.#patches.snapshot();

  async submit(text: string, files?: readonly Offered[]): Promise<void> {
    await this.#switching.settled();
    const message = this.#outbox.compose(text, files);
    if (message === undefined) return;
    if (!this.#activity.busy) return this.#start(message);
    this.#outbox.queue(message);
    this.#showState();
  }

  composerChanged = (text: string): void => this.#forecaster.typed(text);

  unqueue(index: number, edit: boolean): void {
    this.#outbox.unqueue(index, edit);
    this.#showState();
  }

  stop(): Promise<void> {
    return this.#activity.stop();
  }

  async continueTurn(): Promise<void> {
    await this.#switching.settled();
    if (this.#activity.busy || this.#session.log === undefined) return;
    await this.#start(asMessage(wordsToContinue(this.#session.log.entries())));
  }

  async compact(): Promise<void> {
    await this.#summarize();
  }

  newSession(): Promise<void> {
    return this.#switching.run(async () => {
      await this.#leave();
      this.#replace(this.#emptySession());
      await this.refresh();
    });
  }

  openSession(id: string): Promise<void> {
    return this.#switching.run(() => this.#open(id));
  }

  log = (): SessionLog | undefined => this.#session.log;

  sessions = (): ReturnType<SessionController['sessions']> => this.#deps.logs.list();

  answerApproval(id: string, choice: 'allow' | 'deny', message?: string): void {
    if (!this.#session.approvals.answer(id, choice, message))
      this.#deps.logger.warn('An answer for no waiting approval was ignored');
  }

  openDiff = (id: string): void => this.#session.approvals.openDiff(id);

  noticeAction(id: string, action: string): void {
    if (this.#session.questions.answer(id, action)) return;
    const run = this.#noticeActions.get(action);
    if (run === undefined) this.#deps.logger.warn(`The notice ${id} has no action ${action} here`);
    else run(id).catch((error: unknown) => this.#fail(error));
  }

  async #removeItems(noticeId: string): Promise<void> {
    const { log } = this.#session;
    if (this.#activity.busy || log === undefined) return;
    if (await removeItems(this.#context(this.#session, log), noticeId)) await this.continueTurn();
  }

  async refresh(): Promise<void> {
    await this.#readConfig();
    this.#showState();
    // The list of models comes over the network: nobody waits for it.
    if (this.#config.hasKey) void this.#loadModels();
  }

  dispose(): void {
    this.#disposed = true;
    this.#activity.abort();
    this.#forecaster.dispose();
    this.#session.dispose();
    this.#patches.dispose();
    this.#announce.dispose();
    this.#attention.dispose();
  }

  /** Records the message and starts a turn on it; resolves when the message is in the log. */
  async #start(message: Message | undefined): Promise<void> {
    const session = this.#session;
    const { signal, end } = this.#begin(l10n.t('Preparing'));
    let context: TurnContext;
    try {
      await this.#readConfig();
      context = this.#context(session, await this.#logOf(session));
      if (message !== undefined) await sendMessage(context, this.#deps.editorContext, message, signal);
    } catch (error) {
      // Nothing that was typed is lost.
      if (message !== undefined) this.#outbox.putBack(message);
      this.#finish(end);
      if (!signal.aborted) this.#fail(error);
      return;
    }
    void this.#run(context, signal, end);
  }

  async #run(context: TurnContext, signal: AbortSignal, end: () => void): Promise<void> {
    let failed = true;
    try {
      const ended = await runTurn(context, signal);
      failed = ended.outcome === 'failed';
      this.#announce.fire(noticeForTurnEnd(ended)?.title ?? l10n.t('Claude has finished.'));
    } catch (error) {
      context.emit({ type: 'settled' });
      this.#fail(error);
    }
    this.#finish(end);
    // After Stop or a failure the queue is for the user to decide on.
    const next = signal.aborted || failed ? undefined : this.#outbox.next();
    if (next !== undefined) await this.#start(next);
  }

  #begin(phase: string): ReturnType<Activity['begin']> {
    const begun = this.#activity.begin(phase);
    this.#showAnew();
    return begun;
  }

  #finish(end: () => void): void {
    end();
    this.#showAnew();
  }

  /** True when there is a new summary, and the conversation goes on from it. Does nothing while a turn runs. */
  async #summarize(): Promise<boolean> {
    await this.#switching.settled();
    const session = this.#session;
    if (this.#activity.busy || session.log === undefined) return false;
    const { signal, end } = this.#begin(l10n.t('Summarizing the conversation'));
    let done = false;
    try {
      await this.#readConfig();
      const result = await compactByHand(this.#context(session, session.log), signal);
      done = result === undefined;
      this.#announce.fire(result ?? l10n.t('The conversation was summarized.'));
      if (result !== undefined) this.#notice('warning', l10n.t('The conversation was not summarized.'), result);
    } catch (error) {
      this.#fail(error);
    }
    this.#finish(end);
    const next = done ? this.#outbox.next() : undefined;
    if (next !== undefined) await this.#start(next);
    return done;
  }

  async #readConfig(): Promise<void> {
    this.#config = await this.#deps.config();
    this.#session.account.reprice(this.#config);
    this.#forecaster.reset();
  }

  async #logOf(session: Session): Promise<SessionLog> {
    session.log ??= await this.#deps.logs.create(this.#config.folders);
    return session.log;
  }

  #context(session: Session, log: SessionLog): TurnContext {
    return turnContext(this.#deps, session, {
      log,
      config: this.#config,
      refusedVersions: this.#refusedVersions,
      emit: (event) => this.#emit(session, event),
      phase: (text) => this.#activity.say(text),
    });
  }

  // --- The view ------------------------------------------------------------------------------------------------------

  #emit(session: Session, event: LiveEvent): void {
    const ops = session.apply(event);
    if (session !== this.#session) return;
    this.#patches.push(ops);
    if (event.type === 'entry') this.#showState();
  }

  #state(): ViewState {
    const log = this.#session.log;
    return buildViewState(this.#session.facts(), {
      ...{ source: this.#forecastSource(), models: this.#models },
      busy: this.#activity.busy,
      phase: this.#activity.phase,
      waiting: this.#session.approvals.waiting + this.#session.questions.waiting,
      queued: this.#outbox.queued(),
      inputs: this.#outbox.tray.view(),
      sessionId: log?.header.id ?? '',
      readOnly: log?.readOnly ?? false,
      contextTokens: this.#session.account.ledger().context.tokens,
      // The first state is made before there is a forecaster.
      usage: this.#session.account.view((this.#forecaster as Forecaster | undefined)?.view ?? null),
    });
  }

  #forecastSource(): ForecastSource {
    const { log, account, tools, skills } = this.#session;
    const model = modelOf(this.#config, this.#models, this.#session.facts());
    const info = this.#models.find(({ id }) => id === model);
    const source = { config: this.#config, tools, skills, refusedVersions: this.#refusedVersions };
    return { ...source, log, ledger: account.ledger(), model, info, busy: this.#activity.busy };
  }

  #showAnew(): void {
    this.#forecaster.reset();
    this.#showState();
  }

  #showState(): void {
    this.#patches.push([{ op: 'state', state: this.#state() }] satisfies Op[]);
  }

  #notice(severity: 'info' | 'warning' | 'error', title: string, detail?: string): void {
    this.#notices += 1;
    const id = `n:live-${String(this.#notices)}`;
    this.#emit(this.#session, { type: 'notice', id, severity, title, ...(detail === undefined ? {} : { detail }) });
  }

  #fail(error: unknown): void {
    this.#deps.logger.error('The turn could not go on', error);
    this.#notice('error', l10n.t('The turn could not go on.'), messageOf(error));
  }

  // --- Sessions ------------------------------------------------------------------------------------------------------

  #emptySession(): Session {
    return createSession(this.#deps, {
      emit: (session, event) => this.#emit(session, event),
      changed: (session, asked) => session === this.#session && this.#waitingChanged(asked),
    });
  }

  #waitingChanged(asked: Asked | undefined): void {
    this.#showState();
    if (asked === undefined) return;
    this.#announce.fire(asked.says ?? l10n.t('Waiting for your approval: {0}', asked.title));
    this.#attention.fire({ callId: asked.callId, title: asked.title });
  }

  async #open(id: string): Promise<void> {
    const current = this.#session.log;
    // One that could only be read is opened again: the other window may have let go of it, or have written more.
    if (current?.header.id === id && !current.readOnly) return;
    const log = await openBehindFirstScreen(this.#deps.logs, id, this.#session.tools, this.#openingView());
    await this.#leave();
    if (this.#disposed) return log.dispose();
    const session = this.#emptySession();
    session.account.reprice(this.#config);
    session.log = log;
    const problem = await closeTurn(log, session.tools, this.#deps.ids);
    for (const entry of log.entries()) session.apply({ type: 'entry', entry });
    if (problem !== undefined) session.apply({ type: 'settled' });
    this.#replace(session);
    for (const repair of log.repairs) this.#notice('warning', repair);
    if (problem !== undefined) this.#fail(problem);
    await this.refresh();
    const view = { isShown: () => session === this.#session, emit: (event: LiveEvent) => this.#emit(session, event) };
    void showThumbnails(session, this.#deps.thumbnail, view);
  }

  /** Not while a turn runs: its rows go on changing until it is stopped. */
  #openingView(): OpeningView | undefined {
    if (this.#activity.busy) return undefined;
    return {
      show: (rows) => this.#patches.reset(rows, { ...this.#state(), phase: l10n.t('Opening the session') }),
      restore: () => this.#patches.reset(this.#session.rows(), this.#state()),
    };
  }

  async #leave(): Promise<void> {
    this.#outbox.clearQueue();
    await this.stop();
  }

  #replace(session: Session): void {
    this.#session.dispose();
    this.#session = session;
    session.account.reprice(this.#config);
    this.#forecaster.reset();
    this.#patches.reset(session.rows(), this.#state());
  }

  async #loadModels(): Promise<void> {
    try {
      this.#models = await this.#deps.model.models(AbortSignal.timeout(MODELS_TIMEOUT_MS));
      this.#showState();
    } catch (error) {
      this.#deps.logger.info(`The list of models is not to be had now: ${messageOf(error)}`);
    }
  }
}
