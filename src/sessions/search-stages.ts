// Finds what meets a query: as it was typed, then loosened step by step until something is found (TXT-39).
import type { MessageFilter, SessionFilter } from '../store/reading.ts';
import { type ParsedQuery, relax, type Stage } from '../text/index.ts';
import type { ReadContext } from './page-context.ts';
import type { Snapshot, Snapshots } from './page-snapshots.ts';
import { preparerOf } from './prepare.ts';
import { type Counted, type Found, findMatches, frequenciesOf, type Search } from './rank-candidates.ts';
import type { FirstPage } from './search-cursor.ts';
import type { SearchParams, SearchPlan } from './search-params.ts';
import { BUDGET_MS, type Scanned, scanMatches } from './search-regex.ts';

/** What one answer looks for its matches with. */
export interface Finding {
  readonly context: ReadContext;
  /** Everything that is ranked together. */
  readonly indexes: Snapshots;
  readonly params: Pick<SearchParams, 'exact' | 'budgetMs'>;
  readonly plan: Pick<SearchPlan, 'order' | 'halved'>;
  /** A later page: it stays at the stage of the first. */
  readonly goesOn: boolean;
  readonly first: FirstPage;
  /** Indexes that were made by other maskers. */
  readonly stale: ReadonlySet<unknown>;
  readonly filterOf: (snapshot: Snapshot) => SessionFilter & MessageFilter;
}

export interface Staged extends Found {
  /** As it was asked in the end. */
  readonly query: ParsedQuery;
  readonly search: Search;
  /** Of a regular expression. */
  readonly scanned?: Scanned;
}

const STAGES: readonly Stage[] = ['prefix', 'words', 'some'];

/** Stops at the first stage that finds something; `exact` has only the first (TXT-39). An expression has no stages. */
export async function findInStages(query: ParsedQuery, finding: Finding): Promise<Staged> {
  const { first, params, goesOn } = finding;
  if (query.expression !== undefined) {
    const search = searchOf(query, finding, { each: new Map(), all: [] });
    const scanned = await scanMatches(search, params.budgetMs ?? BUDGET_MS, first.stretch);
    return { ...scanned, query, search, scanned };
  }
  const counted: Counted = new Map();
  const start = first.stage === undefined ? query : (relax(query, first.stage) ?? query);
  const exact = await findAt(start, finding, counted);
  if (params.exact || goesOn) return exact;
  let staged = exact;
  for (const stage of STAGES) {
    if (staged.matches.length > 0) return staged;
    const loosened = relax(query, stage);
    if (loosened !== undefined) staged = await findAt(loosened, finding, counted);
  }
  return staged.matches.length > 0 ? staged : exact;
}

async function findAt(query: ParsedQuery, finding: Finding, counted: Counted): Promise<Staged> {
  const search = searchOf(query, finding, await frequenciesOf(finding.context, finding.indexes, query, counted));
  return { ...(await findMatches(search)), query, search };
}

function searchOf(
  query: ParsedQuery,
  { context, indexes, plan, first, stale, filterOf }: Finding,
  { each, all }: Awaited<ReturnType<typeof frequenciesOf>>,
): Search {
  const prepare = preparerOf(context.masker);
  return {
    context,
    snapshots: indexes,
    query,
    statistics: {
      total: first.texts,
      averageLength: first.texts === 0 ? 0 : first.characters / first.texts,
      documentFrequency: first.frequencies ?? all,
    },
    frequencies: each,
    filterOf,
    order: plan.order,
    halved: plan.halved,
    prepare: (text) => prepare(text).masked,
    isStale: (snapshot) => stale.has(snapshot),
  };
}
