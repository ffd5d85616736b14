// A product's log of typed prompts, over all sessions: read for sessions whose own file is gone (SRC-100, SRC-120).
import { hash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { EntrySink, Instance, PlannedFile, ReadOptions, ReadOutcome, SessionRef } from './contract.ts';
import { type Line, type LineReader, readJsonl } from './jsonl.ts';
import { Timeline } from './timeline.ts';

const PATH = 'history.jsonl';

/** One typed prompt of such a log. */
export interface TypedPrompt {
  readonly session: string;
  readonly text: string;
  readonly at: unknown;
  /** Where the text stands in its record. */
  readonly path: readonly string[];
  readonly project?: string;
  /** Where the session's own file would be, for exclude rules. */
  readonly file?: string;
}

/** The log as a file to read, or nothing where there is none. `sessions`: those that have a file of their own. */
export function promptHistory(instance: Instance, sessions: ReadonlySet<string>): readonly PlannedFile[] {
  const absolute = join(instance.root, PATH);
  const stat = lstatSync(absolute, { bigint: true, throwIfNoEntry: false });
  if (!stat?.isFile()) return [];
  return [{ path: PATH, absolute, stat, session: { native: '' }, layout: 'prompts', remainder: { besides: sessions } }];
}

/** `promptOf`: undefined for a record that is none of the log's. */
export function readPrompts(
  source: string,
  instance: Instance,
  file: PlannedFile,
  options: ReadOptions,
  out: EntrySink,
  promptOf: (record: Record<string, unknown>) => TypedPrompt | undefined,
): Promise<ReadOutcome> {
  return readJsonl(
    source,
    instance,
    file,
    options,
    out,
    (saved, sink) => new Prompts(saved, sink, file, options, promptOf),
  );
}

class Prompts implements LineReader {
  readonly #out: EntrySink;
  readonly #file: PlannedFile;
  readonly #mayRead: ReadOptions['mayRead'];
  readonly #promptOf: (record: Record<string, unknown>) => TypedPrompt | undefined;
  readonly #times: Timeline;
  readonly #sessions = new Map<string, SessionRef>();

  constructor(
    saved: unknown,
    out: EntrySink,
    file: PlannedFile,
    options: ReadOptions,
    promptOf: (record: Record<string, unknown>) => TypedPrompt | undefined,
  ) {
    this.#out = out;
    this.#file = file;
    this.#mayRead = options.mayRead;
    this.#promptOf = promptOf;
    this.#times = new Timeline(out, options.clock.now(), Number(file.stat.mtimeMs), saved);
  }

  known(record: Record<string, unknown>): boolean {
    return this.#promptOf(record) !== undefined;
  }

  fast(): boolean {
    return false;
  }

  record(record: Record<string, unknown>, line: Line): void {
    const prompt = this.#promptOf(record);
    if (!prompt) return;
    const { session: native, text, path, project, file } = prompt;
    const at = this.#times.see(prompt.at);
    if (text.trim() === '' || native === '' || this.#file.remainder?.besides.has(native)) return;
    const path_ = file === undefined ? {} : { path: file };
    const where = { session: native, ...(project === undefined ? {} : { project }), ...path_ };
    if (this.#mayRead && !this.#mayRead({ ...where, ...(at === undefined ? {} : { lastAt: at }) })) return;
    const session = this.#sessions.get(native) ?? { native };
    if (!this.#sessions.has(native) && project !== undefined) this.#out.facts(session, { cwd: project });
    this.#sessions.set(native, session);
    // By its time and text, not by its place: the product cuts the log at its beginning.
    const id = hash('sha256', `${at ?? ''}\0${text}`, 'hex').slice(0, 16);
    const pointer = { file: 0, offset: line.offset, length: line.length, path, digest: line.digest() };
    this.#times.give({ session, id, kind: 'prompt', text, pointer }, at);
  }

  end(): boolean {
    return this.#times.guess();
  }

  save(): unknown {
    return this.#times.save();
  }
}
