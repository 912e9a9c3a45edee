import type { ViewState } from '../src/protocol/messages.ts';
import { format } from '../src/protocol/strings.ts';
import { number, tokenCount } from './format.ts';
import { Icon, IconButton } from './icon.tsx';
import { useServices } from './services.ts';

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
      <ContextMeter state={state} />
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

function ContextMeter({ state: { contextTokens, contextLimit } }: { readonly state: ViewState }) {
  const { strings, language } = useServices();
  if (contextTokens <= 0) return <span class="footer-space" />;
  const used = number(contextTokens, language);
  const label = contextLimit
    ? format(strings.contextOf, used, number(contextLimit, language))
    : format(strings.contextUsed, used);
  const percent = contextLimit ? Math.min(100, Math.round((contextTokens / contextLimit) * 100)) : undefined;
  return (
    <span class="footer-space footer-context" title={label}>
      <span class="visually-hidden">{label}</span>
      <span aria-hidden="true">{percent === undefined ? tokenCount(contextTokens, language) : `${percent}%`}</span>
    </span>
  );
}
