// How a search goes on after a page: sealed, bound to caller and parameters, blind to what was written since (SES-80).
import type { TimeWindow } from '../model/time.ts';
import type { Standing } from '../store/reading.ts';
import type { Stage } from '../text/index.ts';
import { cursorInvalid, cursorStale, digestOf, openCursor, signCursor } from './cursor.ts';
import type { PagedContext } from './page-context.ts';
import type { Snapshot, Snapshots } from './page-snapshots.ts';
import type { Ranked } from './rank.ts';
import type { SearchParams, SearchPlan } from './search-params.ts';
import type { Scanned, Stretch } from './search-regex.ts';

/** What the first page saw, and all later ones rank by: so that pages joined equal one large page. */
export interface FirstPage {
  readonly texts: number;
  readonly characters: number;
  /** Document frequencies per clause; absent on the first page. */
  readonly frequencies?: readonly number[];
  readonly stage?: Stage;
  /** Of a regular expression: what was looked at for this page and those before it since the last stretch. */
  readonly stretch?: Stretch;
  /** Of each agent's sessions in scope: a rewind, a deletion, or one that left the scope makes the cursor stale. */
  readonly standing: Readonly<Record<string, Standing>>;
  /** Newest entry of each agent's store. */
  readonly through: Readonly<Record<string, number>>;
  /** As resolved then: `-7d` does not move on. */
  readonly window: TimeWindow;
}

export interface SearchPlace {
  readonly offset: number;
  readonly first: FirstPage;
  /** Throws `cursor_stale` when the pages before would not be the same any more. */
  check(list: readonly Ranked[]): void;
}

interface Payload {
  readonly bound: string;
  readonly offset: number;
  readonly seen: string;
  readonly first: FirstPage;
  /** Of the index: made anew, other texts may match. */
  readonly fingerprint?: string;
}

type Bound = PagedContext & { readonly fingerprint?: string };

/** Throws `cursor_invalid`. */
export async function placeOfCursor(
  context: Bound,
  params: SearchParams,
  plan: SearchPlan,
): Promise<SearchPlace | undefined> {
  if (params.cursor === undefined) return undefined;
  const payload = openCursor(params.cursor, await context.cursorKey()) as Payload;
  if (payload.bound !== boundOf(context, params, plan)) throw cursorInvalid('Caller or parameters are others.');
  if (payload.fingerprint !== context.fingerprint) throw cursorStale();
  return {
    offset: payload.offset,
    first: payload.first,
    check(list) {
      if (seenOf(list.slice(0, payload.offset)) !== payload.seen) throw cursorStale();
    },
  };
}

/** Throws `cursor_stale` when a session in scope was rewound, was deleted or left the scope since the first page (SES-80). */
export async function assertStanding(context: Bound, snapshots: Snapshots, { standing }: FirstPage): Promise<void> {
  const now = await snapshots.ask(({ store, reading }) =>
    reading.standing(context.scope, standing[store.agentId]?.moved ?? 0),
  );
  const counts = new Map([...now].map(([{ store }, { sessions }]) => [store.agentId, sessions]));
  const failed = [...context.failed, ...snapshots.failed].map(({ agentId }) => agentId);
  for (const [agentId, { sessions }] of Object.entries(standing)) {
    if (!failed.includes(agentId) && (counts.get(agentId) ?? 0) !== sessions) throw cursorStale();
  }
}

/** Without agents that hold no match: a cursor over 600 agents would be larger than the answer it stands in (SES-81). */
export function ofAgents(first: FirstPage, matches: readonly { readonly snapshot: Snapshot }[]): FirstPage {
  const agents = new Set(matches.map(({ snapshot }) => snapshot.store.agentId));
  const kept = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(record).filter(([agentId]) => agents.has(agentId)));
  return { ...first, standing: kept(first.standing), through: kept(first.through) };
}

/**
 * Where the page after this one begins: behind what was shown of the list, if there is more of it; behind the stretch that
 * an expression was tried on, if there is more of that; undefined at the end.
 */
export function whatFollows(
  first: FirstPage,
  scanned: Scanned | undefined,
  shown: readonly Ranked[] | undefined,
): { readonly first: FirstPage; readonly shown: readonly Ranked[] } | undefined {
  if (shown !== undefined) return { first: scanned ? { ...first, stretch: scanned.stretch } : first, shown };
  if (scanned === undefined || scanned.left.length === 0) return undefined;
  return { first: { ...first, stretch: { from: scanned.stretch.to! } }, shown: [] };
}

export async function nextCursor(
  context: Bound,
  params: SearchParams,
  plan: SearchPlan,
  { first, shown }: { readonly first: FirstPage; readonly shown: readonly Ranked[] },
): Promise<string> {
  const payload: Payload = {
    bound: boundOf(context, params, plan),
    offset: shown.length,
    seen: seenOf(shown),
    first,
    ...(context.fingerprint === undefined ? {} : { fingerprint: context.fingerprint }),
  };
  return signCursor(payload, await context.cursorKey());
}

function boundOf(context: Bound, params: SearchParams, plan: SearchPlan): string {
  const { cursor: _, waitMs: _wait, budgetMs: _budget, ...rest } = params;
  const sorted = Object.entries({ ...rest, limit: plan.limit }).sort(([a], [b]) => (a < b ? -1 : 1));
  return digestOf('search', context.caller, sorted);
}

/** Everything shown so far: gone, moved or come in between, and the rest cannot follow on it. */
function seenOf(shown: readonly Ranked[]): string {
  return digestOf(shown.map(({ snapshot, candidate, key }) => [snapshot.store.agentId, candidate.entry, key]));
}
