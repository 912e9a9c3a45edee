/** Whether code in a container of this version can call tools (Messages API, "Programmatic tool calling"). */
export function isProgrammable(codeExecution: string): boolean {
  return dateOf(codeExecution) >= 20_260_120;
}

/** Whether this is a version of a web tool that filters results by code before Claude reads them. */
export function filtersByCode(version: string): boolean {
  return version.startsWith('web_') && dateOf(version) >= 20_260_209;
}

/** Who may call a web tool: where a model's code can't, that has to be said, in versions that know callers. */
export function callersOf(version: string, programmatic: boolean): { readonly allowed_callers?: readonly string[] } {
  return filtersByCode(version) && !programmatic ? { allowed_callers: ['direct'] } : {};
}

/** The date at the end of a tool's version, as a number. */
function dateOf(version: string): number {
  return Number(/_(\d{8})$/.exec(version)?.[1] ?? 0);
}
