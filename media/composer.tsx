import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ViewModel } from '../src/protocol/applyOps.ts';
import { Footer } from './footer.tsx';
import { isMention, useInsert, type Field, type FieldInput } from './mention.ts';
import { Inputs, useDrop } from './inputs.tsx';
import { Queue } from './queue.tsx';
import { useRecall } from './recall.ts';
import { useServices } from './services.ts';
import type { View } from './store.ts';

/** How long typing pauses before the host hears of it. */
const TELL_MS = 300;

interface ComposerProps {
  readonly view: View;
  readonly model: ViewModel;
}

/** Where prompts are written. What is typed is kept at every key, whatever becomes of the view. */
export function Composer({ view, model: { rows, state } }: ComposerProps) {
  const { strings, post, loadDraft, saveDraft } = useServices();
  const [text, setText] = useState(loadDraft);
  const field = useRef<HTMLTextAreaElement>(null);
  const tell = useForecastOf(text);
  const change = (next: string): void => {
    setText(next);
    saveDraft(next);
    tell(next);
  };
  const recall = useRecall(rows, text, change);
  useArrivals(view, field, change);
  const canSend = (text.trim() !== '' || state.inputs.length > 0) && !state.readOnly;
  const send = (): void => {
    if (!canSend) return;
    post({ type: 'prompt/submit', text });
    change('');
    recall.forget();
  };
  const onInput = (event: FieldInput): void => {
    change(event.currentTarget.value);
    if (isMention(event)) post({ type: 'input/mention' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // While an input method composes, Enter and the arrows are its own.
    if (event.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      send();
    } else if (recall.handles(event)) event.preventDefault();
  };
  const edit = (index: number): void => {
    const queued = state.queued[index];
    if (queued === undefined) return;
    post({ type: 'prompt/unqueue', index, edit: true });
    change(text.trim() === '' ? queued.text : `${queued.text}\n\n${text}`);
    field.current?.focus();
  };
  return (
    <div class="composer">
      <Queue queued={state.queued} edit={edit} />
      <div class="composer-box">
        <Inputs inputs={state.inputs} />
        <textarea
          class="composer-input"
          ref={field}
          rows={2}
          dir="auto"
          aria-label={strings.messageLabel}
          placeholder={placeholderOf(state, strings)}
          readOnly={state.readOnly}
          value={text}
          onInput={onInput}
          onKeyDown={onKeyDown}
        />
        <Footer state={state} canSend={canSend} send={send} />
      </div>
    </div>
  );
}

/** Tells the host what is being written, not at every key: it says what sending that would cost. */
function useForecastOf(initial: string): (text: string) => void {
  const { post } = useServices();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const told = useRef('');
  const tell = (text: string): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      if (text === told.current) return;
      told.current = text;
      post({ type: 'composer/changed', text });
    }, TELL_MS);
  };
  useEffect(() => {
    tell(initial);
    return () => clearTimeout(timer.current);
  }, []);
  return tell;
}

function placeholderOf(state: ViewModel['state'], strings: ReturnType<typeof useServices>['strings']): string {
  if (state.readOnly) return strings.placeholderReadOnly;
  return state.busy ? strings.placeholderBusy : strings.placeholder;
}

/** Whatever comes from outside: drafts, insertions, drops, and the wish for the focus. */
function useArrivals(view: View, field: Field, change: (text: string) => void): void {
  useReceivedDraft(view, change);
  useInsert(view.insert, field, change);
  useFocusOnRequest(view.focus, field);
  useDrop();
}

/** Puts what the host hands over into the field, once; a draft that is there already stays below it. */
function useReceivedDraft(view: View, change: (text: string) => void): void {
  const { loadDraft } = useServices();
  const taken = useRef(0);
  useLayoutEffect(() => {
    if (view.draft.seq === taken.current) return;
    taken.current = view.draft.seq;
    const typed = loadDraft();
    change(typed.trim() === '' ? view.draft.text : `${view.draft.text}\n\n${typed}`);
  }, [view.draft.seq]);
}

function useFocusOnRequest(request: number, field: Field): void {
  useEffect(() => {
    if (request > 0) field.current?.focus();
  }, [request]);
}
