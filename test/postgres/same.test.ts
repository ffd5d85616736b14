// Whatever is done to memory, by whoever may: PostgreSQL gives the records, order, scores and counts of SQLite (EPI-162).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Server, startServer } from '../../scripts/postgres-server.mjs';
import { operator } from '../../src/access/caller.ts';
import type { MemoryConfig } from '../../src/config/index.ts';
import { defineMemory } from '../../src/episodes/define.ts';
import { BackstoryError } from '../../src/model/errors.ts';
import { DAY, makeSteps, removeSteps, type Steps } from '../episodes/steps.ts';

let server: Server;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.stop());

const scope = ['workspace', 'route'] as const;
const definitions = [
  undefined,
  defineMemory({ kind: 'episodic', scope: [...scope], schema: z.object({ event: z.string() }) }),
  defineMemory({
    kind: 'semantic',
    scope: [...scope],
    schema: z.object({ subject: z.string(), predicate: z.string(), object: z.string() }),
  }),
];

const WORDS = [
  'order',
  'refund',
  'deploy',
  'Überweisung',
  '注文',
  '认证系统',
  'snake_case',
  'getUserById',
  "it's",
  'c++',
];
const MORE = ['a\\b', '\u{1f680}', 'the', 'build-42', 'w'.repeat(70), 'x\0y'];
const word = fc.constantFrom(...WORDS, ...MORE);
const text = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));
const query = fc.oneof(
  text,
  text.map((words) => `"${words}"`),
  fc.tuple(word, word).map(([one, other]) => `${one} -${other}`),
  fc.tuple(word, word).map(([one, other]) => `${one} OR ${other}`),
  word.map((one) => `${one.slice(0, 3)}*`),
);
const one = <const T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const maybe = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(values, { nil: undefined });
const route = one('/a', '/a', '/a', '/b');
const thread = one('t0', 't1', 't2');
const tags = fc.subarray(['red', 'green', 'blue']);
const kind = one('episodic', 'semantic', 'reflection');
const tool = one('read', 'write', 'order');
const outcome = one('ok', 'error', 'cancelled');
const since = one('-1h', '-6h', '-1d', '2026-08-11');
const until = one('-30m', '-12h', '2026-08-12T00:00:00.000Z', '+1d');
const narrowed = {
  query: maybe(query),
  kind: maybe(kind),
  tags: maybe(tags),
  since: maybe(since),
  until: maybe(until),
  outcome: maybe(outcome),
  tool: maybe(tool),
  threadId: maybe(thread),
};
const named = maybe(one('workspace=app|route=/a', 'workspace=app'));

/** Name and arguments of one thing that may be done. */
const steps = {
  run: fc.record({
    route,
    input: text,
    run: fc.nat(40),
    thread,
    tools: fc.array(tool, { maxLength: 3 }),
    outcome,
    ms: one(0, 0, 1_400),
  }),
  park: fc.record({ route, input: text, run: fc.nat(40), thread }),
  resume: fc.record({ route, thread, settles: fc.boolean() }),
  remember: fc.record({
    route,
    definition: fc.nat(2),
    words: text,
    subject: fc.nat(2),
    tags,
    call: maybe(fc.nat(5)),
    by: one('tool', 'user'),
  }),
  pass: fc.record({ ms: fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: DAY / 4 })) }),
  review: fc.record({ which: fc.nat(50), how: one('approve', 'reject', 'forget', 'forget', 'inspect') }),
  prune: fc.record({
    cap: maybe(fc.nat(6)),
    older: maybe(one('1d', '2d')),
    source: maybe(one('run', 'tool')),
    kind: maybe(kind),
    dryRun: maybe(fc.boolean()),
    namespace: named,
  }),
  erase: fc.oneof(
    thread.map((name) => ({ thread: name })),
    fc.nat(40).map((n) => ({ run: `r${n}` })),
    fc.constant({ namespace: 'workspace=app|route=/b' }),
  ),
  consolidate: fc.record({ dryRun: maybe(fc.boolean()) }),
  reflect: fc.record({ dryRun: maybe(fc.boolean()) }),
  recall: fc.record({
    route,
    options: fc.record({ ...narrowed, limit: maybe(one(1, 2, 5, 100)), collapse: maybe(fc.boolean()) }),
  }),
  timeline: fc.record({
    route,
    options: fc.record({
      ...narrowed,
      bucket: maybe(one('hour', 'day', 'week')),
      by: maybe(one('outcome', 'tool', 'kind', 'tag', 'thread')),
    }),
  }),
  list: fc.record({
    status: maybe(one('active', 'candidate', 'superseded', 'parked')),
    kind: maybe(kind),
    query: maybe(query),
    namespace: named,
    limit: one(1, 3, 50),
  }),
} as const;
type Name = keyof typeof steps;
const WEIGHTS: Readonly<Record<Name, number>> = {
  run: 12,
  park: 2,
  resume: 2,
  remember: 6,
  pass: 5,
  review: 4,
  prune: 2,
  erase: 1,
  consolidate: 1,
  reflect: 1,
  recall: 8,
  timeline: 4,
  list: 2,
};
type Step = { readonly name: Name; readonly given: never };
const anyStep = fc.oneof(
  ...(Object.keys(steps) as Name[]).map((name) => ({
    weight: WEIGHTS[name],
    arbitrary: (steps[name] as fc.Arbitrary<never>).map((given): Step => ({ name, given })),
  })),
);

/** Options that are given. */
function given<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

/** Everything that has a cursor, page by page. */
async function pages(
  ask: (cursor: object) => Promise<{ readonly coverage: { readonly cursor?: string } }>,
): Promise<unknown[]> {
  const all: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask(cursor === undefined ? {} : { cursor });
    all.push(page);
    ({ cursor } = page.coverage);
  } while (cursor !== undefined && all.length < 6);
  return all;
}

type Doing = { readonly [N in Name]: (given: (typeof steps)[N] extends fc.Arbitrary<infer G> ? G : never) => unknown };

function doing(world: Steps): Doing {
  const { episodes } = world.backstory;
  const at = (route: string, more: object = {}) => world.context({ route, ...more });
  return {
    async run({ route, input, run: n, thread, tools, outcome, ms }) {
      const { recorder } = await at(route);
      const run = recorder.start({ input, runId: `r${n}`, threadId: thread });
      for (const name of tools) run.tool(name).ok();
      world.pass(ms);
      return outcome === 'ok' ? run.settle() : outcome === 'error' ? run.fail(new Error(input)) : run.cancel('stop');
    },
    park: async ({ route, input, run, thread }) =>
      (await at(route)).recorder.start({ input, runId: `r${run}`, threadId: thread }).park(),
    async resume({ route, thread, settles }) {
      const run = await (await at(route)).recorder.resume({ threadId: thread });
      return [run.resumed, settles ? await run.settle() : await run.park()];
    },
    async remember({ route, definition, words, subject, tags, call, by }) {
      const kept = definitions[definition];
      const data = definition === 2 ? { subject: `s${subject}`, predicate: 'is', object: words } : { event: words };
      const { remember } = await at(route, { threadId: 't0', ...(kept === undefined ? {} : { definition: kept }) });
      return remember({ data, tags }, { by, ...(call === undefined ? {} : { toolCallId: `c${call}` }) });
    },
    pass: ({ ms }) => world.pass(ms),
    async review({ which, how }) {
      const { records } = await episodes.list({ limit: 200 });
      const id = records[which % Math.max(1, records.length)]?.id;
      return id === undefined ? undefined : episodes[how]({ id });
    },
    prune: ({ cap, older, source, kind, dryRun, namespace }) =>
      episodes.prune(given({ cap, olderThan: older, source, kind, dryRun, namespace }) as object),
    erase: (selector) => episodes.erase(selector),
    consolidate: (options) => episodes.consolidate(given(options) as object),
    reflect: (options) => episodes.reflect(given(options) as object),
    recall: async ({ route, options }) => {
      const { recall } = await at(route);
      return pages((cursor) => recall({ ...given(options), ...cursor } as object));
    },
    timeline: async ({ route, options }) => (await at(route)).timeline(given(options) as object),
    list: (options) => pages((cursor) => episodes.list({ ...given(options), ...cursor } as object)),
  };
}

async function archiveOf(world: Steps): Promise<string> {
  const parts: string[] = [];
  await world.backstory.export(operator(), { raw: true }, { output: async (part) => void parts.push(part) });
  return parts.join('');
}

// Sealed with a key of the home; and bytes, which are each backend's own.
const OWN: ReadonlySet<string> = new Set(['cursor', 'bytes', 'file']);

/** What every step of these says, a failure too, and what is there in the end. */
async function answersOf(all: readonly Step[], settings: MemoryConfig, how: MemoryConfig): Promise<unknown[]> {
  let made = 0;
  const world = await makeSteps(
    {
      ...settings,
      ...how,
      episodes: { cap: 9, ttlMs: DAY / 2, writeTimeoutMs: 10_000 },
      authored: { cap: 7 },
      distill: { minAgeMs: 3_600_000, minGroup: 2, reflectMin: 2 },
    },
    { newId: () => `id${String(made++).padStart(8, '0')}` },
  );
  const does = doing(world);
  const said: unknown[] = [];
  const say = async (name: string, work: () => unknown): Promise<void> => {
    try {
      said.push([name, await work()]);
    } catch (error) {
      if (!(error instanceof BackstoryError)) throw error;
      said.push([name, error.code, error.message]);
    }
  };
  for (const { name, given } of all) await say(name, () => does[name](given));
  await say('stats', () => world.backstory.episodes.stats());
  await say('list', () => pages((cursor) => world.backstory.episodes.list({ limit: 20, ...cursor })));
  await say('export', () => archiveOf(world));
  return JSON.parse(JSON.stringify(said, (key, value: unknown) => (OWN.has(key) ? '' : value))) as unknown[];
}

const anything = fc.record({
  all: fc.array(anyStep, { minLength: 20, maxLength: 70, size: 'max' }),
  writes: one('auto' as const, 'auto' as const, 'candidate' as const),
});

test('EPI-162: of anything done to memory every answer is that of SQLite: records, order, scores, counts, refusals, the archive', async () => {
  const met: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(anything, async ({ all, writes }) => {
      const sqlite = await answersOf(all, {}, { writes });
      const postgres = await answersOf(all, { postgres: server.connection() }, { writes });
      expect(postgres).toEqual(sqlite);
      for (const [name, answer] of sqlite.filter(Array.isArray)) {
        const failed = typeof answer === 'string' ? `${name} ${answer}` : name;
        met[failed] = (met[failed] ?? 0) + 1;
      }
      await removeSteps();
    }),
    // Of a failure, shrinking ends as well, before the time of the test does.
    { numRuns: Number(process.env.SAME_RUNS ?? 12), interruptAfterTimeLimit: 60_000 },
  );
  // A kind of step that is always refused proves nothing.
  for (const name of Object.keys(steps)) expect(met, name).toHaveProperty(name);
});

test('EPI-162, SUR-72: an archive of SQLite taken over by PostgreSQL gives the same archive again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'backstory-archive-'));
  try {
    const from = await makeSteps({ episodes: { writeTimeoutMs: 10_000 } });
    for (let n = 0; n < 30; n++) await from.record(`zebra ${n} 注文`, { runId: `r${n}`, threadId: `t${n % 3}` });
    const archive = await archiveOf(from);
    writeFileSync(join(folder, 'a.jsonl'), archive);
    const to = await makeSteps({ postgres: server.connection(), episodes: { writeTimeoutMs: 10_000 } });
    to.now = from.now;
    const { records } = await to.backstory.importArchive(operator(), { file: join(folder, 'a.jsonl') });
    expect(records).toEqual({ imported: 30, kept: 0 });
    const recordsOf = (lines: string): string[] => lines.split('\n').filter((line) => line.includes('zebra'));
    expect(recordsOf(await archiveOf(to))).toEqual(recordsOf(archive));
    const found = async (world: Steps) => (await (await world.context()).recall({ query: 'zebra 注文' })).records;
    expect(await found(to)).toEqual(await found(from));
  } finally {
    await removeSteps();
    rmSync(folder, { recursive: true, force: true });
  }
});
