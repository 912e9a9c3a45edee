/** A rule of the API or a case from the field, which a test has to show. */
export interface Row {
  /** As tests name it in their titles: `C35`, `F10`, `XA12`. */
  readonly id: string;
  readonly says: string;
  /** The issue that builds what the rule is about; `5+` where none is filed yet. A row with this must have no test. */
  readonly later?: string;
  /** Why the rule can't concern this client. A row with this must have no test. */
  readonly notApplicable?: string;
}
