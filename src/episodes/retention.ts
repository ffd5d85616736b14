// Pruning by an operator: what expired, what is beyond the budgets, what is older than asked (EPI-60 … EPI-68). Runs when
// it is asked to; no timer does.
import { MEMORY_KINDS, type MemoryKind, type SourceType } from '../model/episode.ts';
import { BackstoryError } from '../model/errors.ts';
import { formatInstant } from '../model/time.ts';
import type { MemoryStore } from '../store/memory.ts';
import { type NamespacesNamed, namespacesWithin } from './review.ts';

export interface PruneOptions extends NamespacesNamed {
  /** In place of the configured budgets; 0 keeps none. */
  readonly cap?: number;
  readonly authoredCap?: number;
  /** Event time before this instant, ms; needs `source` or `kind`. */
  readonly olderThan?: number;
  readonly source?: 'run' | 'tool';
  readonly kind?: MemoryKind;
  readonly dryRun?: boolean;
}

export interface PruneReport {
  readonly now: string;
  readonly expired: number;
  readonly overCap: number;
  readonly older: number;
  readonly parkedExpired: number;
  /** How many were looked at. */
  readonly namespaces: number;
  readonly dryRun: boolean;
}

/** Thrown inside a transaction to undo it: a dry run counts what the real one would delete, by deleting it. */
class Undo extends Error {
  readonly counts: Counts;
  constructor(counts: Counts) {
    super('dry run');
    this.counts = counts;
  }
}

type Counts = Pick<PruneReport, 'expired' | 'overCap' | 'older' | 'parkedExpired' | 'namespaces'>;

/** Throws `namespace_invalid`, `invalid_argument`. */
export async function pruneRecords(
  store: MemoryStore | undefined,
  options: PruneOptions,
  configured: { readonly cap: number | null; readonly authoredCap: number | null },
  now: number,
): Promise<PruneReport> {
  check(options);
  const counts = { expired: 0, overCap: 0, older: 0, parkedExpired: 0, namespaces: 0 };
  if (store === undefined) return { now: formatInstant(now), ...counts, dryRun: options.dryRun === true };
  const namespaces = await store.read((reading) => namespacesWithin(reading, options));
  const cap = options.cap ?? configured.cap;
  const authoredCap = options.authoredCap ?? configured.authoredCap;
  const sources: readonly SourceType[] | undefined =
    options.source === undefined ? undefined : options.source === 'run' ? ['run'] : ['tool', 'user', 'human'];
  for (const { no } of namespaces) {
    // One transaction per namespace: recorders get their turn between two.
    const pruned = await inTransaction(store, options.dryRun === true, async (writing) => {
      const limits = { now, ...(cap === null ? {} : { cap }), ...(authoredCap === null ? {} : { authoredCap }) };
      const by = {
        ...(sources === undefined ? {} : { sources }),
        ...(options.kind === undefined ? {} : { kind: options.kind }),
      };
      const { expired, overCap, parkedExpired } = await writing.prune(no, limits);
      const older = options.olderThan === undefined ? 0 : await writing.removeOlder(no, options.olderThan, by, now);
      return { expired, overCap, older, parkedExpired, namespaces: 1 };
    });
    for (const name of Object.keys(counts) as (keyof Counts)[]) counts[name] += pruned[name];
  }
  return { now: formatInstant(now), ...counts, dryRun: options.dryRun === true };
}

async function inTransaction(
  store: MemoryStore,
  dryRun: boolean,
  work: (writing: Parameters<Parameters<MemoryStore['write']>[0]>[0]) => Promise<Counts>,
): Promise<Counts> {
  try {
    return await store.write(async (writing) => {
      const counts = await work(writing);
      if (dryRun) throw new Undo(counts);
      return counts;
    });
  } catch (error) {
    if (error instanceof Undo) return error.counts;
    throw error;
  }
}

function check({ cap, authoredCap, olderThan, source, kind }: PruneOptions): void {
  for (const [name, value] of Object.entries({ cap, authoredCap })) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0 && value <= 10_000_000)) {
      throw bad(name, value, 'a whole number from 0 to 10000000');
    }
  }
  if (source !== undefined && source !== 'run' && source !== 'tool') throw bad('source', source, 'run or tool');
  if (kind !== undefined && !MEMORY_KINDS.includes(kind)) throw bad('kind', kind, MEMORY_KINDS.join(', '));
  if (olderThan !== undefined && source === undefined && kind === undefined) {
    throw new BackstoryError(
      'invalid_argument',
      'olderThan needs source or kind, since it deletes whatever has that age.',
      'Say which: source run or tool, or a kind.',
      { details: { options: ['olderThan', 'source', 'kind'] } },
    );
  }
}

function bad(option: string, value: unknown, allowed: string): BackstoryError {
  return new BackstoryError(
    'invalid_argument',
    `${option} is ${String(value)}; allowed is ${allowed}.`,
    `Give ${option} such a value.`,
    {
      details: { option, value, allowed },
    },
  );
}
