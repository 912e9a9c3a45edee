import type { Once } from './store.ts';

/** The one live region of the view: short sentences on discrete events, never streaming text. */
export function Announcer({ announcement }: { readonly announcement: Once }) {
  // A new element for each sentence, so that the same sentence twice is read twice.
  return (
    <div class="visually-hidden" role="status">
      <span key={announcement.seq}>{announcement.text}</span>
    </div>
  );
}
