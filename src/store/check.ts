// What a look at one store's own health found: of the rows, of the index, and of how they agree (SUR-70).

export interface StoreCheck {
  /** What the engine says of the file; empty: it is sound. */
  readonly damage: readonly string[];
  /** What the full-text index says of itself; empty: it is sound. */
  readonly index: readonly string[];
  /** Texts that should be in the index and are not. */
  readonly missing: number;
  /** Index rows without a text. */
  readonly orphans: number;
  /** Sessions whose counters are not what their rows say. */
  readonly counters: number;
  /** Rows that no scope can judge (VIS-44). */
  readonly unjudged: number;
  /** Sessions that have people of more than one person (VIS-63). */
  readonly shared: number;
  /** Sessions that wait to be indexed anew. */
  readonly dirty: number;
  readonly bytes: number;
}
