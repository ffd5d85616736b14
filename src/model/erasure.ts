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

export const NOTHING_DELETED: EraseReceipt['deleted'] = {
  sessions: 0,
  entries: 0,
  records: 0,
  candidates: 0,
  derived: 0,
  parked: 0,
  indexRows: 0,
  runIndexes: 0,
  bytes: 0,
};

/** The receipt of two erasures together: counts added, and of what was found in files the worse. */
export function bothReceipts(a: EraseReceipt, b: EraseReceipt): EraseReceipt {
  const names = Object.keys(NOTHING_DELETED) as (keyof EraseReceipt['deleted'])[];
  const files = [a.verified.file, b.verified.file];
  const barriers = [a.barrierAt, b.barrierAt].filter((at) => at !== undefined).sort();
  return {
    deleted: Object.fromEntries(names.map((name) => [name, a.deleted[name] + b.deleted[name]])) as typeof a.deleted,
    kept: [...a.kept, ...b.kept],
    revived: a.revived + b.revived,
    verified: {
      rows: a.verified.rows + b.verified.rows,
      index: a.verified.index + b.verified.index,
      file: files.includes('found') ? 'found' : files.includes('pending') ? 'pending' : 'absent',
    },
    ...(barriers.length === 0 ? {} : { barrierAt: barriers.at(-1)! }),
    dryRun: a.dryRun,
  };
}
