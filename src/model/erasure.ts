// What every erasure reports: what went, what came back, and what was looked for again afterwards (SUR-73).

export interface EraseReceipt {
  readonly deleted: {
    readonly sessions: number;
    readonly entries: number;
    /** Records of memory that the selector reached, without candidates. */
    readonly records: number;
    readonly candidates: number;
    /** Records that were made from them (EPI-132). */
    readonly derived: number;
    /** Runs that waited for a person. */
    readonly parked: number;
    readonly indexRows: number;
    readonly runIndexes: number;
    /** Of text and data, in UTF-8. */
    readonly bytes: number;
  };
  /** What the selector names and was kept, such as sessions of several people. */
  readonly kept: readonly string[];
  /** Records that a deleted summary had superseded, active again. */
  readonly revived: number;
  readonly verified: {
    readonly rows: number;
    readonly index: number;
    /** `pending`: a reader holds the write-ahead log; the next write finishes it. */
    readonly file: 'absent' | 'pending' | 'found';
  };
  /** Runs started before it are not recorded (EPI-135). */
  readonly barrierAt?: string;
  readonly dryRun: boolean;
}
