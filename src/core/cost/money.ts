const NANO = 1_000_000_000;

/** US dollars in words, for texts that have no locale to follow: two digits that mean something where it is little. */
export function dollars(value: number): string {
  return `$${value < 0.1 ? value.toPrecision(2) : value.toFixed(2)}`;
}

/** The same for whole nanodollars. */
export function dollarsOf(nano: number): string {
  return dollars(nano / NANO);
}
