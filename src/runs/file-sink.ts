// One file of the agent on its way into the index: what kind it is, its lines to the right content, its rows and state
// together to whoever writes them (RUN-42, RUN-73). Knows no store.
import { type Anchor, decodeLine, FileState, type LineAt, type LineSink, type ReadStart } from '../files/index.ts';
import type { Clock } from '../model/clock.ts';
import { FILE_FLAG, type FileWrite, type KnownFile } from '../store/run-index.ts';
import type { Content, Mark, Tail } from './content.ts';
import { episodeOfPath, isRecordName } from './file-rules.ts';
import { readHeader } from './header.ts';
import { otherContent } from './other-content.ts';
import { RecordContent } from './record-content.ts';
import { type RowContext, Rows } from './rows.ts';

/** By so many bytes a file is told (RUN-42). */
const TOLD_BYTES = 8_192;
/** The unfinished end of other files is given when nobody wrote for so long (RUN-52). */
export const QUIET_NS = 2_000_000_000n;

const START: Mark = { offset: 0, number: 1, records: 0, pieces: 0, flags: 0, data: '' };

export interface SinkOptions {
  readonly agent: string;
  readonly rows: RowContext;
  readonly clock: Clock;
  /** Below the run folder, with `/`. */
  readonly path: string;
  /** As the index has it; with version 0 for a new one. */
  readonly file: KnownFile;
  /** Stores it; `isLast`: the file was read to its end. Rejects when the file was changed by another process. */
  readonly put: (write: FileWrite, isLast: boolean) => Promise<void>;
}

/** What an anchor's data holds: no text of the file. */
interface AnchorData {
  readonly record: boolean;
  readonly records: number;
  readonly pieces: number;
  readonly flags: number;
  readonly data: string;
}

export class FileSink implements LineSink {
  readonly #options: SinkOptions;
  /** Complete lines of a file that is not told yet. */
  #untold: { readonly text: string; readonly at: LineAt }[] = [];
  #isRecord: boolean | undefined;
  #content: Content | undefined;
  #start: Mark | undefined;
  #tail: Tail | undefined;
  #segmentLine = 0;
  #fromStart = false;
  /** Rows of the file that stay, until they are told. */
  #keep: FileWrite['keep'];

  constructor(options: SinkOptions) {
    this.#options = options;
  }

  start(at: ReadStart): void {
    const known = at.offset === 0 ? undefined : decoded(at.data);
    this.#isRecord = isRecordName(this.#options.path) ? true : known?.record;
    this.#start = known === undefined ? START : { ...known, offset: at.offset, number: at.number };
    this.#fromStart = at.offset === 0;
    this.#keep = { records: this.#start.records, pieces: this.#start.pieces };
    this.#untold = [];
    this.#tail = undefined;
    this.#segmentLine = 0;
    this.#content = this.#isRecord === undefined ? undefined : this.#contentOf(this.#isRecord, this.#start);
  }

  line(bytes: Uint8Array, at: LineAt): void {
    const text = decodeLine(bytes);
    if (this.#content) this.#content.line(text, at);
    else {
      if (at.offset >= TOLD_BYTES) this.#tell().line(text, at);
      else this.#untold.push({ text, at });
      if (at.offset + bytes.length >= TOLD_BYTES) this.#tell();
    }
  }

  segment(bytes: Uint8Array, at: LineAt, last: boolean): void {
    const first = at.number !== this.#segmentLine;
    this.#segmentLine = at.number;
    const text = decodeLine(bytes);
    this.#tell(at.offset < TOLD_BYTES && first ? text : undefined).segment(text, at, { first, last });
  }

  tail(bytes: Uint8Array, at: LineAt): void {
    this.#tail = { text: decodeLine(bytes), ...at };
  }

  anchor(): Anchor {
    // Not told yet: read again from the start, which is little.
    if (this.#content === undefined || this.#start === undefined) return { ...START, data: new Uint8Array(0) };
    const { offset, number, ...mark } = this.#content.mark();
    return { offset, number, data: encoded({ ...mark, record: this.#isRecord === true }) };
  }

  async commit(state: FileState): Promise<void> {
    const { file, clock, put } = this.#options;
    const encodedState = FileState.encode(state);
    if (this.#start === undefined) return put({ ...file, state: encodedState, records: [] }, state.whole);
    const keep = this.#keep;
    this.#keep = undefined;
    if (!state.whole) {
      const { rows } = this.#tell();
      const [isRecord, flags] = [this.#isRecord === true, rows.flags];
      const hidden = this.#fromStart || file.hidden;
      return put({ ...file, isRecord, hidden, flags, state: encodedState, keep, records: rows.take() }, false);
    }
    const content = this.#tell(this.#tail && this.#tail.offset < TOLD_BYTES ? this.#tail.text : undefined);
    const isQuiet = BigInt(clock.now()) * 1_000_000n - state.sinceNs >= QUIET_NS;
    const withheld = content.finish(this.#tail, isQuiet) ? FILE_FLAG.withheld : 0;
    const { rows } = content;
    const flags = rows.flags | withheld;
    const isRecord = this.#isRecord === true;
    return put({ ...file, isRecord, hidden: false, flags, state: encodedState, keep, records: rows.take() }, true);
  }

  rollback(): void {
    this.#content = undefined;
    this.#start = undefined;
    this.#untold = [];
  }

  /** Decides what the file is, if it is not decided; `last`: an unfinished line beside the complete ones. */
  #tell(last?: string): Content {
    if (this.#content) return this.#content;
    const lines = this.#untold.filter(({ at }) => at.offset < TOLD_BYTES).map(({ text }) => text);
    this.#isRecord ??= looksLikeRecords(last === undefined ? lines : [...lines, last], this.#options.agent);
    const content = this.#contentOf(this.#isRecord, this.#start ?? START);
    for (const { text, at } of this.#untold) content.line(text, at);
    this.#untold = [];
    this.#content = content;
    return content;
  }

  #contentOf(isRecord: boolean, start: Mark): Content {
    const { path, rows: context, agent } = this.#options;
    const rows = new Rows(context, path, episodeOfPath(path));
    rows.nextRecord = start.records;
    rows.nextPiece = start.pieces;
    rows.flags = start.flags;
    return isRecord ? new RecordContent(rows, context, agent, start) : otherContent(rows, context, start);
  }
}

/** At least half of the lines at column 0 are headers; one that is no readable one must not escape either (RUN-42). */
function looksLikeRecords(lines: readonly string[], agent: string): boolean {
  let all = 0;
  let headers = 0;
  for (const line of lines) {
    if (line === '' || line.startsWith(' ') || line.startsWith('\t')) continue;
    all++;
    if (readHeader(line, agent) !== undefined) headers++;
  }
  return headers > 0 && headers * 2 >= all;
}

function encoded(data: AnchorData): Uint8Array {
  return Buffer.from(JSON.stringify(data));
}

function decoded(bytes: Uint8Array): AnchorData | undefined {
  try {
    return JSON.parse(Buffer.from(bytes).toString()) as AnchorData;
  } catch {
    return undefined;
  }
}
