// Takes an archive into a store: checked whole first, then put aside in small steps that a killed process goes on with, and
// shown at once when all of it is there (SUR-72). What is there already stays as it is.
import type { FileHandle } from 'node:fs/promises';
import type { Clock } from '../model/clock.ts';
import { BackstoryError } from '../model/errors.ts';
import type { StoredBlock } from '../model/session.ts';
import type { ArchivedRecord, Renumber } from '../store/archive.ts';
import type { AgentStore } from '../store/contract.ts';
import type { IndexText, Writing } from '../store/writing.ts';
import { type CheckedArchive, checkArchive, linesFrom } from './archive-file.ts';
import { type Line, readLine } from './archive-format.ts';

export interface ImportContext {
  readonly clock: Clock;
  readonly prepare: (text: string) => IndexText;
  readonly fingerprint: string;
  /** Opens, or makes, the store of an agent. */
  readonly storeOf: (agent: string) => Promise<AgentStore>;
  /** Takes records of memory that are not there yet; says how many it took. */
  readonly remember: (agent: string, records: readonly ArchivedRecord[]) => Promise<number>;
  readonly signal?: AbortSignal;
  /** Bytes done, of the two times that the file is read. */
  readonly onBytes?: (done: number) => void;
}

export interface Imported {
  readonly archive: CheckedArchive;
  readonly sessions: {
    readonly imported: number;
    readonly kept: number;
    readonly erased: number;
    readonly taken: number;
  };
  readonly entries: number;
  readonly records: { readonly imported: number; readonly kept: number };
}

const NAME = 'import';
// Others get their turn between: four times as much held the event loop for 0.2 s.
const STEP_LINES = 128;
const STEP_BYTES = 262_144;

/** How far an import is: kept in the store with each step, so that it goes on there. */
interface Progress {
  readonly sha256: string;
  readonly offset: number;
  /** From this number of the archive on, this much is added. A new one begins where others wrote in between. */
  readonly shifts: readonly (readonly [from: number, shift: number])[];
  readonly kept: number;
  readonly erased: number;
  readonly taken: number;
  readonly entries: number;
}

export async function importArchive(context: ImportContext, file: FileHandle): Promise<Imported> {
  const archive = await checkArchive(file, (done) => {
    context.signal?.throwIfAborted();
    context.onBytes?.(done);
  });
  const store = await context.storeOf(archive.head.agent);
  const step = new Steps(context, archive, store);
  await step.begin();
  let lines: Line[] = [];
  let bytes = 0;
  let at = step.offset;
  for await (const { bytes: text, next } of linesFrom(file, step.offset)) {
    if (next > archive.end) break;
    const line = readLine(text.toString('utf8'), 0);
    // Files name their sessions, which are to be there first.
    if (line.type !== 'session' && lines[0]?.type === 'session') {
      await step.take(lines, at);
      [lines, bytes] = [[], 0];
    }
    at = next;
    lines.push(line);
    bytes += text.length;
    if (lines.length < STEP_LINES && bytes < STEP_BYTES) continue;
    await step.take(lines, next);
    context.onBytes?.(archive.end + next);
    [lines, bytes] = [[], 0];
  }
  await step.take(lines, archive.end);
  const { shown, kept, erased, taken, entries } = await step.show();
  const records = await rememberAll(context, archive, file);
  return { archive, sessions: { imported: shown, kept, erased, taken }, entries, records };
}

class Steps {
  readonly #context: ImportContext;
  readonly #archive: CheckedArchive;
  readonly #store: AgentStore;
  #files: ReadonlyMap<number, number> = new Map();
  offset = 0;

  constructor(context: ImportContext, archive: CheckedArchive, store: AgentStore) {
    this.#context = context;
    this.#archive = archive;
    this.#store = store;
  }

  /** Goes on with this archive; of another one that a process left half way, nothing stays. */
  async begin(): Promise<void> {
    const { prepare, fingerprint } = this.#context;
    const { sha256, begin } = this.#archive;
    const isOurs = async (writing: Writing): Promise<boolean> => (await progressOf(writing))?.sha256 === sha256;
    let dropped = true;
    while (dropped) {
      dropped = await this.#store.write(async (writing) => !(await isOurs(writing)) && writing.dropStaged(prepare));
    }
    this.offset = await this.#store.write(async (writing) => {
      const known = await progressOf(writing);
      if (known?.sha256 === sha256) return known.offset;
      if ((await writing.meta('index')) === undefined) await writing.setMeta('index', fingerprint);
      const none = { kept: 0, erased: 0, taken: 0, entries: 0 };
      await keep(writing, { sha256, offset: begin, shifts: [], ...none });
      return begin;
    });
  }

  async take(lines: readonly Line[], next: number): Promise<void> {
    this.#context.signal?.throwIfAborted();
    if (lines.some(({ type }) => type !== 'session') && this.#files.size === 0) await this.#stageFiles();
    await this.#store.write(async (writing) => {
      const known = await this.#own(writing);
      const shifts = await shiftsFor(writing, known, lines);
      const counts = { kept: known.kept, erased: known.erased, taken: known.taken, entries: known.entries };
      const renumber = renumberBy(shifts);
      const written: number[] = [];
      for (const line of lines) {
        if (line.type === 'session') {
          const staged = await writing.stageSession(line.value, this.#context.clock.now());
          if (staged !== 'staged') counts[staged]++;
        } else if (line.type === 'entry') {
          const { blocks } = line.value;
          const entry = blocks === undefined ? line.value : { ...line.value, blocks: repointed(blocks, this.#files) };
          const id = await writing.stageEntry(entry, renumber);
          if (id === undefined) continue;
          counts.entries++;
          written.push(id);
        } else if (line.type === 'key') await writing.stageKey(line.value, renumber);
        else if (line.type === 'copy') await writing.stageCopy(line.value, renumber);
      }
      await writing.index(written, this.#context.prepare);
      await keep(writing, { sha256: known.sha256, offset: next, shifts, ...counts });
    });
    this.offset = next;
  }

  async show(): Promise<Progress & { readonly shown: number }> {
    return this.#store.write(async (writing) => {
      const known = await this.#own(writing);
      const { shown, kept } = await writing.showStaged(renumberBy(known.shifts), this.#context.prepare);
      await writing.setMeta(NAME, '');
      return { ...known, shown, kept: known.kept + kept };
    });
  }

  async #stageFiles(): Promise<void> {
    const { files } = this.#archive;
    const numbers = new Map<number, number>();
    for (let from = 0; from < files.length; from += STEP_LINES) {
      await this.#store.write(async (writing) => {
        for (const one of files.slice(from, from + STEP_LINES)) numbers.set(one.no, await writing.stageFile(one));
      });
    }
    this.#files = numbers;
  }

  async #own(writing: Writing): Promise<Progress> {
    const known = await progressOf(writing);
    if (known?.sha256 === this.#archive.sha256 && known.offset === this.offset) return known;
    throw new BackstoryError(
      'store_busy',
      `Another process imports an archive into the store of agent ${this.#archive.head.agent}.`,
      'Wait for it, then run the import again.',
    );
  }
}

async function progressOf(writing: Writing): Promise<Progress | undefined> {
  const value = await writing.meta(NAME);
  return value === undefined || value === '' ? undefined : (JSON.parse(value) as Progress);
}

async function keep(writing: Writing, progress: Progress): Promise<void> {
  await writing.setMeta(NAME, JSON.stringify(progress));
}

/** Entries go above all others: those of a host that writes meanwhile stay where they are. */
async function shiftsFor(writing: Writing, { shifts }: Progress, lines: readonly Line[]): Promise<Progress['shifts']> {
  const first = lines.find(({ type }) => type === 'entry') as Extract<Line, { type: 'entry' }> | undefined;
  if (first === undefined) return shifts;
  const last = await writing.lastEntry();
  const shift = shifts.at(-1)?.[1];
  if (shift === undefined) return [[first.value.no, last]];
  return first.value.no + shift > last ? shifts : [...shifts, [first.value.no, last + 1 - first.value.no]];
}

function renumberBy(shifts: Progress['shifts']): Renumber {
  return (no) => no + (shifts.findLast(([from]) => from <= no) ?? shifts[0] ?? [0, 0])[1];
}

/** Blocks with their pointers into files as they are numbered here; one into a file that is not known goes. */
function repointed(blocks: readonly StoredBlock[], files: ReadonlyMap<number, number>): StoredBlock[] {
  return blocks.map((block): StoredBlock => {
    if (!('pointer' in block) || block.pointer === undefined) return block;
    const { pointer, ...rest } = block;
    const file = files.get(pointer.file);
    return (file === undefined ? rest : { ...block, pointer: { ...pointer, file } }) as StoredBlock;
  });
}

// Each record is whole by itself and known by its id: no need to put them aside.
async function rememberAll(
  context: ImportContext,
  archive: CheckedArchive,
  file: FileHandle,
): Promise<Imported['records']> {
  const { counts, head, begin, end } = archive;
  let imported = 0;
  if (counts.records === 0) return { imported, kept: 0 };
  let records: ArchivedRecord[] = [];
  for await (const { bytes, next } of linesFrom(file, begin)) {
    if (next > end) break;
    const line = bytes.subarray(0, 16).toString().startsWith('{"type":"record"')
      ? readLine(bytes.toString('utf8'), 0)
      : undefined;
    if (line?.type === 'record') records.push(line.value);
    if (records.length < STEP_LINES) continue;
    imported += await context.remember(head.agent, records);
    records = [];
  }
  if (records.length > 0) imported += await context.remember(head.agent, records);
  return { imported, kept: counts.records - imported };
}
