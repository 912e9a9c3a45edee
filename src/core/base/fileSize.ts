/** Bytes for people, in steps of 1024. `language` is BCP 47; empty for what is no size. */
export function fileSize(bytes: number, language: string): string {
  if (!Number.isFinite(bytes) || bytes < 0) return '';
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  const digits = unit > 0 && value < 10 ? 1 : 0;
  const amount = new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value);
  return `${amount} ${String(units[unit])}`;
}
