import type { ViewState } from '../src/protocol/messages.ts';
import { Icon, IconButton } from './icon.tsx';
import { useServices } from './services.ts';
import { ContextMeter } from './usage/contextMeter.tsx';
import { Forecast } from './usage/forecast.tsx';

interface FooterProps {
  readonly state: ViewState;
  readonly canSend: boolean;
  send(): void;
}

/** Mode, model, context, and the button that sends or stops. */
export function Footer({ state, canSend, send }: FooterProps) {
  const { strings, post } = useServices();
  const model = state.models.find(({ id }) => id === state.model)?.label ?? state.model;
  return (
    <div class="footer">
      <span class="footer-mode" title={strings.modeAskHint}>
        <Icon name="shield" /> {strings.modeAsk}
      </span>
      <button
        type="button"
        class="footer-model"
        title={strings.chooseModel}
        aria-label={`${strings.chooseModel}: ${model || strings.noModel}`}
        onClick={() => post({ type: 'model/choose' })}
      >
        <span class="footer-model-name">{model || strings.noModel}</span>
        <Icon name="chevron-down" />
      </button>
      <IconButton icon="attach" label={strings.attach} onClick={() => post({ type: 'input/pick' })} />
      <ContextMeter state={state} />
      {state.usage?.forecast && <Forecast forecast={state.usage.forecast} />}
      {state.busy && (
        <IconButton icon="debug-stop" class="stop" label={strings.stop} onClick={() => post({ type: 'turn/stop' })} />
      )}
      {(!state.busy || canSend) && (
        <IconButton
          icon="arrow-up"
          class="send"
          label={state.busy ? strings.queue : strings.send}
          disabled={!canSend}
          onClick={send}
        />
      )}
    </div>
  );
}
