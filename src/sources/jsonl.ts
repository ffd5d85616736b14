// Reads a growing file of JSON lines: drives a format's line reader through files/ and keeps its state in the anchor.
import { FileFollower, FileState } from '../files/index.ts';
import type { SkipReason } from '../model/coverage.ts';
import { readRecords } from './bad-lines.ts';
import type { EntrySink, Instance, PlannedFile, ReadOptions, ReadOutcome } from './contract.ts';
import { lineDigest } from './digest.ts';
import { LongLine } from './long-line.ts';
import { documentFormat, formatOf } from './sniff.ts';

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
  /** Called when the end of the file is reached. */
  end?(): void;
  /** At most 48 KiB of JSON: what the next reading goes on with. */
  save(): unknown;
}

export type MakeReader = (saved: unknown, out: EntrySink) => LineReader;

const SNIFFED = 64;
const HEAD_BYTES = 262_144;
const utf8 = new TextDecoder('utf-8');

/** The outcome of one look at a file (SRC-40); `out` gets whole records only. */
export async function readJsonl(
  source: string,
  instance: Instance,
  file: PlannedFile,
  options: ReadOptions,
  out: EntrySink,
  make: MakeReader,
): Promise<ReadOutcome> {
  const follower = followerOf(instance, file, options);
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
  if (sink.verdict) return sink.verdict;
  return { kind: outcome.kind === 'same' ? 'same' : 'read' };
}

// One per sync and instance: its buffer is touched once, not once per file.
const followers = new WeakMap<Instance, FileFollower>();

function followerOf(instance: Instance, file: PlannedFile, { clock }: ReadOptions): FileFollower {
  if (file.linked !== undefined) return new FileFollower(file.linked, { clock });
  const made = followers.get(instance) ?? new FileFollower(instance.root, { clock });
  followers.set(instance, made);
  return made;
}

class JsonlSink {
  readonly #source: string;
  readonly #options: ReadOptions;
  readonly #out: EntrySink;
  readonly #make: MakeReader;
  #reader: LineReader;
  #end = { offset: 0, number: 1 };
  #sniffed = 0;
  #recognized = false;
  #head = '';
  #lines = 0;
  #long: LongLine | undefined;
  // State as of before the unfinished last line: the next reading begins there (FILE-19).
  #beforeTail: { offset: number; number: number; data: Uint8Array } | undefined;
  verdict: ReadOutcome | undefined;

  constructor(source: string, options: ReadOptions, out: EntrySink, make: MakeReader) {
    this.#source = source;
    this.#options = options;
    this.#out = out;
    this.#make = make;
    this.#reader = make(undefined, out);
  }

  start(at: { readonly offset: number; readonly number: number; readonly data?: Uint8Array | string }): void {
    const text = typeof at.data === 'string' ? at.data : at.data ? utf8.decode(at.data) : '';
    this.#beforeTail = undefined;
    this.#long = undefined;
    this.#end = { offset: at.offset, number: at.number };
    if (at.offset === 0 || text === '') {
      this.#out.restart();
      this.#reader = this.#make(undefined, this.#out);
      this.#recognized = false;
    } else {
      const saved = JSON.parse(text) as { r: unknown };
      this.#reader = this.#make(saved.r, this.#out);
      this.#recognized = true;
    }
  }

  line(bytes: Uint8Array, at: { readonly offset: number; readonly number: number }): void {
    this.#end = { offset: at.offset + bytes.length + 1, number: at.number + 1 };
    this.#options.onBytes?.(bytes.length + 1);
    this.#take(bytes, at, undefined);
  }

  segment(bytes: Uint8Array, at: { readonly offset: number; readonly number: number }, last: boolean): void {
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

  tail(bytes: Uint8Array, at: { readonly offset: number; readonly number: number }): void {
    if (this.#long || bytes.length === 0) return;
    const text = utf8.decode(bytes);
    // A torn one is neither read nor counted until the rest comes (SRC-40).
    if (readRecords(text, (record) => this.#reader.known(record)).problem === 'malformed') return;
    this.#beforeTail = { offset: at.offset, number: at.number, data: this.#saved() };
    this.#take(bytes, at, undefined);
  }

  anchor(): { offset: number; number: number; data: Uint8Array } {
    return this.#beforeTail ?? { ...this.#end, data: this.#saved() };
  }

  async commit(state: FileState): Promise<void> {
    if (this.verdict) {
      this.#out.rollback();
      return;
    }
    if (this.#sniffed > 0 && !this.#recognized && this.#sniffed >= this.#lines && this.#lines > 0) {
      this.verdict = { kind: 'skipped', reason: 'unknown_layout' };
      this.#out.rollback();
      return;
    }
    await this.#out.commit(FileState.encode(state));
  }

  rollback(): void {
    this.#out.rollback();
  }

  #saved(): Uint8Array {
    return Buffer.from(JSON.stringify({ r: this.#reader.save() }));
  }

  #take(
    bytes: Uint8Array,
    at: { readonly offset: number; readonly number: number },
    long: { readonly length: number; readonly digest: string } | undefined,
  ): void {
    if (this.verdict) return;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let digest = long?.digest;
    const line: Line = {
      offset: at.offset,
      length: long?.length ?? bytes.length,
      number: at.number,
      digest: () => (digest ??= lineDigest(bytes)),
    };
    if (this.#recognized && !long && this.#options.parse === 'fast' && this.#reader.fast(buffer, line)) return;
    const text = utf8.decode(buffer);
    if (text.trim() === '') return;
    this.#lines++;
    if (text.includes('\ufffd')) this.#countBadUtf8(buffer, text, at.number);
    const { records, problem } = readRecords(text, (record) => this.#reader.known(record));
    if (!this.#recognized && this.#isForeign(text, records)) return;
    if (problem) this.#out.count(problem, at.number);
    for (const record of records) this.#reader.record(record, line);
  }

  // A file of another format, or a document, is told by its first records, before anything of it is counted (SRC-5).
  #isForeign(text: string, records: readonly Record<string, unknown>[]): boolean {
    const [record] = records;
    if (!record && (this.#head !== '' || /^\s*[{[]\s*$/.test(text))) {
      this.#head += `${text}\n`;
      const format = documentFormat(this.#head);
      if (format) this.verdict = { kind: 'skipped', reason: 'not_this_format', detail: format };
      else if (this.#head.length > HEAD_BYTES) this.verdict = { kind: 'skipped', reason: 'unknown_layout' };
      return true;
    }
    if (this.#sniffed++ >= SNIFFED) return false;
    const format = record && formatOf(record);
    if (record && this.#reader.known(record)) this.#recognized = true;
    else if (format !== undefined && format !== this.#source) {
      this.verdict = { kind: 'skipped', reason: 'not_this_format', detail: format };
      return true;
    }
    return false;
  }

  // One per bad sequence; U+FFFD that was written as such is none.
  #countBadUtf8(bytes: Buffer, text: string, line: number): void {
    let written = 0;
    for (let at = bytes.indexOf('\ufffd'); at >= 0; at = bytes.indexOf('\ufffd', at + 3)) written++;
    const shown = text.split('\ufffd').length - 1;
    for (let n = written; n < shown; n++) this.#out.count('bad_utf8', line);
  }
}
