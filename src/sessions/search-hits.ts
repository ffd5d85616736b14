// Hits of one page: the keys that reopen each, and a masked excerpt, within the bounds of an answer (SES-71, SES-81).
import type { Hit } from '../model/session.ts';
import { formatInstant } from '../model/time.ts';
import type { Located } from '../store/reading.ts';
import { type ExcerptOptions, excerptOf, idfOf, sanitize } from '../text/index.ts';
import { byteLength } from './history-bytes.ts';
import type { ReadContext } from './page-context.ts';
import type { Snapshot } from './page-snapshots.ts';
import { preparerOf } from './prepare.ts';
import type { Ranked } from './rank.ts';
import type { Search } from './rank-candidates.ts';
import type { SearchPlan } from './search-params.ts';

export interface HitContext {
  readonly context: ReadContext;
  readonly plan: SearchPlan;
  readonly search: Search;
  readonly isStale: (snapshot: Snapshot) => boolean;
}

const MAX_EXCERPT = 300;
const MAX_ALSO_IN = 5;
// What an answer holds beside its hits: coverage with its lists, a cursor.
const SPARE_BYTES = 6_144;

/** As many as fit; a row that cannot be reopened is no hit (SES-72). */
export async function hitsOf(at: HitContext, page: readonly Ranked[]): Promise<{ hits: Hit[] }> {
  const located = await locatedOf(at, page);
  const prepare = preparerOf(at.context.masker);
  let room = at.plan.maxBytes - SPARE_BYTES;
  const hits: Hit[] = [];
  for (const item of page) {
    const where = located.get(item);
    const hit = where && hitOf(at, item, where, (text) => prepare(text).masked);
    if (hit === undefined) continue;
    room -= byteLength(hit) + 1;
    // One that is larger than a page is a page: it must not stand before all that come after it.
    if (room < 0 && hits.length > 0) break;
    hits.push(hit);
  }
  return { hits };
}

async function locatedOf({ context, search }: HitContext, page: readonly Ranked[]): Promise<Map<Ranked, Located>> {
  const found = new Map<Ranked, Located>();
  await search.snapshots.ask(async (snapshot) => {
    const own = page.filter((item) => item.snapshot === snapshot);
    if (own.length === 0) return;
    const entries = own.map(({ candidate }) => candidate.entry);
    const located = await snapshot.reading.locate(context.scope, search.filterOf(snapshot), entries);
    for (const item of own) {
      const where = located.get(item.candidate.entry);
      if (where !== undefined) found.set(item, where);
    }
  });
  return found;
}

function hitOf(
  { search, isStale }: HitContext,
  { snapshot, candidate, text, score, missing }: Ranked,
  { places, elsewhere }: Located,
  masked: (text: string) => string,
): Hit | undefined {
  const place = places[0];
  if (place === undefined) return undefined;
  const { session } = place;
  const { query, statistics } = search;
  const weights = statistics.documentFrequency.map((frequency) => idfOf(statistics.total, frequency));
  const options: ExcerptOptions = { maxChars: MAX_EXCERPT, weights };
  const excerpt = excerptOf(text, query, options);
  const others = new Set([...places.map((other) => other.session.key), ...elsewhere]);
  others.delete(session.key);
  const redacted = !candidate.clean && sanitize(candidate.text) !== text;
  return {
    sessionKey: session.key,
    sessionId: place.sessionId,
    messageId: place.messageId,
    timestamp: formatInstant(candidate.at),
    role: candidate.role,
    excerpt: excerpt.text,
    ...(excerpt.from === 0 ? {} : { excerptFrom: excerpt.from }),
    ranges: excerpt.ranges,
    score: Math.round(score * 1e6) / 1e6,
    ...(missing.length === 0 ? {} : { missing: missing.map((index) => typedOf(search, index)) }),
    agentId: snapshot.store.agentId,
    kind: session.kind,
    ...(session.title === undefined ? {} : { title: masked(session.title) }),
    ...(session.origin === undefined ? {} : { source: session.origin.source }),
    ...(session.origin?.project === undefined ? {} : { project: masked(session.origin.project) }),
    ...(session.archivedAt === undefined ? {} : { archived: true }),
    ...(redacted ? { redacted: true } : {}),
    ...(isStale(snapshot) || session.dirty ? { stale: true } : {}),
    inCurrentView: place.inCurrentView,
    ...(others.size === 0 ? {} : { alsoIn: { sessionKeys: [...others].slice(0, MAX_ALSO_IN), count: others.size } }),
  };
}

function typedOf({ query }: Search, index: number): string {
  return query.clauses[index]!.anyOf.map((term) => term.typed).join(' OR ');
}

/** A session's number of matches is exact up to here (SES-78). */
const EXACT_COUNT = 1_000;

export function matchesOf(count: number, complete: boolean): { readonly count: number; readonly exact: boolean } {
  return { count, exact: complete && count <= EXACT_COUNT };
}
