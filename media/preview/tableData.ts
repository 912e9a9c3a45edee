/** The beginning of a table, as texts. */
export interface TableData {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** These are all rows. */
  readonly complete: boolean;
  /** Columns of the whole table; more than there are here when it is very wide. */
  readonly columnCount: number;
  /** Rows of the whole table, where that is known without reading it. */
  readonly rowCount?: number;
}

export const MOST_ROWS = 10_000;
export const MOST_COLUMNS = 256;
