// A store of lines in memory that keeps its promises: rows and state change together, at commits only.
import * as nodeFs from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import {
  type Anchor,
  decodeLine,
  FileFollower,
  FileState,
  type FileSystem,
  type FollowerOptions,
  type LineAt,
  type LineSink,
  type ReadOptions,
  type ReadOutcome,
  type ReadStart,
} from '../../src/files/index.ts';
import type { Clock } from '../../src/model/clock.ts';

export interface Row {
  readonly offset: number;
  readonly number: number;
  readonly text: string;
  /** A part of a line over maxLineBytes; `last` closes it. */
  readonly part?: 'part' | 'last';
}

type AnchorRule = 'end' | 'line before the last' | 'last segment';

export class Recorder implements LineSink {
  rows: Row[] = [];
  unfinished: Row | undefined;
  state: Uint8Array | undefined;
  starts: ReadStart[] = [];
  commits: FileState[] = [];
  rollbacks = 0;
  rule: AnchorRule = 'end';
  #end = { offset: 0, number: 1 };
  #committed: { rows: Row[]; unfinished: Row | undefined } = { rows: [], unfinished: undefined };

  start(at: ReadStart): void {
    this.starts.push(at);
    this.rows = this.rows.filter((row) => row.offset < at.offset);
    this.unfinished = undefined;
    this.#end = { offset: at.offset, number: at.number };
  }
  line(bytes: Uint8Array, at: LineAt): undefined | 'commit' {
    this.rows.push({ ...at, text: decodeLine(bytes) });
    this.#end = { offset: at.offset + bytes.length + 1, number: at.number + 1 };
    return undefined;
  }
  segment(bytes: Uint8Array, at: LineAt, last: boolean): undefined | 'commit' {
    this.rows.push({ ...at, text: decodeLine(bytes), part: last ? 'last' : 'part' });
    if (last) this.#end = { offset: at.offset + bytes.length + 1, number: at.number + 1 };
    else if (this.rule === 'last segment') this.#end = at;
    return undefined;
  }
  tail(bytes: Uint8Array, at: LineAt): void {
    this.unfinished = { ...at, text: decodeLine(bytes) };
  }
  anchor(): Anchor {
    const data = Buffer.from(`rows ${this.rows.length}`);
    const before = this.rows.at(-2);
    if (this.rule === 'line before the last' && before) return { offset: before.offset, number: before.number, data };
    return { ...this.#end, data };
  }
  commit(state: FileState): void | Promise<void> {
    this.state = FileState.encode(state);
    this.commits.push(state);
    this.#committed = { rows: [...this.rows], unfinished: this.unfinished };
  }
  rollback(): void {
    this.rollbacks++;
    this.rows = [...this.#committed.rows];
    this.unfinished = this.#committed.unfinished;
  }
  /** What a caller does for a file that is gone. */
  drop(): void {
    this.rows = [];
    this.unfinished = undefined;
    this.state = undefined;
    this.#committed = { rows: [], unfinished: undefined };
  }
  get texts(): string[] {
    return this.rows.map((row) => row.text);
  }
  /** Whole text of each line, segments joined. */
  get lines(): string[] {
    const lines = new Map<number, string>();
    for (const row of this.rows) lines.set(row.number, (lines.get(row.number) ?? '') + row.text);
    return [...lines.values()];
  }
}

/** Real time, moved on by a minute, so that what a test has just written is settled; `fresh`: not moved. */
export const later: Clock = {
  now: () => Number(process.hrtime.bigint() / 1_000_000n) + epochMs + 60_000,
  elapsed: () => 0,
};
export const fresh: Clock = { now: () => later.now() - 60_000, elapsed: () => 0 };
const epochMs = Date.now() - Number(process.hrtime.bigint() / 1_000_000n);

/** One file's rows and the follower that feeds them. */
export class World {
  readonly root: string = mkdtempSync(join(tmpdir(), 'follow-'));
  readonly follower: FileFollower;
  readonly sinks: Map<string, Recorder> = new Map();

  constructor(options: Partial<FollowerOptions> = {}) {
    folders.push(this.root);
    this.follower = new FileFollower(this.root, { clock: later, ...options });
  }
  at(path: string): string {
    return join(this.root, path);
  }
  sink(path = 'a.log'): Recorder {
    const sink = this.sinks.get(path) ?? new Recorder();
    this.sinks.set(path, sink);
    return sink;
  }
  async look(path = 'a.log', options: ReadOptions = {}): Promise<ReadOutcome> {
    const sink = this.sink(path);
    const outcome = await this.follower.read(path, sink.state, sink, options);
    if (outcome.kind === 'gone' || outcome.reason === 'not_regular') sink.drop();
    return outcome;
  }
  write(text: string | Uint8Array, path = 'a.log'): void {
    nodeFs.writeFileSync(this.at(path), text);
  }
  append(text: string | Uint8Array, path = 'a.log'): void {
    nodeFs.appendFileSync(this.at(path), text);
  }
  inPlace(text: string | Uint8Array, position = 0, path = 'a.log'): void {
    const fd = nodeFs.openSync(this.at(path), 'r+');
    nodeFs.writeSync(fd, Buffer.from(text as string), 0, undefined, position);
    nodeFs.closeSync(fd);
  }
  replace(text: string, path = 'a.log'): void {
    nodeFs.writeFileSync(this.at(`${path}.new`), text);
    nodeFs.renameSync(this.at(`${path}.new`), this.at(path));
  }
  /** What was counted since, as [opened, bytesRead, bytesChecked]. */
  async cost(work: () => Promise<unknown>): Promise<number[]> {
    const { opened, bytesRead, bytesChecked } = this.follower.counters;
    await work();
    const now = this.follower.counters;
    return [now.opened - opened, now.bytesRead - bytesRead, now.bytesChecked - bytesChecked];
  }
}

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** `node:fs` with some calls replaced, which is how races are staged (FILE-26). */
export function fsWith(changes: Partial<FileSystem>): FileSystem {
  return { ...nodeFs, ...changes };
}

/** A stat with other numbers. */
export function withNumbers(stat: nodeFs.BigIntStats, numbers: Partial<nodeFs.BigIntStats>): nodeFs.BigIntStats {
  return Object.assign(Object.create(Object.getPrototypeOf(stat)), stat, numbers);
}
