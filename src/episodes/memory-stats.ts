// Numbers of one agent's memory, from counters and never by counting rows (EPI-53, EPI-68).
import type { DeletionReason, MemoryKind } from '../model/episode.ts';
import { formatInstant } from '../model/time.ts';
import type { MemoryStore } from '../store/memory.ts';
import { type RecorderHealth, reportOf } from './health.ts';

/** Records of any status (SUR-71). */
export type KindCounts = Readonly<Record<MemoryKind, number>>;

export interface MemoryStats {
  readonly agent: string;
  readonly records: number;
  readonly active: number;
  readonly candidates: number;
  readonly kinds: KindCounts;
  /** Runs that wait for a person. */
  readonly parkedRuns: number;
  readonly namespaces: readonly {
    readonly namespace: string;
    readonly records: number;
    readonly active: number;
    readonly candidates: number;
    readonly kinds: KindCounts;
    readonly runs: number;
    readonly authored: number;
    readonly parked: number;
  }[];
  /** Of all processes, as far as they have written since. `queued` is this process's. */
  readonly health: RecorderHealth;
  readonly deletions: readonly {
    readonly namespace: string;
    readonly day: string;
    readonly reason: DeletionReason;
    readonly count: number;
  }[];
  readonly bytes: number;
}

/** `own`: what this process has counted and not yet written. */
export async function memoryStats(
  agent: string,
  store: MemoryStore | undefined,
  own: { readonly unsaved: Readonly<Record<string, number>>; readonly health: RecorderHealth },
): Promise<MemoryStats> {
  const stored = await store?.read(async (reading) => ({
    namespaces: await reading.namespaces(),
    counters: await reading.counters(),
    deletions: await reading.deletions(),
    lastFailure: await reading.meta('lastFailure'),
  }));
  const counters: Record<string, number> = { ...stored?.counters };
  for (const [name, n] of Object.entries(own.unsaved)) counters[name] = (counters[name] ?? 0) + n;
  const namespaces = (stored?.namespaces ?? []).map((info) => {
    const { name, records, active, candidates, runs, authored, parked, facts, insights } = info;
    const kinds = { episodic: records - facts - insights, semantic: facts, reflection: insights };
    return { namespace: name, records, active, candidates, kinds, runs, authored, parked };
  });
  const sum = (of: (one: (typeof namespaces)[number]) => number): number =>
    namespaces.reduce((n, one) => n + of(one), 0);
  const failures = [own.health.lastFailure, failureIn(stored?.lastFailure)].filter((one) => one !== undefined);
  const latest = failures.sort((a, b) => (a.at < b.at ? 1 : -1))[0];
  const times = (stored?.namespaces ?? []).flatMap(({ lastAt }) => (lastAt === null ? [] : [formatInstant(lastAt)]));
  const recordedAt = [own.health.lastRecordedAt ?? '', ...times].sort().at(-1)!;
  return {
    agent,
    records: sum(({ records }) => records),
    active: sum(({ active }) => active),
    candidates: sum(({ candidates }) => candidates),
    kinds: {
      episodic: sum(({ kinds }) => kinds.episodic),
      semantic: sum(({ kinds }) => kinds.semantic),
      reflection: sum(({ kinds }) => kinds.reflection),
    },
    parkedRuns: sum(({ parked }) => parked),
    namespaces,
    health: reportOf(counters, {
      queued: own.health.queued,
      ...(recordedAt === '' ? {} : { lastRecordedAt: recordedAt }),
      ...(latest === undefined ? {} : { lastFailure: latest }),
    }),
    deletions: stored?.deletions ?? [],
    bytes: (await store?.bytes()) ?? 0,
  };
}

function failureIn(json: string | undefined): RecorderHealth['lastFailure'] {
  return json === undefined ? undefined : (JSON.parse(json) as RecorderHealth['lastFailure']);
}
