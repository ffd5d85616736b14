// Reads a growing file of JSON lines: drives a format's line reader through files/ and keeps its state in the anchor.
import { type Anchor, FileFollower, FileState, type LineAt, type LineSink, MAX_ANCHOR_DATA } from '../files/index.ts';
import type { SkipReason } from '../model/coverage.ts';
import { parsed, readRecords } from './bad-lines.ts';
import type { EntrySink, Instance, PlannedFile, ReadOptions, ReadOutcome } from './contract.ts';
import { lineDigest } from './digest.ts';
import { badSequences, lineText } from './line-text.ts';
import { LongLine } from './long-line.ts';
import { Sniffer } from './sniff.ts';

/** Where a line stands, for pointers. */
export interface Line {
  readonly offset: number;
  readonly length: number;
  readonly number: number;
  /** Of its bytes, made when first asked for. */
  digest(): string;
}

/** What a format does with lines. One lives for one reading of one file. */
export interface LineReader {
  /** Reads a line by its bytes alone; false: it must be parsed (SRC-61, SRC-62). */
  fast(bytes: Buffer, line: Line): boolean;
  /** A record of a parsed line. */
  record(record: Record<string, unknown>, line: Line): void;
  known(record: Record<string, unknown>): boolean;
  /** Called before each commit. True: something waits for what comes, so that all is read again. */
  end(): boolean;
  /** At most 24 KiB of JSON: what the next reading goes on with. */
  save(): unknown;
}

export type MakeReader = (saved: unknown, out: EntrySink) => LineReader;

/**
 * What the anchor holds. `last`: of a line that was read before its line feed came, its digest, the state after it and
 * what was counted in it: the same bytes are not read twice, and of others nothing is counted twice.
 */
interface Saved {
  readonly r: unknown;
  readonly last?: { readonly digest: string; readonly r: unknown; readonly counts: readonly string[] };
}

const START: Anchor = { offset: 0, number: 1, data: new Uint8Array(0) };
const MAX_COUNTS = 64;

/** The outcome of one look at a file (SRC-40); `out` gets whole records only. */
export async function readJsonl(
  source: string,
  instance: Instance,
  file: PlannedFile,
  options: ReadOptions,
  out: EntrySink,
  make: MakeReader,
): Promise<ReadOutcome> {
  const follower = followerOf(instance, file.linked ?? instance.root, options);
  const sink = new JsonlSink(source, options, out, make);
  const outcome = await follower.read(file.absolute, options.state, sink, {
    stat: file.stat,
    ...(options.signal ? { signal: options.signal } : {}),
  });
  if (outcome.kind === 'gone') return { kind: 'gone' };
  if (outcome.kind === 'skipped') {
    const { reason, detail } = outcome;
    return { kind: 'skipped', reason: reason as SkipReason, ...(detail === undefined ? {} : { detail }) };
  }
  return sink.verdict ?? { kind: outcome.kind === 'same' ? 'same' : 'read' };
}

// One per sync and instance: its buffer is touched once, not once per file.
const followers = new WeakMap<Instance, Map<string, FileFollower>>();

function followerOf(instance: Instance, root: string, { clock }: ReadOptions): FileFollower {
  const known = followers.get(instance) ?? new Map<string, FileFollower>();
  followers.set(instance, known);
  const follower = known.get(root) ?? new FileFollower(root, { clock });
  known.set(root, follower);
  return follower;
}

class JsonlSink implements LineSink {
  readonly #source: string;
  readonly #options: ReadOptions;
  readonly #out: EntrySink;
  readonly #make: MakeReader;
  readonly #counting: EntrySink;
  #reader!: LineReader;
  #end = { offset: 0, number: 1 };
  #sniffer: Sniffer | undefined;
  #long: LongLine | undefined;
  // A line read before its line feed came (SRC-40): the next reading begins before it (FILE-19).
  #unfinished: Anchor | undefined;
  #last: Saved['last'];
  // What is counted in the line being read, and what was counted of it before.
  #counted: string[] = [];
  #known: string[] = [];
  verdict: ReadOutcome | undefined;

  constructor(source: string, options: ReadOptions, out: EntrySink, make: MakeReader) {
    this.#source = source;
    this.#options = options;
    this.#out = out;
    this.#make = make;
    this.#counting = countingInto(out, (what, line) => this.#count(what, line));
  }

  start(at: Anchor): void {
    const saved = at.data.length > 0 ? (JSON.parse(Buffer.from(at.data).toString('utf8')) as Saved) : undefined;
    this.#unfinished = undefined;
    this.#long = undefined;
    this.#known = [];
    this.#end = { offset: at.offset, number: at.number };
    this.#last = saved?.last;
    this.#sniffer = saved ? undefined : new Sniffer(this.#source);
    if (!saved) this.#out.restart();
    this.#reader = this.#make(saved?.r, this.#counting);
  }

  line(bytes: Uint8Array, at: LineAt): void {
    this.#end = { offset: at.offset + bytes.length + 1, number: at.number + 1 };
    this.#options.onBytes?.(bytes.length + 1);
    if (bytes.length === 0) return;
    if (this.#last && this.#isReadAlready(bytes)) return;
    this.#take(bytes, at, undefined);
  }

  segment(bytes: Uint8Array, at: LineAt, last: boolean): void {
    this.#long ??= new LongLine(at.offset);
    this.#long.add(bytes);
    this.#options.onBytes?.(bytes.length);
    if (!last) return;
    const { bytes: reduced, length, digest, cut } = this.#long.done();
    const { offset } = this.#long;
    this.#long = undefined;
    this.#end = { offset: offset + length + 1, number: at.number + 1 };
    if (cut) this.#out.count('text_cut', at.number);
    this.#take(reduced, { offset, number: at.number }, { length, digest });
  }

  // A torn one is neither read nor counted until the rest comes (SRC-40).
  tail(bytes: Uint8Array, at: LineAt): void {
    if (this.#long) return;
    const text = lineText(bytes);
    if (!text.trimEnd().endsWith('}') || !parsed(text)) return;
    // Kept as it is now: the reader goes on with the same objects.
    const before = structuredClone(this.#reader.save());
    if (!(this.#last && this.#isReadAlready(bytes))) this.#take(bytes, at, undefined);
    const last = { digest: lineDigest(bytes), r: this.#reader.save(), counts: this.#counted.slice(0, MAX_COUNTS) };
    this.#unfinished = { offset: at.offset, number: at.number, data: encoded({ r: before, last }) };
  }

  anchor(): Anchor {
    // What waits for a time, or is not yet told to be of the format, is read again from the start.
    if (this.#reader.end() || this.#sniffer) return START;
    const anchor = this.#unfinished ?? { ...this.#end, data: encoded({ r: this.#reader.save() }) };
    // A file of huge ids or folders: its state has no place, so the next reading begins at the start (FILE-19).
    return anchor.data.length > MAX_ANCHOR_DATA ? START : anchor;
  }

  async commit(state: FileState): Promise<void> {
    if (this.#sniffer?.isAllUnknown) this.verdict ??= { kind: 'skipped', reason: 'unknown_layout' };
    if (this.verdict) this.#out.rollback();
    else await this.#out.commit(FileState.encode(state));
  }

  rollback(): void {
    this.#out.rollback();
  }

  // Of the line that an earlier reading found without its line feed.
  #isReadAlready(bytes: Uint8Array): boolean {
    const { digest, r, counts } = this.#last!;
    this.#last = undefined;
    if (digest === lineDigest(bytes)) {
      this.#counted = [...counts];
      this.#reader = this.#make(r, this.#counting);
      return true;
    }
    this.#known = [...counts];
    return false;
  }

  #take(bytes: Uint8Array, at: LineAt, long: { readonly length: number; readonly digest: string } | undefined): void {
    if (this.verdict) return;
    this.#counted = [];
    this.#read(bytes, at, long);
    this.#known = [];
  }

  #read(bytes: Uint8Array, at: LineAt, long: { readonly length: number; readonly digest: string } | undefined): void {
    let digest = long?.digest;
    const line: Line = {
      offset: at.offset,
      length: long?.length ?? bytes.length,
      number: at.number,
      digest() {
        digest ??= lineDigest(bytes);
        return digest;
      },
    };
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (!this.#sniffer && !long && this.#options.parse === 'fast' && this.#reader.fast(buffer, line)) return;
    const text = lineText(buffer);
    if (text.trim() === '') return;
    for (let n = badSequences(buffer, text); n > 0; n--) this.#count('bad_utf8', at.number);
    const { records, problem } = readRecords(text, (record) => this.#reader.known(record));
    if (this.#sniffer) {
      const told = this.#sniffer.see(text, records[0], (record) => this.#reader.known(record));
      if (typeof told === 'object') this.verdict = told;
      if (told === 'known') this.#sniffer = undefined;
      else if (told !== 'unknown') return;
    }
    if (problem) this.#count(problem, at.number);
    for (const record of records) this.#reader.record(record, line);
  }

  #count(what: string, line?: number): void {
    if (this.#counted.length < MAX_COUNTS) this.#counted.push(what);
    const known = this.#known.indexOf(what);
    if (known >= 0) this.#known.splice(known, 1);
    else this.#out.count(what, line);
  }
}

function countingInto(out: EntrySink, count: EntrySink['count']): EntrySink {
  return {
    entry: (entry) => out.entry(entry),
    link: (session, id, parent) => out.link(session, id, parent),
    mark: (session, marker) => out.mark(session, marker),
    facts: (session, facts) => out.facts(session, facts),
    retract: (session, id) => out.retract(session, id),
    count,
    restart: () => out.restart(),
    commit: (state) => out.commit(state),
    rollback: () => out.rollback(),
  };
}

function encoded(saved: Saved): Uint8Array {
  return Buffer.from(JSON.stringify(saved));
}
