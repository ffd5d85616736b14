// What a sync found and did: every file has one outcome, and the outcomes add up (SRC-59).
import type { Skipped } from '../model/coverage.ts';

export interface SyncReport {
  readonly files: {
    readonly found: number;
    readonly imported: number;
    readonly unchanged: number;
    /** At most 1 000 are listed; all are counted. */
    readonly skipped: readonly Skipped[];
    readonly skippedTotal: number;
    readonly failed: readonly Skipped[];
    readonly failedTotal: number;
  };
  readonly entries: { readonly added: number; readonly changed: number; readonly erased: number };
  /** Sessions deleted because an exclude rule now matches them (SRC-52). */
  readonly excluded: number;
  /** Bytes of the host's files that were handed over. */
  readonly bytes: number;
  readonly roots: readonly SyncRoot[];
  /** Files left over when the time was up (SRC-41). */
  readonly left: number;
  readonly durationMs: number;
}

export interface SyncRoot {
  readonly source: string;
  readonly root: string;
  /** `ok`, or why nothing was read from it. */
  readonly state:
    | 'ok'
    | 'off'
    | 'root_not_found'
    | 'root_unreadable'
    | 'present_but_unread'
    | 'no_reader'
    | 'busy'
    | 'store_failed';
  readonly agentId?: string;
  readonly files?: number;
  readonly unread?: number;
  readonly reasons?: Readonly<Record<string, number>>;
  readonly detail?: string;
  /** Of `unread`, those left over when the time was up. */
  readonly left?: number;
}

const MAX_LISTED = 1_000;

type RootName = Pick<SyncRoot, 'source' | 'root'>;

interface Unread {
  unread: number;
  left: number;
  readonly reasons: Record<string, number>;
}

/** Gathers outcomes; `done` makes the report. */
export class Tallying {
  found = 0;
  imported = 0;
  unchanged = 0;
  left = 0;
  bytes = 0;
  excluded = 0;
  readonly entries: { added: number; changed: number; erased: number } = { added: 0, changed: 0, erased: 0 };
  readonly roots: SyncRoot[] = [];
  readonly #skipped: Skipped[] = [];
  readonly #failed: Skipped[] = [];
  readonly #unread = new Map<string, Unread>();
  #skippedTotal = 0;
  #failedTotal = 0;

  skip(what: string, reason: string, of: RootName): void {
    this.#skippedTotal++;
    this.#count(of, reason);
    if (this.#skipped.length < MAX_LISTED) this.#skipped.push({ what, reason });
  }

  /** A file that is left for the next call. */
  leave(what: string, of: RootName): void {
    this.left++;
    this.skip(what, 'budget', of);
    this.#unreadOf(of).left++;
  }

  fail(what: string, reason: string, of: RootName): void {
    this.#failedTotal++;
    this.#count(of, reason);
    if (this.#failed.length < MAX_LISTED) this.#failed.push({ what, reason });
  }

  #unreadOf({ source, root }: RootName): Unread {
    const name = `${source}\n${root}`;
    const known = this.#unread.get(name) ?? { unread: 0, left: 0, reasons: {} };
    this.#unread.set(name, known);
    return known;
  }

  // By the reason alone: what it says of one file in brackets would make a list of its own.
  #count(of: RootName, reason: string): void {
    const unread = this.#unreadOf(of);
    const short = reason.split(' ', 1)[0]!;
    unread.unread++;
    unread.reasons[short] = (unread.reasons[short] ?? 0) + 1;
  }

  /** The root with what was counted of its files. */
  #counted(root: SyncRoot): SyncRoot {
    const { unread, left, reasons } = this.#unreadOf(root);
    if (unread === 0) return root;
    return {
      ...root,
      unread: (root.unread ?? 0) + unread,
      reasons: { ...root.reasons, ...reasons },
      ...(left === 0 ? {} : { left }),
    };
  }

  done(durationMs: number): SyncReport {
    return {
      files: {
        found: this.found,
        imported: this.imported,
        unchanged: this.unchanged,
        skipped: this.#skipped,
        skippedTotal: this.#skippedTotal,
        failed: this.#failed,
        failedTotal: this.#failedTotal,
      },
      entries: { ...this.entries },
      excluded: this.excluded,
      bytes: this.bytes,
      roots: this.roots.map((root) => this.#counted(root)),
      left: this.left,
      durationMs: Math.round(durationMs),
    };
  }
}

/** The same with masked paths: a folder's name may hold what a mask hides (MASK-15). */
export function maskedReport(report: SyncReport, mask: (text: string) => string): SyncReport {
  const masked = (list: readonly Skipped[]): Skipped[] =>
    list.map(({ what, reason }) => ({ what: mask(what), reason }));
  const { files } = report;
  return { ...report, files: { ...files, skipped: masked(files.skipped), failed: masked(files.failed) } };
}
