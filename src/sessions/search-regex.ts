// Texts that a regular expression matches, walked in the order of writing until the time is up (TXT-40). What was not
// looked at is said, and a cursor goes on with it.
import { formatInstant } from '../model/time.ts';
import { makeTurn } from '../model/turn.ts';
import type { Clause } from '../text/index.ts';
import type { Snapshot } from './page-snapshots.ts';
import { CAP, type Found, frequenciesOf, type Match, matchOf, type Search, TURN_MS } from './rank-candidates.ts';

/** Documents of each agent's store between which a page and those after it are found: from (exclusive) to (inclusive). */
export interface Stretch {
  readonly from: Readonly<Record<string, number>>;
  /** Absent while it is being looked at for the first time. */
  readonly to?: Readonly<Record<string, number>>;
  /** It ended because the time was up, not because enough was found. */
  readonly timeUp?: boolean;
}

export interface Scanned extends Found {
  readonly stretch: Stretch;
  /** What lies behind the stretch: stores that were not looked at to their end. */
  readonly left: readonly { readonly agentId: string; readonly backTo?: number }[];
}

export const BUDGET_MS = 1_000;
const CHUNK = 64;
const BIG = 16_384;

interface Walk {
  readonly snapshot: Snapshot;
  readonly clause: Clause | undefined;
  readonly seen: Set<number>;
  at: number | undefined;
  backTo?: number;
  ended: boolean;
}

/** Every match of a stretch; a new stretch ends when `budgetMs` is used up, or enough was found. */
export async function scanMatches(search: Search, budgetMs: number, asked: Stretch | undefined): Promise<Scanned> {
  const { clock } = search.context;
  const until = asked?.to === undefined ? clock.elapsed() + budgetMs : Number.POSITIVE_INFINITY;
  const walks = await walksOf(search, asked);
  const matches: Match[] = [];
  let considered = 0;
  const turn = makeTurn(clock, TURN_MS);
  let timeUp = false;
  const enough = (): boolean => asked?.to === undefined && (timeUp || matches.length >= CAP);
  // One chunk of each store after another, so that a large one does not use up the time of the others.
  for (let open = walks; open.length > 0 && !enough(); open = open.filter(({ ended }) => !ended)) {
    for (const walk of open) {
      const chunk = await chunkOf(search, walk, asked);
      for (const { document, candidate } of chunk.texts) {
        walk.at = document;
        if (walk.seen.has(candidate.entry)) continue;
        walk.seen.add(candidate.entry);
        walk.backTo = candidate.at;
        considered++;
        const match = matchOf(search, walk.snapshot, candidate);
        if (match !== undefined) matches.push(match);
        if (considered % CHUNK !== 0 && candidate.text.length < BIG) continue;
        if (turn.isDue()) await turn.give();
        timeUp = clock.elapsed() >= until;
        if (enough()) break;
      }
      if (enough()) break;
      walk.at = chunk.last ?? walk.at;
      walk.ended = !chunk.more;
    }
  }
  const left = walks.filter(({ ended }) => !ended);
  return {
    matches,
    considered,
    complete: left.length === 0 || timeUp,
    stretch: asked?.to === undefined ? { from: asked?.from ?? {}, to: positionsOf(search, walks), timeUp } : asked,
    left: asked?.to === undefined ? left.map(leftOf) : leftBehind(search, asked.to),
  };
}

/** Of several words that every match holds the rarest is walked: the text of another document may hold the others. */
async function walksOf(search: Search, asked: Stretch | undefined): Promise<Walk[]> {
  const { context, snapshots, query } = search;
  const clauses = query.expression?.candidates ?? [];
  const { all, each } = await frequenciesOf(context, snapshots, { ...query, clauses }, new Map());
  const rarest = all.indexOf(Math.min(...all));
  return snapshots.open.map((snapshot) => ({
    snapshot,
    clause: clauses[rarest],
    seen: new Set<number>(),
    at: asked?.from[placeOf(snapshot)],
    ended: each.get(snapshot)?.[rarest] === 0,
  }));
}

async function chunkOf(
  { context, snapshots, filterOf, order }: Search,
  { snapshot, clause, at }: Walk,
  asked: Stretch | undefined,
): Promise<Awaited<ReturnType<Snapshot['reading']['scan']>>> {
  const to = asked?.to?.[placeOf(snapshot)];
  const range = {
    direction: order === 'oldest' ? ('up' as const) : ('down' as const),
    ...(at === undefined ? {} : { from: at }),
    ...(to === undefined ? {} : { to }),
  };
  try {
    return await snapshot.reading.scan(context.scope, filterOf(snapshot), clause, range, CHUNK);
  } catch (error) {
    snapshots.leaveOut(snapshot, error);
    return { texts: [], last: undefined, more: false };
  }
}

/** The index of a store that is walked. */
function placeOf({ store, extraOf }: Snapshot): string {
  return extraOf === undefined ? store.agentId : `${store.agentId} extra`;
}

// Nothing lies beyond these, in either direction.
const END = { down: 0, up: Number.MAX_SAFE_INTEGER };
const START = { down: Number.MAX_SAFE_INTEGER, up: 0 };

function positionsOf({ order }: Search, walks: readonly Walk[]): Record<string, number> {
  const direction = order === 'oldest' ? 'up' : 'down';
  return Object.fromEntries(
    walks.map(({ snapshot, ended, at }) => [placeOf(snapshot), ended ? END[direction] : (at ?? START[direction])]),
  );
}

function leftOf({ snapshot, backTo }: Walk): Scanned['left'][number] {
  return { agentId: snapshot.store.agentId, ...(backTo === undefined ? {} : { backTo }) };
}

// On a later page of a stretch that ended before: what its positions say.
function leftBehind({ order }: Search, to: Readonly<Record<string, number>>): Scanned['left'] {
  const end = END[order === 'oldest' ? 'up' : 'down'];
  return Object.entries(to).flatMap(([place, at]) => (at === end ? [] : [{ agentId: place.split(' ')[0]! }]));
}

/** Says how far a scan got (COM-30). */
export function leftWarning({ left, considered, stretch }: Scanned, order: Search['order']): string[] {
  if (left.length === 0) return [];
  const times = left.flatMap(({ backTo }) => (backTo === undefined ? [] : [backTo]));
  const reached = order === 'oldest' ? Math.min(...times) : Math.max(...times);
  const far = times.length === 0 ? '' : `, ${order === 'oldest' ? 'up' : 'back'} to about ${formatInstant(reached)}`;
  const why = stretch.timeUp ? ' before the time was up' : '';
  return [
    `The expression was tried on ${considered} messages${why}, in the order they were stored${far}. Go on with the cursor, or add a filter.`,
  ];
}
