/** A codicon. Decoration only: whatever it means is said in text beside it. */
export function Icon({ name, spin }: { readonly name: string; readonly spin?: boolean }) {
  const spinning = spin ? ' codicon-modifier-spin' : '';
  return <span class={`codicon codicon-${name}${spinning}`} aria-hidden="true" />;
}

interface IconButtonProps {
  readonly icon: string;
  readonly label: string;
  readonly class?: string;
  readonly disabled?: boolean;
  readonly expanded?: boolean;
  onClick(event: MouseEvent): void;
}

/** A button that shows only an icon; its label is its name and its tooltip. */
export function IconButton({ icon, label, disabled, expanded, onClick, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      class={`icon-button ${rest.class ?? ''}`}
      aria-label={label}
      title={label}
      disabled={disabled}
      {...(expanded === undefined ? {} : { 'aria-expanded': expanded })}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
