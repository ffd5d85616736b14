// Reads one changed file into its agent's store: batches in short transactions, the file's state with the last of each.

import { FileState } from '../files/index.ts';
import type { Clock } from '../model/clock.ts';
import { isBackstoryError } from '../model/errors.ts';
import type { EntrySink, ForeignDatabase, ReadOutcome } from '../sources/contract.ts';
import type { AgentStore } from '../store/contract.ts';
import type { FileChange, FileNumbers, FileRecord, IndexText, InstanceRecord, Writing } from '../store/writing.ts';
import { Applier } from './apply.ts';
import { Batch, type Op } from './batch.ts';
import type { Excludable } from './exclude.ts';
import { AheadLost, type ApplyBatch, type ReadAhead } from './read-ahead.ts';
import { type Task, UNFINISHED } from './sync-plan.ts';
import type { Tallying } from './sync-report.ts';

export interface ReadContext {
  readonly store: AgentStore;
  readonly instance: InstanceRecord;
  readonly prepare: (text: string) => IndexText;
  readonly parse: 'fast' | 'full';
  readonly toolInputChars: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  readonly openDatabase: (path: string) => ForeignDatabase;
  /** The number of the rule that excludes a session, for files of many sessions (SRC-52). */
  readonly excluded: (what: Excludable) => number | undefined;
  readonly onBytes: (bytes: number) => void;
  /** Sessions that were deleted are read again (SES-174). */
  readonly again: boolean;
  readonly isTimeUp: () => boolean;
  /** Files that are read ahead, if any are. */
  readonly ahead?: ReadAhead;
  /** Keeps the lease of the instance, within a transaction. */
  readonly renew: (writing: Writing) => Promise<void>;
}

// One transaction holds at most this (SRC-42): no writer waits long for it.
const MAX_ENTRIES = 512;
const MAX_TEXT = 1_048_576;
// A file that could not be read is tried again after these waits, then hourly (SRC-47).
const RETRY_MS = [1_000, 10_000, 60_000, 600_000, 3_600_000];
const RETRIED = new Set(['unreadable', 'unstable', 'busy']);

const GROUPED = { grouped: true } as const;
const SETTLED_NS = 2_000_000_000n;

// Different things counted of one file: they are written anew at each commit, and a hostile file has a new type on each line.
const MAX_COUNTED = 200;

/** The time given was used up after a batch: what is applied stays, the next call goes on (SRC-41). */
class OutOfTime extends Error {}

/** Another process applied a batch of this file first: what was read here is thrown away (SRC-44). */
class Overtaken extends Error {}

/** `overtaken`: another process was faster, the file must be planned again. `left`: the time was up. */
export async function readFile(
  context: ReadContext,
  task: Task,
  tally: Tallying,
): Promise<'done' | 'overtaken' | 'left'> {
  const { store, instance, clock } = context;
  const saved = task.known && (await store.write((writing) => writing.fileState(task.known!.no), GROUPED));
  const usable = task.known?.reader === task.source.version ? saved : undefined;
  const run = new FileRun(context, task, usable);
  const sink: EntrySink = run.batch;
  try {
    const ahead = task.known === undefined ? context.ahead?.read(task, run.apply, context.onBytes) : undefined;
    const outcome = await (ahead ??
      task.source.read(
        task.instance,
        task.file,
        {
          state: usable?.state,
          parse: context.parse,
          toolInputChars: context.toolInputChars,
          clock,
          ...(context.signal ? { signal: context.signal } : {}),
          openDatabase: context.openDatabase,
          mayRead: (what) =>
            context.excluded({ source: task.source.name, path: task.file.path, project: undefined, ...what }) ===
            undefined,
          onBytes: context.onBytes,
        },
        sink,
      ));
    await run.finish(outcome);
    count(tally, task, outcome, run.applier);
    return 'done';
  } catch (error) {
    if (error instanceof Overtaken || error instanceof AheadLost) return 'overtaken';
    if (error instanceof OutOfTime) {
      addEntries(tally, run.applier);
      return 'left';
    }
    const reason =
      reasonOf(error) ?? (isBackstoryError(error) || context.signal?.aborted ? undefined : 'unreadable (error)');
    // What one file cannot be read for holds back no other (SRC-47).
    if (reason === undefined) throw error;
    tally.fail(task.file.absolute, reason, task.instance);
    // A store that is busy keeps no note of it; the next sync looks again anyway.
    if (reason === 'busy') return 'done';
    await store.write((writing) =>
      writing.putFile(instance.no, task.file.path, failed(context, task, reason), undefined),
    );
    return 'done';
  }
}

class FileRun {
  readonly applier: Applier;
  readonly batch: Batch;
  readonly #context: ReadContext;
  readonly #task: Task;
  readonly #counts: Map<string, number>;
  #record: FileRecord | undefined;
  #lastState: Uint8Array | undefined;

  constructor(
    context: ReadContext,
    task: Task,
    saved: { readonly state?: Uint8Array; readonly counts: Readonly<Record<string, number>> } | undefined,
  ) {
    this.#context = context;
    this.#task = task;
    this.#record = task.known;
    this.#counts = new Map(Object.entries(saved?.counts ?? {}));
    this.#lastState = saved?.state;
    this.applier = new Applier({
      agentId: task.instance.agentId,
      source: task.source,
      file: task.file,
      root: task.instance.root,
      prepare: context.prepare,
      now: Number(task.file.stat.mtimeMs),
      syncedAt: context.clock.now(),
      again: context.again,
    });
    this.batch = new Batch(this.apply);
  }

  readonly apply: ApplyBatch = async (ops, counts, state) => {
    if (ops[0]?.type === 'restart') this.#counts.clear();
    for (const [counted, number] of counts) {
      // What has a `:` is named by the file.
      const known = !counted.includes(':') || this.#counts.has(counted);
      const name = known || this.#counts.size < MAX_COUNTED ? counted : 'others';
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + number);
    }
    const parts = cut(ops);
    for (const [index, part] of parts.entries()) {
      const last = index === parts.length - 1;
      await this.#context.store.write(async (writing) => {
        await this.#assertOurs(writing);
        const record = await this.#row(writing);
        await this.applier.apply(writing, part, record.no);
        if (last) await this.#put(writing, { outcome: UNFINISHED, state });
      }, GROUPED);
    }
    this.#lastState = state;
    // A look that only moved the state on is not stopped: else a short budget would meet it again for ever.
    if (ops.length > 0 && this.#task.file.layout !== 'zst' && this.#context.isTimeUp()) throw new OutOfTime();
  };

  // Every part, and not the last one alone, applies only on the state this reading started from (SRC-44).
  async #assertOurs(writing: Writing): Promise<void> {
    const { instance, renew } = this.#context;
    await renew(writing);
    const row = await writing.file(instance.no, this.#task.file.path);
    if ((row?.version ?? 0) !== (this.#record?.version ?? 0)) throw new Overtaken();
  }

  // The row must be there before its entries, which point to it by number.
  async #row(writing: Writing): Promise<FileRecord> {
    if (this.#record) return this.#record;
    await this.#put(writing, { outcome: UNFINISHED });
    return this.#record!;
  }

  async #put(writing: Writing, what: { outcome: string; detail?: string; state?: Uint8Array }): Promise<void> {
    const { instance } = this.#context;
    const session = this.applier.mainSession?.no;
    const change: FileChange = {
      ...numbersOf(this.#context, this.#task, what.state ?? this.#lastState),
      reader: this.#task.source.version,
      outcome: what.outcome,
      ...(what.detail === undefined ? {} : { detail: what.detail }),
      ...(session === undefined ? {} : { session }),
      ...(what.state ? { state: what.state } : {}),
      counts: Object.fromEntries(this.#counts),
    };
    const record = await writing.putFile(instance.no, this.#task.file.path, change, this.#record?.version ?? 0);
    if (!record) throw new Overtaken();
    this.#record = record;
  }

  async finish(outcome: ReadOutcome): Promise<void> {
    const { store } = this.#context;
    if (outcome.kind === 'gone') return;
    await store.write(async (writing) => {
      await this.applier.finish(writing);
      if (outcome.kind === 'skipped') {
        const { reason, detail } = outcome;
        if (RETRIED.has(reason)) {
          const change = failed(this.#context, this.#task, reason);
          await writing.putFile(this.#context.instance.no, this.#task.file.path, change, undefined);
        } else await this.#put(writing, { outcome: reason, ...(detail === undefined ? {} : { detail }) });
      } else await this.#put(writing, { outcome: 'read' });
    }, GROUPED);
  }
}

function addEntries(tally: Tallying, applier: Applier): void {
  tally.entries.added += applier.tally.added;
  tally.entries.changed += applier.tally.changed;
  tally.entries.erased += applier.tally.erased;
}

function count(tally: Tallying, task: Task, outcome: ReadOutcome, applier: Applier): void {
  addEntries(tally, applier);
  if (outcome.kind === 'skipped') {
    const reason = outcome.detail === undefined ? outcome.reason : `${outcome.reason} (${outcome.detail})`;
    if (RETRIED.has(outcome.reason)) tally.fail(task.file.absolute, reason, task.instance);
    else tally.skip(task.file.absolute, reason, task.instance);
  } else if (outcome.kind === 'gone') tally.skip(task.file.absolute, 'vanished', task.instance);
  else if (outcome.kind === 'same') tally.unchanged++;
  else tally.imported++;
}

// Numbers of the stat at which the file was last read well: the reader's own where it follows a growing file.
function numbersOf(context: ReadContext, task: Task, state: Uint8Array | undefined): FileNumbers {
  const read = state && FileState.decode(state);
  if (read) {
    const { dev, ino, size, mtimeNs, ctimeNs, settled } = read;
    return { dev, ino, size, mtimeNs, ctimeNs, settled };
  }
  const { stat } = task.file;
  return {
    dev: stat.dev,
    ino: stat.ino,
    size: Number(stat.size),
    mtimeNs: stat.mtimeNs,
    ctimeNs: stat.ctimeNs,
    settled: BigInt(context.clock.now()) * 1_000_000n - stat.mtimeNs >= SETTLED_NS,
  };
}

function failed(context: ReadContext, task: Task, reason: string): FileChange {
  const tries = (task.known?.tries ?? 0) + 1;
  const wait = RETRY_MS[Math.min(tries, RETRY_MS.length) - 1]!;
  return {
    ...numbersOf(context, task, undefined),
    settled: false,
    reader: task.source.version,
    outcome: reason,
    tries,
    retryAt: context.clock.now() + wait,
  };
}

function reasonOf(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === 'store_busy') return 'busy';
  return typeof code === 'string' && /^E[A-Z]+$/.test(code) ? `unreadable (${code})` : undefined;
}

function cut(ops: Op[]): Op[][] {
  const parts: Op[][] = [];
  let part: Op[] = [];
  let text = 0;
  for (const op of ops) {
    part.push(op);
    if (op.type === 'message') for (const block of op.blocks) text += block.text?.length ?? 0;
    if (part.length >= MAX_ENTRIES || text >= MAX_TEXT) {
      parts.push(part);
      part = [];
      text = 0;
    }
  }
  if (part.length > 0 || parts.length === 0) parts.push(part);
  return parts;
}
