/** Another model that Claude may ask for advice. */
export interface AdvisorWish {
  /** A model id, or '' for none. */
  readonly model: string;
  /** Calls in one request. */
  readonly maxUses: number;
}

export const NO_ADVISOR: AdvisorWish = { model: '', maxUses: 3 };
