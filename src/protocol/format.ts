/** Fills `{0}`, `{1}`, … of a template. A number without an argument stays as it is. */
export function format(template: string, ...args: readonly (string | number)[]): string {
  return template.replace(/\{(\d+)\}/g, (whole, index: string) => {
    const argument = args[Number(index)];
    return argument === undefined ? whole : String(argument);
  });
}
