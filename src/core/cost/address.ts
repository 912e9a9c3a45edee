/** Whether requests go to Anthropic itself: only there its list prices and its cache diagnostics hold. */
export function isAnthropic(baseUrl: string): boolean {
  return baseUrl === '' || /^https:\/\/api\.anthropic\.com(?::443)?(?:\/|$)/i.test(baseUrl);
}
