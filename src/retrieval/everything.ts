// One question over sessions, episodes and run files (SUR-60): each within its own scope, merged by rank, labelled by kind.
// A kind that fails leaves the rest.
import type { RecalledRecord, RecallResult } from '../episodes/recall.ts';
import { searchedText } from '../episodes/record-text.ts';
import type { Coverage, Skipped } from '../model/coverage.ts';
import { ERROR_CODES, isBackstoryError } from '../model/errors.ts';
import type { Evidence, RetrievalResult } from '../model/retrieval.ts';
import type { Masker } from '../redact/masker.ts';
import type { SearchHit, SearchResult } from '../sessions/search.ts';
import { matchText, type ParsedQuery, parseQuery } from '../text/index.ts';

/** One result, with the keys that reopen it: of a session all three ids, of an episode its id, of a run file its place. */
export type Found =
  | { readonly kind: 'session'; readonly hit: SearchHit }
  | { readonly kind: 'episode'; readonly record: RecalledRecord }
  | { readonly kind: 'run'; readonly evidence: Evidence };

export interface EverythingResult {
  readonly results: readonly Found[];
  readonly coverage: Coverage;
}

/** How each kind is asked; one that is absent is not part of the question. */
export interface Kinds {
  readonly sessions: (limit: number, exact: boolean) => Promise<SearchResult>;
  readonly episodes?: (limit: number) => Promise<RecallResult>;
  readonly run?: (limit: number) => Promise<RetrievalResult>;
}

export interface EverythingQuestion {
  readonly query: string;
  readonly limit: number;
  /** As resolved: run files know no window, so theirs is applied here. */
  readonly since?: number;
  readonly until?: number;
  /** An instant of a time as run files write it, without a zone (RUN-5). */
  readonly instantOf: (time: string) => number;
  readonly masker: Masker;
}

type Kind = Found['kind'];
const KINDS: readonly Kind[] = ['session', 'episode', 'run'];
const WIDE = 100;
const MAX_BYTES = 32_768;
const SPARE_BYTES = 4_096;

/** Throws what the words or the times of the question are wrong for; a kind that fails otherwise is named in coverage. */
export async function searchEverything(kinds: Kinds, question: EverythingQuestion): Promise<EverythingResult> {
  const query = parseQuery(question.query);
  const answers = await Promise.all([
    answered('sessions', kinds.sessions(question.limit, true)),
    answered('episodes', kinds.episodes?.(WIDE)),
    answered('run', kinds.run?.(WIDE)),
  ]);
  let [sessions] = answers;
  const [, episodes, run] = answers;
  const lists = {
    session: foundInSessions(sessions.value),
    episode: foundInEpisodes(episodes.value, query, question.masker),
    run: foundInRun(run.value, query, question),
  };
  if (KINDS.every((kind) => lists[kind].length === 0)) {
    // Nothing holds every word: the one kind that can loosen a query does, and says so.
    sessions = await answered('sessions', kinds.sessions(question.limit, false));
    lists.session = foundInSessions(sessions.value);
  }
  const merged = fused(lists);
  const { results, cut } = withinBytes(merged.slice(0, question.limit));
  const truncated = cut ? 'bytes' : merged.length > results.length ? 'limit' : false;
  return { results, coverage: coverageOf([sessions, episodes, run], truncated) };
}

interface Answer<T> {
  readonly value: T | undefined;
  readonly failed: Skipped | undefined;
}

// What is wrong with the question is wrong for all kinds.
async function answered<T>(what: string, asked: Promise<T> | undefined): Promise<Answer<T>> {
  try {
    return { value: await asked, failed: undefined };
  } catch (error) {
    if (!isBackstoryError(error)) throw error;
    if (ERROR_CODES[error.code].http === 400) throw error;
    return { value: undefined, failed: { what, reason: error.code } };
  }
}

interface Ranked {
  readonly found: Found;
  readonly at: number;
  readonly id: string;
}

function foundInSessions(result: SearchResult | undefined): Ranked[] {
  return (result?.hits ?? []).map((hit) => ({
    found: { kind: 'session', hit },
    at: Date.parse(hit.timestamp),
    id: `${hit.sessionKey} ${hit.messageId}`,
  }));
}

// Recall gives what holds any of the words; here all of them must be there.
function foundInEpisodes(result: RecallResult | undefined, query: ParsedQuery, masker: Masker): Ranked[] {
  return (result?.records ?? [])
    .filter((record) => matchText(query, searchedText(record, masker)).complete)
    .map((record) => ({
      found: { kind: 'episode', record },
      at: Date.parse(record.effectiveAt ?? record.createdAt),
      id: record.id,
    }));
}

function foundInRun(
  result: RetrievalResult | undefined,
  query: ParsedQuery,
  { since, until, instantOf }: EverythingQuestion,
): Ranked[] {
  const timed = since !== undefined || until !== undefined;
  return (result?.evidence ?? []).flatMap((evidence): Ranked[] => {
    const at = evidence.time === undefined ? undefined : instantOf(evidence.time);
    const inWindow = at !== undefined && at >= (since ?? at) && (until === undefined || at < until);
    if ((timed && !inWindow) || !matchText(query, evidence.text).complete) return [];
    return [{ found: { kind: 'run', evidence }, at: at ?? 0, id: `${evidence.file}:${evidence.line}` }];
  });
}

// Reciprocal rank fusion: each result stands in one list only, so that its rank there is its score. Ties by time, newest
// first, then by id: a total order.
function fused(lists: Readonly<Record<Kind, readonly Ranked[]>>): Found[] {
  const all = KINDS.flatMap((kind) => lists[kind].map((ranked, rank) => ({ ...ranked, rank })));
  const byId = (a: string, b: string): number => Number(a > b) - Number(a < b);
  return all.sort((a, b) => a.rank - b.rank || b.at - a.at || byId(a.id, b.id)).map(({ found }) => found);
}

function withinBytes(found: readonly Found[]): { readonly results: Found[]; readonly cut: boolean } {
  let room = MAX_BYTES - SPARE_BYTES;
  const results: Found[] = [];
  for (const one of found) {
    room -= Buffer.byteLength(JSON.stringify(one)) + 1;
    if (room < 0 && results.length > 0) return { results, cut: true };
    results.push(one);
  }
  return { results, cut: false };
}

function coverageOf(
  [sessions, episodes, run]: readonly [Answer<SearchResult>, Answer<RecallResult>, Answer<RetrievalResult>],
  truncated: Coverage['truncated'],
): Coverage {
  const of = [sessions.value?.coverage, episodes.value?.coverage, run.value?.coverage].filter(
    (one) => one !== undefined,
  );
  const failed = [sessions.failed, episodes.failed, run.failed].filter((one) => one !== undefined);
  const sum = (pick: (coverage: Coverage) => number): number => of.reduce((total, one) => total + pick(one), 0);
  const { query, window } = sessions.value?.coverage ?? {};
  return {
    complete: failed.length === 0 && of.every((one) => one.complete),
    truncated,
    ranked: {
      considered: sum((one) => one.ranked.considered),
      complete: of.every((one) => one.ranked.complete),
    },
    ...(query === undefined ? {} : { query }),
    ...(window === undefined ? {} : { window }),
    indexing: { done: sum((one) => one.indexing.done), total: sum((one) => one.indexing.total) },
    skipped: [...failed, ...of.flatMap((one) => one.skipped)].slice(0, 20),
    skippedTotal: failed.length + sum((one) => one.skippedTotal),
    warnings: of.flatMap((one) => one.warnings),
  };
}
