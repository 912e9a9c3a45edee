import { useEffect, useRef, useState } from 'preact/hooks';
import { useServices } from '../services.ts';

interface MessageFormProps {
  send(message: string): void;
  cancel(): void;
}

/** The text that goes with a refusal. Enter sends, Shift+Enter breaks the line, Escape goes back. */
export function MessageForm({ send, cancel }: MessageFormProps) {
  const { strings } = useServices();
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (): void => {
    if (text.trim() !== '') send(text.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      cancel();
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      submit();
    }
  };
  return (
    <div class="message-form">
      <textarea
        class="input"
        rows={2}
        ref={field}
        aria-label={strings.denyMessageLabel}
        placeholder={strings.denyMessagePlaceholder}
        dir="auto"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="approval-buttons">
        <button type="button" class="button" disabled={text.trim() === ''} onClick={submit}>
          {strings.sendMessage}
        </button>
        <button type="button" class="button button-secondary" onClick={cancel}>
          {strings.cancel}
        </button>
      </div>
    </div>
  );
}
