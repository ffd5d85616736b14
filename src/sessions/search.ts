// Exact words in, three keys out: one search over the stores of several agents (SES-70 … SES-87).
import type { Hit } from '../model/session.ts';
import type { Standing } from '../store/reading.ts';
import { type ParsedQuery, relax, type Stage } from '../text/index.ts';
import type { SessionsCoverage } from './coverage.ts';
import {
  isKey,
  lookUpSession,
  type NamedSession,
  type PagedContext,
  sessionNameOf,
  sessionNotFound,
  storesFor,
} from './page-context.ts';
import { inSnapshots, type Snapshot, type Snapshots } from './page-snapshots.ts';
import { preparerOf } from './prepare.ts';
import { countsOf, ordered, perSession, type Ranked, spread } from './rank.ts';
import { type Counted, type Found, findMatches, frequenciesOf, type Search } from './rank-candidates.ts';
import { rankedOf } from './rank-places.ts';
import { searchCoverage } from './search-coverage.ts';
import {
  assertStanding,
  type FirstPage,
  nextCursor,
  ofAgents,
  placeOfCursor,
  type SearchPlace,
  whatFollows,
} from './search-cursor.ts';
import { hitsOf, matchesOf } from './search-hits.ts';
import { type SearchParams, type SearchPlan, searchPlan, searchQuery } from './search-params.ts';
import { BUDGET_MS, type Scanned, scanMatches } from './search-regex.ts';
import { absentWords, staleWarning } from './search-warnings.ts';
import type { SyncReport } from './sync-report.ts';

export type { SearchParams } from './search-params.ts';

export interface SearchContext extends PagedContext {
  /** Of the index as it should be: a store with another one is being made anew, and its texts are masked again (SES-153). */
  readonly fingerprint?: string;
  /** What a sync just before this search did, and what it left (SES-84). */
  readonly synced?: SyncReport | undefined;
}

export interface SearchHit extends Hit {
  /** With `group: "session"`: how many texts of the session match (SES-78). */
  readonly matches?: { readonly count: number; readonly exact: boolean };
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly indexing: boolean;
  readonly warning?: string;
  readonly coverage: SessionsCoverage;
  /** With `explain`: how the query was read, and what it was ranked by. */
  readonly explain?: {
    readonly query: string;
    readonly texts: number;
    readonly averageLength: number;
    readonly documentFrequency: readonly number[];
  };
}

const STAGES: readonly Stage[] = ['prefix', 'words', 'some'];
/**
 * Searches what the scope shows. Throws `query_empty`, `query_too_long`, `regex_invalid`, `regex_unsupported`, `invalid_argument`, `session_not_found`,
 * `time_invalid`, `window_empty`, `cursor_invalid`, `cursor_stale`.
 */
export async function searchSessions(context: SearchContext, params: SearchParams): Promise<SearchResult> {
  const plan = searchPlan(context, params);
  const query = await searchQuery(params);
  const place = await placeOfCursor(context, params, plan);
  const name = params.session === undefined ? undefined : sessionNameOf(context.caller, params.session);
  const chosen = context.stores.filter(({ agentId }) => params.agents?.includes(agentId) ?? true);
  const stores = name === undefined ? chosen : storesFor(chosen, name);
  return inSnapshots(stores, async (snapshots) => {
    const named = name === undefined ? undefined : await find(context, snapshots, name);
    return new Answer(context, params, plan, snapshots, place, named).make(query);
  });
}

/** One text for unknown and invisible; a store that cannot be read is named in coverage instead (SES-85, SES-75). */
async function find(context: SearchContext, snapshots: Snapshots, name: string): Promise<NamedSession | undefined> {
  const found = await snapshots.ask(({ reading, store }) => lookUpSession(reading, store, context.scope, name));
  for (const named of found.values()) if (named !== undefined) return named;
  const failed = [...context.failed, ...snapshots.failed];
  const couldBe = failed.some(({ agentId }) => !isKey(name) || name.startsWith(`agent:${agentId}:`));
  if (couldBe) return undefined;
  throw sessionNotFound(name);
}

type Totals = Awaited<ReturnType<Snapshot['reading']['totals']>>;

interface Staged extends Found {
  readonly query: ParsedQuery;
  readonly search: Search;
  /** Of a regular expression. */
  readonly scanned?: Scanned;
}

/** One answer in the making: what all of its steps need. */
class Answer {
  readonly #context: SearchContext;
  readonly #params: SearchParams;
  readonly #plan: SearchPlan;
  readonly #snapshots: Snapshots;
  readonly #place: SearchPlace | undefined;
  readonly #named: NamedSession | undefined;
  readonly #counted: Counted = new Map();

  constructor(
    context: SearchContext,
    params: SearchParams,
    plan: SearchPlan,
    snapshots: Snapshots,
    place: SearchPlace | undefined,
    named: NamedSession | undefined,
  ) {
    this.#context = context;
    this.#params = params;
    this.#plan = plan;
    this.#snapshots = snapshots;
    this.#place = place;
    this.#named = named;
  }

  async make(query: ParsedQuery): Promise<SearchResult> {
    const totals = await this.#totals();
    const first = this.#place?.first ?? (await this.#firstPage(totals));
    if (this.#place !== undefined) await assertStanding(this.#context, this.#snapshots, first);
    const { texts, characters } = first;
    const stale = await this.#staleStores(first);
    const staged = await this.#found(query, first, new Set(stale.keys()));
    const offset = this.#place?.offset ?? 0;
    const filterOf = ({ store }: Snapshot): SearchPlan['filter'] => this.#filterOf(store.agentId, first);
    const places = { context: this.#context, snapshots: this.#snapshots, plan: this.#plan, filterOf };
    // One more than the page tells whether there are more; counts need them all.
    const need = this.#plan.grouped ? undefined : offset + this.#plan.limit + 1;
    const ranked = await rankedOf(places, staged.matches, need);
    const list = this.#arranged(ranked);
    const counts = this.#plan.grouped ? countsOf(ranked) : undefined;
    this.#place?.check(list);

    const page = list.slice(offset, offset + this.#plan.limit);
    const made = await hitsOf(
      { context: this.#context, plan: this.#plan, search: staged.search, isStale: (snapshot) => stale.has(snapshot) },
      page,
    );
    const hits = made.hits.map(
      (hit): SearchHit =>
        counts === undefined ? hit : { ...hit, matches: matchesOf(counts.get(hit.sessionKey) ?? 1, staged.complete) },
    );
    const shown = offset + hits.length;
    const more = list.length > shown;
    const frequencies = staged.search.statistics.documentFrequency;
    const looked = { context: this.#context, snapshots: this.#snapshots, agents: this.#params.agents ?? [] };
    const coverage = await searchCoverage(looked, { query, staged, stale, totals, window: first.window, filterOf });
    const goneOn = {
      ...(staged.scanned ? first : ofAgents(first, staged.matches)),
      frequencies,
      ...(staged.query.stage === undefined ? {} : { stage: staged.query.stage }),
    };
    const next = whatFollows(goneOn, staged.scanned, more ? list.slice(0, shown) : undefined);
    const cursor = next && (await nextCursor(this.#context, this.#params, this.#plan, next));
    const indexing = coverage.sessions.stale > 0;
    const warning = indexing ? staleWarning(coverage.sessions.stale, hits.length === 0) : undefined;
    return {
      hits,
      indexing,
      ...(warning === undefined ? {} : { warning }),
      coverage: {
        ...coverage,
        warnings: [...coverage.warnings, ...absentWords(query, frequencies, list.length)],
        truncated: hits.length < page.length ? 'bytes' : more ? 'limit' : false,
        ...(cursor === undefined ? {} : { cursor }),
      },
      ...(this.#params.explain
        ? {
            explain: {
              query: staged.query.explain(),
              texts,
              averageLength: texts === 0 ? 0 : characters / texts,
              documentFrequency: frequencies,
            },
          }
        : {}),
    };
  }

  /** Texts and sessions in scope, of each store. */
  async #totals(): Promise<ReadonlyMap<Snapshot, Totals>> {
    return this.#snapshots.ask(({ reading }) => reading.totals(this.#context.scope));
  }

  /** What later pages go on with: statistics and the newest entry of each store (SES-80). */
  async #firstPage(totals: ReadonlyMap<Snapshot, Totals>): Promise<FirstPage> {
    let [texts, characters] = [0, 0];
    for (const one of totals.values()) {
      texts += one.texts;
      characters += one.characters;
    }
    const through: Record<string, number> = {};
    const standing: Record<string, Standing> = {};
    await this.#snapshots.ask(async ({ store, reading }) => {
      through[store.agentId] = await reading.newestEntry(this.#context.scope);
      standing[store.agentId] = await reading.standing(this.#context.scope);
    });
    return { texts, characters, standing, through, window: this.#plan.window };
  }

  async #found(query: ParsedQuery, first: FirstPage, stale: ReadonlySet<unknown>): Promise<Staged> {
    if (query.expression === undefined) return this.#inStages(query, first, stale);
    const search = this.#searchOf(query, first, stale, { each: new Map(), all: [] });
    const scanned = await scanMatches(search, this.#params.budgetMs ?? BUDGET_MS, first.stretch);
    return { ...scanned, query, search, scanned };
  }

  /** Stops at the first stage that finds something; `exact` has only the first (TXT-39). */
  async #inStages(query: ParsedQuery, first: FirstPage, stale: ReadonlySet<unknown>): Promise<Staged> {
    const known = first.stage;
    const start = known === undefined ? query : (relax(query, known) ?? query);
    let staged = await this.#at(start, first, stale);
    if (this.#params.exact || this.#place !== undefined) return staged;
    const exact = staged;
    for (const stage of STAGES) {
      if (staged.matches.length > 0) return staged;
      const loosened = relax(query, stage);
      if (loosened !== undefined) staged = await this.#at(loosened, first, stale);
    }
    return staged.matches.length > 0 ? staged : exact;
  }

  async #at(query: ParsedQuery, first: FirstPage, stale: ReadonlySet<unknown>): Promise<Staged> {
    const counted = await frequenciesOf(this.#context, this.#snapshots, query, this.#counted);
    const search = this.#searchOf(query, first, stale, counted);
    return { ...(await findMatches(search)), query, search };
  }

  #searchOf(
    query: ParsedQuery,
    first: FirstPage,
    stale: ReadonlySet<unknown>,
    { each, all }: Awaited<ReturnType<typeof frequenciesOf>>,
  ): Search {
    const prepare = preparerOf(this.#context.masker);
    return {
      context: this.#context,
      snapshots: this.#snapshots,
      query,
      statistics: {
        total: first.texts,
        averageLength: first.texts === 0 ? 0 : first.characters / first.texts,
        documentFrequency: first.frequencies ?? all,
      },
      frequencies: each,
      filterOf: ({ store }) => this.#filterOf(store.agentId, first),
      order: this.#plan.order,
      halved: this.#plan.halved,
      prepare: (text) => prepare(text).masked,
      isStale: (snapshot) => stale.has(snapshot),
    };
  }

  #filterOf(agentId: string, { through, window }: FirstPage): SearchPlan['filter'] {
    const named = this.#named;
    return {
      ...this.#plan.filter,
      ...window,
      ...(named === undefined ? {} : { keys: named.store.agentId === agentId ? [named.info.key] : [] }),
      ...(named?.sessionId === undefined ? {} : { sessionId: named.sessionId }),
      ...(this.#place === undefined ? {} : { through: through[agentId] ?? 0 }),
    };
  }

  #arranged(ranked: readonly Ranked[]): readonly Ranked[] {
    const { sort, grouped, perSession: most } = this.#plan;
    const list = ordered(ranked, sort);
    if (grouped) return perSession(list, 1);
    if (most !== undefined) return perSession(list, most);
    return sort === 'relevance' ? spread(list) : list;
  }

  async #staleStores(first: FirstPage): Promise<Map<unknown, number>> {
    const { fingerprint, scope } = this.#context;
    const stale = new Map<unknown, number>();
    if (fingerprint === undefined) return stale;
    await this.#snapshots.ask(async (snapshot) => {
      const { agentId } = snapshot.store;
      if ((await snapshot.reading.meta(scope, 'index')) === fingerprint) return;
      const count = await snapshot.reading.sessionCount(scope, this.#filterOf(agentId, first));
      if (count > 0) stale.set(snapshot, count);
    });
    return stale;
  }
}
