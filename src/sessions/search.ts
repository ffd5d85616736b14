// Exact words in, three keys out: one search over the stores of several agents (SES-70 … SES-87).
import type { Hit } from '../model/session.ts';
import type { Standing } from '../store/reading.ts';
import type { ParsedQuery } from '../text/index.ts';
import type { SessionsCoverage } from './coverage.ts';
import { type ExtraName, extraVersion } from './extra.ts';
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
import { countsOf, ordered, perSession, type Ranked, spread } from './rank.ts';
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
import { oncePerMessage, withExtra } from './search-extra.ts';
import { hitsOf, matchesOf } from './search-hits.ts';
import { type SearchParams, type SearchPlan, searchPlan, searchQuery } from './search-params.ts';
import { findInStages } from './search-stages.ts';
import { absentWords, staleWarning } from './search-warnings.ts';
import type { SyncRoot } from './sync-report.ts';

export type { SearchParams } from './search-params.ts';

export interface SearchContext extends PagedContext {
  /** Of the index as it should be: a store with another one is being made anew, and its texts are masked again (SES-153). */
  readonly fingerprint?: string;
  /** What a sync just before this search did, and what it left (SES-84). */
  readonly synced?: readonly SyncRoot[];
  /** The setting sessions.index.extra: what `include` may name (SES-45). */
  readonly extra?: readonly ExtraName[];
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

/** One answer in the making: what all of its steps need. */
class Answer {
  readonly #context: SearchContext;
  readonly #params: SearchParams;
  readonly #plan: SearchPlan;
  readonly #snapshots: Snapshots;
  /** Those, and the extra index of each where it is included: what is ranked. */
  readonly #indexes: Snapshots;
  readonly #place: SearchPlace | undefined;
  readonly #named: NamedSession | undefined;

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
    this.#indexes = withExtra(snapshots, plan.included);
    this.#place = place;
    this.#named = named;
  }

  async make(query: ParsedQuery): Promise<SearchResult> {
    const totals = await this.#totals(this.#snapshots);
    const first = this.#place?.first ?? (await this.#firstPage(await this.#totals(this.#indexes, totals)));
    if (this.#place !== undefined) await assertStanding(this.#context, this.#snapshots, first);
    const { texts, characters } = first;
    const stale = await this.#staleStores(first);
    const offset = this.#place?.offset ?? 0;
    const filterOf = ({ store }: Snapshot): SearchPlan['filter'] => this.#filterOf(store.agentId, first);
    const staged = await findInStages(query, {
      context: this.#context,
      indexes: this.#indexes,
      params: this.#params,
      plan: this.#plan,
      goesOn: this.#place !== undefined,
      first,
      stale: await this.#staleIndexes(stale),
      filterOf,
    });
    const places = { context: this.#context, snapshots: this.#indexes, plan: this.#plan, filterOf };
    // One more than the page tells whether there are more; counts need them all.
    const each = this.#plan.included.length + 1;
    const need = this.#plan.grouped ? undefined : (offset + this.#plan.limit + 1) * each;
    const all = await rankedOf(places, staged.matches, need);
    const ranked = each === 1 ? all : oncePerMessage(ordered(all, this.#plan.sort));
    const list = this.#arranged(ranked);
    const counts = this.#plan.grouped ? countsOf(ranked) : undefined;
    this.#place?.check(list);

    const page = list.slice(offset, offset + this.#plan.limit);
    const made = await hitsOf(
      {
        context: this.#context,
        plan: this.#plan,
        search: staged.search,
        isStale: (snapshot) => stale.has(snapshot.extraOf ?? snapshot),
      },
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
    const coverage = await searchCoverage(looked, {
      query,
      staged,
      stale,
      totals,
      window: first.window,
      filterOf,
      extra: this.#extraVersion(),
    });
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
  async #totals(snapshots: Snapshots, known = new Map<Snapshot, Totals>()): Promise<Map<Snapshot, Totals>> {
    return snapshots.ask((one) => known.get(one) ?? one.reading.totals(this.#context.scope));
  }

  /** What the extra index should be made by; undefined where it is not included. */
  #extraVersion(): string | undefined {
    const { extra = [], fingerprint = '' } = this.#context;
    return this.#plan.included.length === 0 ? undefined : extraVersion({ extra, fingerprint });
  }

  /** Indexes, of messages and extra ones, that were made by other maskers. */
  async #staleIndexes(stale: ReadonlyMap<unknown, number>): Promise<ReadonlySet<unknown>> {
    const indexes = new Set(stale.keys());
    if (this.#plan.included.length === 0) return indexes;
    await this.#indexes.ask(async (one) => {
      if (one.extraOf && (await one.reading.extraProgress(this.#context.scope))?.of !== this.#extraVersion())
        indexes.add(one);
    });
    return indexes;
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
