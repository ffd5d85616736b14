// An engine on a home of its own with a clock that tests move, and contexts of namespace workspace=app|route=/a.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MemoryConfig } from '../../src/config/index.ts';
import { type Backstory, type BackstoryOptions, openBackstory } from '../../src/engine/engine.ts';
import type { MemoryContext } from '../../src/engine/memory-context.ts';
import type { ContextOptions } from '../../src/episodes/context.ts';
import type { RecordResult } from '../../src/episodes/health.ts';
import type { RunInit } from '../../src/episodes/run-facts.ts';
import type { MemoryRecord } from '../../src/model/episode.ts';
import { openSqliteMemories } from '../../src/store/sqlite/memory-set.ts';

export const NS = 'workspace=app|route=/a';
export const T0: number = Date.parse('2026-08-10T18:00:00.000Z');
export const DAY = 86_400_000;

export interface Steps {
  readonly home: string;
  readonly backstory: Backstory;
  readonly lines: string[];
  /** Wall time. Setting it is a clock that was set. */
  now: number;
  /** Both clocks go on. */
  pass(ms: number): void;
  context(options?: ContextOptions): Promise<MemoryContext>;
  /** Another engine on the same home, as another process would have. */
  another(memory?: MemoryConfig): Promise<Backstory>;
  /** "Record X": started now, settled 1.4 s later. Returns its id. */
  record(input: unknown, init?: RunInit & { readonly tools?: readonly string[] }): Promise<string>;
  recordResult(input: unknown, init?: RunInit): Promise<RecordResult>;
  /** Every record of the store, in the order of event time, whatever its status. */
  all(agent?: string): Promise<MemoryRecord[]>;
  one(id: string): Promise<MemoryRecord>;
}

const made: (() => Promise<void>)[] = [];

export async function makeSteps(memory: MemoryConfig = {}, options: BackstoryOptions = {}): Promise<Steps> {
  const home = mkdtempSync(join(tmpdir(), 'backstory-episodes-'));
  const engines: Backstory[] = [];
  const lines: string[] = [];
  const state = { now: T0, elapsed: 1_000 };
  const clock = { now: () => state.now, elapsed: () => state.elapsed };
  const settings = (more: MemoryConfig): MemoryConfig => ({
    workspace: 'app',
    writes: 'auto',
    ...more,
    episodes: { enabled: true, ...more.episodes },
  });
  const open = async (more: MemoryConfig): Promise<Backstory> => {
    const host = { env: {}, home, platform: process.platform };
    const logger = { warn: (line: string) => void lines.push(line) };
    const engine = await openBackstory({ home, clock, host, logger, memory: settings(more), ...options });
    engines.push(engine);
    return engine;
  };
  const backstory = await open(memory);
  made.push(async () => {
    for (const engine of engines) await engine.close();
    rmSync(home, { recursive: true, force: true });
  });
  let context: Promise<MemoryContext> | undefined;
  const steps: Steps = {
    home,
    backstory,
    lines,
    get now() {
      return state.now;
    },
    set now(value) {
      state.now = value;
    },
    pass(ms) {
      state.now += ms;
      state.elapsed += ms;
    },
    context: (given = {}) => backstory.episodes.context({ agent: 'main', route: '/a', ...given }),
    another: (more = memory) => open(more),
    async recordResult(input, init = {}) {
      context ??= steps.context();
      const { recorder } = await context;
      const run = recorder.start({ ...init, input });
      for (const tool of (init as { tools?: readonly string[] }).tools ?? []) run.tool(tool).ok();
      steps.pass(1_400);
      return run.settle();
    },
    async record(input, init) {
      const result = await steps.recordResult(input, init);
      if (!result.recorded) throw new Error(`not recorded: ${result.reason}`);
      return result.id;
    },
    async all(agent = 'main') {
      const stores = openSqliteMemories({ folder: join(home, 'memory') });
      try {
        const store = await stores.open(agent);
        const listed = (await store?.read((reading) => reading.list({}, 100_000))) ?? [];
        return [...listed].sort((a, b) => a.at - b.at || a.no - b.no).map(({ record }) => record);
      } finally {
        await stores.close();
      }
    },
    async one(id) {
      const found = (await steps.all()).find((record) => record.id === id);
      if (found === undefined) throw new Error(`there is no record ${id}`);
      return found;
    },
  };
  return steps;
}

/** Closes every engine and removes every home made since. */
export async function removeSteps(): Promise<void> {
  for (const remove of made.splice(0)) await remove();
}
