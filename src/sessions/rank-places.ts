// Which session stands for each match: needed for order, spread and groups before a page is cut (SES-77, SRC-15).
import type { MessageFilter, SessionFilter } from '../store/reading.ts';
import type { ReadContext } from './page-context.ts';
import type { Snapshot, Snapshots } from './page-snapshots.ts';
import type { Ranked } from './rank.ts';
import type { Match } from './rank-candidates.ts';
import type { SearchPlan } from './search-params.ts';

const HALF = 0.5;

/** Matches with key and kind of their session; kinds that a search does not ask for score half. */
export async function rankedOf(
  context: ReadContext,
  snapshots: Snapshots,
  plan: SearchPlan,
  matches: readonly Match[],
  filterOf: (snapshot: Snapshot) => SessionFilter & MessageFilter,
): Promise<Ranked[]> {
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
      ranked.push({ snapshot, candidate, text, key, kind, score, points: Math.round(score * 1e6), missing });
    }
  });
  return ranked;
}
