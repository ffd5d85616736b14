// Which session stands for each match: needed for order, spread and groups before a page is cut (SES-77, SRC-15).
import type { MessageFilter, SessionFilter } from '../store/reading.ts';
import type { ReadContext } from './page-context.ts';
import type { Snapshot, Snapshots } from './page-snapshots.ts';
import { FIRST_OF_SESSION, pointsOf, type Ranked } from './rank.ts';
import type { Match } from './rank-candidates.ts';
import type { SearchPlan } from './search-params.ts';

interface Places {
  readonly context: ReadContext;
  readonly snapshots: Snapshots;
  readonly plan: SearchPlan;
  readonly filterOf: (snapshot: Snapshot) => SessionFilter & MessageFilter;
}

const HALF = 0.5;
// So many times what a page needs are labelled at first: enough that sessions with many hits do not use them up.
const SPARE = 6;

/**
 * Matches with key and kind of their session; kinds that a search does not ask for score half. Where only the first
 * `need` of the arranged list are asked for, it may stop after them: the list begins as that of all would.
 */
export async function rankedOf(places: Places, matches: readonly Match[], need: number | undefined): Promise<Ranked[]> {
  const best = need === undefined ? undefined : bestOf(places.plan, matches, need * SPARE);
  if (need !== undefined && best !== undefined) {
    const ranked = (await labelled(places, best.matches)).filter(best.precedesOthers);
    if (countFirst(places.plan, ranked) >= need) return ranked;
  }
  return labelled(places, matches);
}

/**
 * About `count` matches that come first by score or time, whatever their sessions are; equal ones all. Undefined when
 * that is no small share of them, or when words missing decide first.
 */
function bestOf(
  { sort }: SearchPlan,
  matches: readonly Match[],
  count: number,
): { readonly matches: readonly Match[]; readonly precedesOthers: (item: Match) => boolean } | undefined {
  if (matches.length < 2 * count || matches.some(({ missing }) => missing.length > 0)) return undefined;
  const sign = sort === 'oldest' ? -1 : 1;
  const value = sort === 'relevance' ? pointsOf : ({ candidate }: Match): number => sign * candidate.at;
  const values = Float64Array.from(matches, value).sort();
  const least = values[values.length - count]!;
  const precedesOthers = (item: Match): boolean => value(item) >= least;
  return { matches: matches.filter(precedesOthers), precedesOthers };
}

// How many come before those that spreading puts last and limits leave out.
function countFirst({ sort, perSession }: SearchPlan, ranked: readonly Ranked[]): number {
  const most = perSession ?? (sort === 'relevance' ? FIRST_OF_SESSION : Number.POSITIVE_INFINITY);
  const counts = new Map<string, number>();
  let first = 0;
  for (const { key } of ranked) {
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    if (count < most) first++;
  }
  return first;
}

async function labelled({ context, snapshots, plan, filterOf }: Places, matches: readonly Match[]): Promise<Ranked[]> {
  const bySnapshot = new Map<Snapshot, Match[]>();
  for (const match of matches) {
    const list = bySnapshot.get(match.snapshot);
    if (list) list.push(match);
    else bySnapshot.set(match.snapshot, [match]);
  }
  const ranked: Ranked[] = [];
  await snapshots.ask(async (snapshot) => {
    const own = bySnapshot.get(snapshot) ?? [];
    if (own.length === 0) return;
    const { reading } = snapshot;
    const labels = await reading.labels(context.scope, [...new Set(own.map(({ candidate }) => candidate.sessionNo))]);
    const shared = own.filter(({ candidate }) => candidate.copies).map(({ candidate }) => candidate.entry);
    const located = shared.length === 0 ? undefined : await reading.locate(context.scope, filterOf(snapshot), shared);
    for (const match of own) {
      const { candidate } = match;
      const session = candidate.copies
        ? located?.get(candidate.entry)?.places[0]?.session
        : labels.get(candidate.sessionNo);
      if (session === undefined) continue;
      const { text, missing } = match;
      const { key, kind } = session;
      const score = plan.halved.includes(kind) ? match.score * HALF : match.score;
      ranked.push({ snapshot, candidate, text, key, kind, score, points: pointsOf({ score }), missing });
    }
  });
  return ranked;
}
