// The `memory` part of the configuration: its shape and its table of settings (EPI-20, EPI-141). Says nothing of how
// records are made.

import type { Check } from './checks.ts';
import { flag, func, integer, invalid, listOf, number, oneOf, orNull, text } from './checks.ts';
import { type PostgresSetting, postgres, shownConnection } from './postgres.ts';
import type { Setting } from './settings.ts';

/** What a namespace may be made of, always in this order (EPI-11). */
export const DIMENSIONS = ['workspace', 'route', 'tenant', 'user', 'agent'] as const;
export type Dimension = (typeof DIMENSIONS)[number];
export type Scope = { readonly [dimension in Dimension]?: string };

export type WritesMode = 'off' | 'candidate' | 'auto' | 'ask';

/** Told of each failure of recording (EPI-52); what it throws is ignored. */
export interface RecordingFailure {
  readonly code: string;
  readonly message: string;
  readonly at: string;
  readonly namespace?: string;
  readonly runId?: string;
}

/** Asked for the dimensions that a context leaves out (EPI-13). */
export interface ScopeRequest {
  readonly agent: string;
  readonly route?: string;
  readonly scope: Scope;
  readonly missing: readonly Dimension[];
}

/** A host's own distillation (EPI-142): redacted records in, text out. The records' shape is the engine's. */
export type Distiller = (request: never) => unknown;

export interface MemoryConfig {
  readonly postgres?: string | PostgresSetting;
  readonly writes?: WritesMode;
  readonly scope?: readonly Dimension[];
  readonly workspace?: string;
  readonly routesDir?: string;
  readonly resolveScope?: (request: ScopeRequest) => Scope | undefined | Promise<Scope | undefined>;
  readonly onError?: (failure: RecordingFailure) => void;
  readonly episodes?: {
    readonly enabled?: boolean;
    readonly ttlMs?: number | null;
    readonly cap?: number | null;
    readonly includeFailedRuns?: boolean;
    readonly includeCancelledRuns?: boolean;
    readonly embed?: boolean;
    readonly writeTimeoutMs?: number;
  };
  readonly authored?: { readonly ttlMs?: number | null; readonly cap?: number | null };
  readonly recall?: {
    readonly limit?: number;
    readonly collapse?: boolean;
    readonly recencyHalfLifeMs?: number;
    readonly recencyWeight?: number;
    readonly confidenceWeight?: number;
  };
  readonly distill?: {
    readonly minAgeMs?: number;
    readonly minGroup?: number;
    readonly maxGroup?: number;
    readonly maxBatches?: number;
    readonly sourceTtlMs?: number;
    readonly summaryTtlMs?: number | null;
    readonly reflectMin?: number;
    readonly reflectMax?: number;
    readonly summarize?: Distiller;
    readonly reflect?: Distiller;
  };
}

type Filled<T, Optional extends keyof T> = {
  readonly [K in Exclude<keyof T, Optional>]-?: Exclude<T[K], undefined>;
} & {
  readonly [K in Optional]?: T[K];
};
type Part<K extends keyof MemoryConfig> = NonNullable<MemoryConfig[K]>;

/** The same with every default filled in; `null` is "no bound". */
export interface ResolvedMemory {
  readonly writes: WritesMode;
  readonly scope: readonly Dimension[];
  /** Absent: derived from the project (EPI-13). */
  /** Memory is kept there and not under the home. */
  readonly postgres?: string | PostgresSetting;
  readonly workspace?: string;
  readonly routesDir: string;
  readonly resolveScope?: Part<'resolveScope'>;
  readonly onError?: Part<'onError'>;
  readonly episodes: Filled<Part<'episodes'>, never>;
  readonly authored: Filled<Part<'authored'>, never>;
  readonly recall: Filled<Part<'recall'>, never>;
  readonly distill: Filled<Part<'distill'>, 'summarize' | 'reflect'>;
  /** `embed: true` was given: the engine says once that it has no effect. */
  readonly embedIgnored?: true;
}

const DAY = 86_400_000;
const MOST_MS = 3_155_760_000_000;
const MOST = Number.MAX_SAFE_INTEGER;

const scope: Check = {
  allowed: `1 to 5 different ones of ${DIMENSIONS.join(', ')}`,
  read(value, path) {
    const names = listOf(oneOf(...DIMENSIONS)).read(value, path) as string[];
    if (names.length < 1 || new Set(names).size < names.length) throw invalid(path, value, scope.allowed);
    return DIMENSIONS.filter((dimension) => names.includes(dimension));
  },
};

const at = (path: string, check: Check, byDefault: unknown, help: string): Setting => {
  return { path: `memory.${path}`, check, default: byDefault, help };
};

export const MEMORY_SETTINGS: readonly Setting[] = [
  {
    path: 'memory.postgres',
    check: postgres,
    default: undefined,
    env: 'BACKSTORY_MEMORY_POSTGRES',
    shown: shownConnection,
    help: 'A connection to PostgreSQL that keeps the memory of agents, in place of files under the home; sessions stay in SQLite. See postgres.md.',
  },
  at(
    'writes',
    oneOf('off', 'candidate', 'auto', 'ask'),
    'candidate',
    'Who decides what is remembered: nobody may write, a person reviews, at once, or a host is asked before a fact changes.',
  ),
  at('scope', scope, ['workspace', 'route'], 'What a namespace is made of, unless a definition says otherwise.'),
  {
    path: 'memory.workspace',
    check: text,
    default: 'the name in the nearest package.json',
    depends: true,
    help: 'The dimension workspace: renaming it leaves old records behind.',
  },
  at(
    'routesDir',
    text,
    'src/app',
    "The folder below which each route may keep a memory.ts, relative to the project's.",
  ),
  at(
    'resolveScope',
    func,
    undefined,
    'A function that gives the dimensions a context leaves out, from verified identity.',
  ),
  at('onError', func, undefined, 'A function that is told of each failure of recording; a recorder never fails a run.'),
  at('episodes.enabled', flag, false, 'true records each settled run.'),
  at(
    'episodes.ttlMs',
    orNull(integer(1, MOST_MS)),
    30 * DAY,
    'How long a run record lives, in milliseconds from the start of its run; null: for ever.',
  ),
  at(
    'episodes.cap',
    orNull(integer(1, 10_000_000)),
    500,
    'How many run records a namespace keeps, the newest ones; null: all.',
  ),
  at('episodes.includeFailedRuns', flag, true, 'false records no run that failed.'),
  at('episodes.includeCancelledRuns', flag, true, 'false records no run that was cancelled.'),
  at(
    'episodes.embed',
    flag,
    false,
    'Accepted and without effect: records are found by their words, without embeddings.',
  ),
  at(
    'episodes.writeTimeoutMs',
    integer(0, 10_000),
    250,
    'How long the end of a run may wait for the store, in milliseconds; then the record is queued.',
  ),
  at(
    'authored.ttlMs',
    orNull(integer(1, MOST_MS)),
    null,
    'How long a record of remember lives, in milliseconds; null: for ever.',
  ),
  at(
    'authored.cap',
    orNull(integer(1, 10_000_000)),
    null,
    'How many events of remember a namespace keeps, the newest ones; null: all.',
  ),
  at('recall.limit', integer(1, 100), 8, 'How many records recall gives when it is not told.'),
  at('recall.collapse', flag, false, 'Whether recall shows runs of the same input and outcome as one line.'),
  at(
    'recall.recencyHalfLifeMs',
    integer(1, MOST),
    14 * DAY,
    'After so many milliseconds the weight of recency is halved.',
  ),
  at('recall.recencyWeight', number(0, 1), 0.25, 'How much recency moves records of like relevance.'),
  at('recall.confidenceWeight', number(0, 1), 0.1, 'How much confidence moves records of like relevance.'),
  at(
    'distill.minAgeMs',
    integer(0, MOST_MS),
    7 * DAY,
    'Records younger than this many milliseconds are not consolidated.',
  ),
  at('distill.minGroup', integer(1, 10_000), 5, 'Fewer records of one week than this wait.'),
  at('distill.maxGroup', integer(1, 10_000), 50, 'A summary covers at most so many records.'),
  at(
    'distill.maxBatches',
    integer(1, 10_000),
    5,
    'One command writes at most so many summaries or reads so many batches.',
  ),
  at(
    'distill.sourceTtlMs',
    integer(1, MOST_MS),
    7 * DAY,
    'Records that a summary covers expire after so many milliseconds at the latest.',
  ),
  at(
    'distill.summaryTtlMs',
    orNull(integer(1, MOST_MS)),
    null,
    'How long a summary lives from the end of its period; null: as long as its sources would have.',
  ),
  at('distill.reflectMin', integer(1, 10_000), 10, 'Fewer new records than this are not reflected on.'),
  at('distill.reflectMax', integer(1, 10_000), 100, 'One batch of reflection reads at most so many records.'),
  at('distill.summarize', func, undefined, 'A function that writes summaries in place of the extractive ones.'),
  at('distill.reflect', func, undefined, 'A function that writes insights in place of the extractive ones.'),
];

/** From the values read to the resolved part. `of` gives a setting's value or its default. */
export function memoryFrom(of: <T>(path: string) => T, given: (path: string) => boolean): ResolvedMemory {
  const part = (prefix: string): Record<string, unknown> => {
    const settings = MEMORY_SETTINGS.filter(({ path }) => path.startsWith(`memory.${prefix}`));
    const entries = settings.map(({ path }) => [path.slice(`memory.${prefix}`.length), of<unknown>(path)] as const);
    return Object.fromEntries(entries.filter(([key, value]) => value !== undefined && !key.includes('.')));
  };
  const { workspace, ...own } = part('') as { workspace?: string };
  return {
    ...own,
    ...(given('memory.workspace') && workspace !== undefined ? { workspace } : {}),
    ...(of('memory.episodes.embed') === true ? { embedIgnored: true } : {}),
    // Accepted for the original's sake: records never have an embedding (EPI-23).
    episodes: { ...part('episodes.'), embed: false },
    authored: part('authored.'),
    recall: part('recall.'),
    distill: part('distill.'),
  } as unknown as ResolvedMemory;
}
