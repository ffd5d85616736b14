// One agent's history and memory as the lines of an archive, from one snapshot each, a part at a time (SUR-72).
import { createHash } from 'node:crypto';
import type { Masker } from '../redact/masker.ts';
import type { ArchiveReading, MemoryArchiveReading, Part, Place } from '../store/archive.ts';
import type { AgentStore } from '../store/contract.ts';
import {
  ARCHIVE_VERSION,
  COUNTED,
  type Counts,
  type Lines,
  type LineType,
  lineOf,
  NO_LINES,
} from './archive-format.ts';
import { archiveMasks } from './archive-mask.ts';

/** Takes what is ready, in order, and says when it can take more. */
export type ArchiveOutput = (text: string) => void | Promise<void>;

export interface ExportContext {
  readonly agent: string;
  /** Undefined: texts as they were stored. */
  readonly masker: Masker | undefined;
  readonly sessions: AgentStore | undefined;
  /** Reads the agent's memory in a snapshot of its own; undefined: it has none. */
  readonly memory: (<T>(work: (reading: MemoryArchiveReading) => Promise<T>) => Promise<T>) | undefined;
  readonly output: ArchiveOutput;
  readonly signal?: AbortSignal;
}

export interface Exported {
  readonly counts: Counts;
  /** Of all lines before the last, with their line feeds. */
  readonly sha256: string;
  /** Of the whole archive. */
  readonly bytes: number;
}

const FLUSH_CHARACTERS = 262_144;

export async function exportArchive(context: ExportContext): Promise<Exported> {
  const { agent, masker, sessions, memory } = context;
  const lines = new LineWriter(context);
  const masks = masker === undefined ? undefined : archiveMasks(masker);
  await lines.write('head', {
    format: 'backstory-archive',
    version: ARCHIVE_VERSION,
    agent,
    raw: masker === undefined,
  });
  await sessions?.read(async (reading: ArchiveReading) => {
    await lines.all('session', (at) => reading.archivedSessions(at), masks?.session);
    if (masks === undefined) await lines.all('file', (at) => reading.archivedFiles(at));
    await lines.all('entry', (at) => reading.archivedEntries(at), masks?.entry);
    if (masks !== undefined) return;
    await lines.all('key', (at) => reading.archivedKeys(at));
    await lines.all('copy', (at) => reading.archivedCopies(at));
  });
  await memory?.((reading) => lines.all('record', (at) => reading.archived(at), masks?.record));
  return lines.end();
}

class LineWriter {
  readonly #context: ExportContext;
  readonly #hash = createHash('sha256');
  readonly #counts: { -readonly [Name in keyof Counts]: number } = { ...NO_LINES };
  #ready = '';
  #bytes = 0;

  constructor(context: ExportContext) {
    this.#context = context;
  }

  async all<Type extends Exclude<LineType, 'head' | 'end'>>(
    type: Type,
    partAfter: (after: Place | undefined) => Part<Lines[Type]> | Promise<Part<Lines[Type]>>,
    masked: (row: Lines[Type]) => Lines[Type] = (row) => row,
  ): Promise<void> {
    let after: Place | undefined;
    do {
      const { rows, next } = await partAfter(after);
      for (const row of rows) await this.write(type, masked(row));
      after = next;
      // Everybody else's turn, also where the output never makes it wait.
      await new Promise((resolve) => setImmediate(resolve));
      this.#context.signal?.throwIfAborted();
    } while (after !== undefined);
  }

  async write<Type extends LineType>(type: Type, value: Lines[Type]): Promise<void> {
    const counter = COUNTED[type];
    if (counter !== undefined) this.#counts[counter]++;
    this.#ready += lineOf(type, value);
    if (this.#ready.length >= FLUSH_CHARACTERS) await this.#flush();
  }

  async end(): Promise<Exported> {
    await this.#flush();
    const [counts, sha256] = [this.#counts, this.#hash.digest('hex')];
    const last = lineOf('end', { counts, sha256 });
    await this.#context.output(last);
    return { counts, sha256, bytes: this.#bytes + Buffer.byteLength(last) };
  }

  async #flush(): Promise<void> {
    const text = this.#ready;
    this.#ready = '';
    this.#hash.update(text);
    this.#bytes += Buffer.byteLength(text);
    await this.#context.output(text);
  }
}
