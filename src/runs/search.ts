// A turn → its evidence, from one snapshot of the index: which pieces are looked at, in which order they are given, and
// what several records that say the same become (RUN-59 – RUN-63, RUN-65 – RUN-67). Knows no file and no refresh.
import type { Clock } from '../model/clock.ts';
import { isBackstoryError } from '../model/errors.ts';
import type { Evidence, Place } from '../model/retrieval.ts';
import { makeTurn } from '../model/turn.ts';
import type { CopyPlace, DrawnPiece, RecordDetails, RunReading, Visible } from '../store/run-index.ts';
import { type Match, matchText, type ParsedQuery, parseTurn, type Statistics, scoreOf } from '../text/index.ts';
import { matchCut } from './cut-lines.ts';
import { LEVELS } from './record.ts';

/** `df` is counted so far, and so many pieces are drawn; a word beyond is common (TXT-41, TXT-42). */
const CAP = 2_000;
/** Terms that count: the rarest that can be seen (RUN-59). */
const MOST_TERMS = 64;
export const MAX_TURN_CHARS = 100_000;
const ITEMS_OF_RECORD = 3;
const MOST_PLACES = 20;
// So many candidates are told apart at first; more when copies and long records use them up.
const FIRST_TIER = 64;

export interface Found {
  readonly evidence: readonly Evidence[];
  readonly considered: number;
  /** No bound was reached. */
  readonly complete: boolean;
  /** There are more items than were asked for. */
  readonly more: boolean;
  readonly dropped: readonly string[];
}

export interface SearchOptions {
  readonly visible: Visible;
  readonly topK: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Digests of the turn message as a told record. */
  readonly echo?: readonly bigint[] | undefined;
}

type Pause = () => void | Promise<void>;

interface Candidate {
  readonly piece: DrawnPiece;
  readonly points: number;
  readonly holdsAll: boolean;
}

interface Item extends Candidate {
  readonly record: RecordDetails;
}

/** Rejects with the signal's reason. Others get their turn meanwhile: a page of words is thousands of terms. */
export async function searchRun(reading: RunReading, typed: string, options: SearchOptions): Promise<Found> {
  const turn = makeTurn(options.clock);
  const pause = (): void | Promise<void> => {
    if (!turn.isDue()) return;
    options.signal?.throwIfAborted();
    return turn.give();
  };
  const parsed = await parsedTurn(typed, pause);
  if ('dropped' in parsed) return { evidence: [], considered: 0, complete: true, more: false, dropped: parsed.dropped };
  const draw = await drawFor(reading, parsed.query, options, pause);
  await draw.first();
  let { items, more } = arranged(reading, draw.candidates, options.topK);
  if (items.length < options.topK && (await draw.common()))
    ({ items, more } = arranged(reading, draw.candidates, options.topK));
  return {
    evidence: items.map((item) => evidenceOf(reading, options.visible, item)),
    considered: draw.candidates.length,
    complete: draw.complete,
    more,
    dropped: parsed.query.dropped,
  };
}

// A turn is a sentence: nothing in it is an error, and one without a word finds nothing.
async function parsedTurn(
  typed: string,
  pause: Pause,
): Promise<{ readonly query: ParsedQuery } | { readonly dropped: readonly string[] }> {
  try {
    return { query: await parseTurn(typed.slice(0, MAX_TURN_CHARS), pause) };
  } catch (error) {
    if (!isBackstoryError(error) || error.code !== 'query_empty') throw error;
    return { dropped: (error.details?.dropped as readonly string[] | undefined) ?? [] };
  }
}

/** The terms that count, and how often each occurs. */
async function drawFor(reading: RunReading, query: ParsedQuery, options: SearchOptions, pause: Pause): Promise<Draw> {
  const counts: number[] = [];
  for (const index of query.clauses.keys()) {
    counts.push(reading.frequency(options.visible, query, index, CAP));
    await pause();
  }
  const kept = keptTerms(counts);
  const terms = kept.length === counts.length ? query : { ...query, clauses: kept.map((at) => query.clauses[at]!) };
  const frequencies = kept.map((at) => counts[at]!);
  return new Draw(reading, terms, frequencies, options, pause);
}

/** Which pieces are looked at (TXT-42, step 3): bounded, and the same for the same files whatever was read when. */
class Draw {
  readonly candidates: Candidate[] = [];
  complete = true;
  readonly #reading: RunReading;
  readonly #options: SearchOptions;
  readonly #pause: Pause;
  readonly #query: ParsedQuery;
  readonly #statistics: Statistics;
  /** Clauses that occur, rarest first. */
  readonly #rare: readonly number[];
  readonly #common: readonly number[];
  readonly #seen = new Set<string>();

  constructor(
    reading: RunReading,
    query: ParsedQuery,
    counts: readonly number[],
    options: SearchOptions,
    pause: Pause,
  ) {
    this.#reading = reading;
    this.#options = options;
    this.#pause = pause;
    this.#query = query;
    const { pieces, characters } = reading.totals(options.visible);
    this.#statistics = {
      total: pieces,
      averageLength: pieces === 0 ? 0 : characters / pieces,
      documentFrequency: counts,
    };
    const held = counts.flatMap((count, index) => (count > 0 ? [index] : []));
    held.sort((a, b) => counts[a]! - counts[b]! || a - b);
    this.#rare = held.filter((index) => counts[index]! < CAP);
    this.#common = held.filter((index) => counts[index]! >= CAP);
  }

  /** The newest that hold every term, then all of every term that is not common. */
  async first(): Promise<void> {
    const { length } = this.#query.clauses;
    const held = [...this.#rare, ...this.#common];
    if (length > 1 && held.length === length) await this.#take(held);
    for (const index of this.#rare) await this.#take([index]);
  }

  /** The newest of common terms, as long as there is room; false when nothing was added. */
  async common(): Promise<boolean> {
    const before = this.candidates.length;
    for (const index of this.#common) {
      if (this.candidates.length >= CAP) break;
      await this.#take([index]);
    }
    return this.candidates.length > before;
  }

  async #take(require: readonly number[]): Promise<void> {
    const { visible, echo } = this.#options;
    const drawn = this.#reading.draw(visible, this.#query, require, { echo, limit: CAP + 1 });
    for (const [index, piece] of drawn.entries()) {
      if (index === CAP) this.complete = false;
      if (index === CAP) return;
      const name = `${piece.record}:${piece.place}`;
      if (this.#seen.has(name)) continue;
      if (this.candidates.length >= CAP) {
        this.complete = false;
        return;
      }
      const match = matchOf(this.#query, piece);
      if (!match.found.includes(true)) continue;
      this.#seen.add(name);
      const score = scoreOf(this.#query, match, piece.text.length, this.#statistics);
      this.candidates.push({ piece, points: Math.round(score * 1e6), holdsAll: match.complete });
      await this.#pause();
    }
  }
}

function keptTerms(counts: readonly number[]): number[] {
  const indices = counts.map((_, index) => index);
  if (counts.length <= MOST_TERMS) return indices;
  const held = indices.filter((index) => counts[index]! > 0);
  held.sort((a, b) => counts[a]! - counts[b]! || a - b);
  return held.slice(0, MOST_TERMS).sort((a, b) => a - b);
}

function matchOf(query: ParsedQuery, { sides, before, text, after }: DrawnPiece): Match {
  return sides === 0 ? matchText(query, text) : matchCut(query, before, text, after);
}

/**
 * The order of RUN-61, each text once, a line's best piece only, three of a record before any fourth (RUN-62, RUN-66).
 * Records are looked up in tiers: a tier ends where the score changes, so what follows cannot come before it.
 */
function arranged(
  reading: RunReading,
  candidates: readonly Candidate[],
  topK: number,
): { items: Item[]; more: boolean } {
  const sorted = [...candidates].sort(byScore);
  const first: Item[] = [];
  const rest: Item[] = [];
  const seen = { lines: new Set<string>(), records: new Map<number, number>(), given: new Map<string, number>() };
  let from = 0;
  for (let size = Math.max(FIRST_TIER, 2 * topK); from < sorted.length && first.length <= topK; size *= 4) {
    let to = Math.min(sorted.length, from + size);
    while (to < sorted.length && byScore(sorted[to - 1]!, sorted[to]!) === 0) to++;
    const tier = sorted.slice(from, to);
    const details = reading.details([...new Set(tier.map(({ piece }) => piece.record))]);
    const items = tier.map((candidate): Item => ({ ...candidate, record: details.get(candidate.piece.record)! }));
    for (const item of items.sort(byRank)) place(item, seen, first, rest);
    from = to;
  }
  const all = first.length > topK ? first : [...first, ...rest];
  return { items: all.slice(0, topK), more: all.length > topK || from < sorted.length };
}

function place(
  item: Item,
  seen: { lines: Set<string>; records: Map<number, number>; given: Map<string, number> },
  first: Item[],
  rest: Item[],
): void {
  const { piece, record } = item;
  const given = seen.given.get(record.digest);
  if (given !== undefined && given !== piece.record) return;
  seen.given.set(record.digest, piece.record);
  // Only a line that was cut has several pieces. Others may bear one number, when an interpreter changed the lines.
  if (piece.sides !== 0) {
    const line = `${piece.record}:${piece.line}`;
    if (seen.lines.has(line)) return;
    seen.lines.add(line);
  }
  const count = (seen.records.get(piece.record) ?? 0) + 1;
  seen.records.set(piece.record, count);
  (count <= ITEMS_OF_RECORD ? first : rest).push(item);
}

function byScore(a: Candidate, b: Candidate): number {
  return Number(b.holdsAll) - Number(a.holdsAll) || b.points - a.points;
}

function byRank(a: Item, b: Item): number {
  return (
    byScore(a, b) ||
    byTime(a.record, b.record) ||
    a.piece.line - b.piece.line ||
    a.piece.column - b.piece.column ||
    a.piece.place - b.piece.place ||
    compare(a.record.fileName, b.record.fileName)
  );
}

// Newer first, none last; episode, higher first, none last; file by UTF-16 units.
function byTime(a: Omit<CopyPlace, 'record'>, b: Omit<CopyPlace, 'record'>): number {
  return descending(a.at, b.at) || descending(a.episode, b.episode) || compare(a.file, b.file);
}

function descending(a: number | undefined, b: number | undefined): number {
  return a === b ? 0 : a === undefined ? 1 : b === undefined ? -1 : b - a;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function evidenceOf(reading: RunReading, visible: Visible, { piece, record }: Item): Evidence {
  const copies = reading.copies(visible, record.digest);
  const others = copies.filter((copy) => copy.record !== piece.record);
  others.sort((a, b) => byTime(a, b) || a.line - b.line || compare(a.fileName, b.fileName));
  const { kind, level, state } = record;
  return {
    text: piece.text,
    kind,
    ...placeOf({ ...record, line: piece.line }),
    column: piece.column,
    ...(level === undefined ? {} : { level: LEVELS[level]! }),
    ...(state === undefined ? {} : { state }),
    copies: others.length + 1,
    alsoAt: others.slice(0, MOST_PLACES).map(placeOf),
  };
}

function placeOf({ file, line, episode, conversation, at }: Omit<CopyPlace, 'record' | 'fileName'>): Place {
  return {
    file,
    line,
    ...(episode === undefined ? {} : { episode }),
    ...(conversation === undefined ? {} : { conversation }),
    ...(at === undefined ? {} : { time: new Date(at * 1_000).toISOString().slice(0, 19) }),
  };
}
