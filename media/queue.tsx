import type { QueuedView } from '../src/protocol/inputs.ts';
import { Icon, IconButton } from './icon.tsx';
import { useServices } from './services.ts';

interface QueueProps {
  readonly queued: readonly QueuedView[];
  /** Takes the message back into the field. */
  edit(index: number): void;
}

/** Messages that were typed while a turn runs; each can be edited or dropped until it is sent. */
export function Queue({ queued, edit }: QueueProps) {
  const { strings, post } = useServices();
  if (queued.length === 0) return null;
  return (
    <ul class="queue" aria-label={strings.queued}>
      {queued.map(({ text, files }, index) => (
        <li key={index} class="queue-item">
          <span class="queue-text" dir="auto" title={text}>
            {text}
          </span>
          {files.length > 0 && (
            <span class="chip-size" title={files.join('\n')}>
              <Icon name="attach" /> {files.length}
            </span>
          )}
          <IconButton icon="edit" label={strings.editQueued} onClick={() => edit(index)} />
          <IconButton
            icon="close"
            label={strings.removeQueued}
            onClick={() => post({ type: 'prompt/unqueue', index })}
          />
        </li>
      ))}
    </ul>
  );
}
