// One made history of an agent's memory and every answer about it: the same of any two backends, to the last bit (EPI-162).
import assert from 'node:assert/strict';
import { MEMORY_KINDS, MEMORY_STATUSES, OUTCOMES } from '../model/episode.ts';
import { traceOf } from '../model/episode-ids.ts';
import type { MemoryReading, MemoryStores, MemoryWriting, RecordFilter } from '../store/memory.ts';
import { parseQuery } from '../text/index.ts';
import { drawn, NS, newRecord, T } from './memory-contract.ts';

const WORDS = ['order', 'refund', 'deploy', 'Überweisung', '注文', 'build-42', 'snake_case', 'timeout', 'a', 'the'];
const NAMESPACES = [NS, 'workspace=app|route=/b'];
const QUERIES = [
  'order',
  'refund OR deploy',
  '"order refund"',
  'time*',
  'uberweisung',
  '注文',
  'build-42 order -refund',
];

/** Writes, changes, prunes and erases by chance of this seed, and gives what every read says after it. */
export async function memoryAnswers(stores: MemoryStores, seed: number): Promise<readonly unknown[]> {
  const chance = chanceOf(seed);
  const store = await stores.open('main', { create: true });
  assert(store);
  const answers: unknown[] = [];
  for (let round = 0; round < 6; round++) {
    answers.push(await store.write(async (writing) => written(writing, chance, round)));
    answers.push(await store.read((reading) => everyAnswer(reading)));
  }
  return answers;
}

type Chance = (below: number) => number;

async function written(writing: MemoryWriting, chance: Chance, round: number): Promise<unknown[]> {
  const done: unknown[] = [];
  for (let n = 0; n < 25; n++) {
    const id = `r${chance(90)}`;
    const known = await writing.get(id);
    if (known !== undefined && chance(3) === 0) await writing.update(known.no, { status: MEMORY_STATUSES[chance(3)]! });
    else if (known !== undefined && chance(4) === 0) done.push(await writing.remove([known.no], 'forgotten', T));
    else done.push(await writing.insert(recordBy(chance, id)));
  }
  const first = await writing.namespace(NS);
  if (round === 3 && first) done.push(await writing.prune(first.no, { now: T + 40, cap: 20, authoredCap: 8 }));
  if (round === 4 && first) done.push(await writing.removeOlder(first.no, T + 8, { sources: ['run'] }, T));
  await writing.park({
    id: `p${round}`,
    namespace: NAMESPACES[round % 2]!,
    startedAt: T,
    parkedAt: T + round,
    state: '{}',
  });
  await writing.addCounters({ recorded: 25, failed: round });
  return done;
}

function recordBy(chance: Chance, id: string): ReturnType<typeof newRecord> {
  const text = Array.from({ length: 1 + chance(7) }, () => WORDS[chance(WORDS.length)]!).join(' ');
  const at = new Date(T + chance(50)).toISOString();
  const source = (['run', 'tool', 'user', 'distill'] as const)[chance(4)]!;
  const tools = chance(2) === 0 ? [] : ['build', 'deploy'].slice(chance(2));
  return newRecord(id, text, {
    namespace: NAMESPACES[chance(2)]!,
    kind: MEMORY_KINDS[chance(3)]!,
    status: MEMORY_STATUSES[chance(3)]!,
    source: { type: source, id },
    data: source === 'run' ? { outcome: OUTCOMES[chance(3)]!, toolsUsed: tools, threadId: `t${chance(3)}` } : {},
    tags: ['one', 'two', 'three'].slice(chance(4)),
    confidence: chance(11) / 10,
    createdAt: at,
    updatedAt: at,
    effectiveAt: at,
    ...(chance(5) === 0 ? { expiresAt: new Date(T + 30 + chance(40)).toISOString() } : {}),
    ...(chance(6) === 0 ? { derivedFrom: [`r${chance(90)}`] } : {}),
  });
}

async function everyAnswer(reading: MemoryReading): Promise<unknown[]> {
  const namespaces = await reading.namespaces();
  const answers: unknown[] = [namespaces, await reading.list({}, 200), await reading.parkedRuns({})];
  answers.push(await reading.deletions(), await reading.counters());
  answers.push(await reading.traced([traceOf('thread', 't1')]), await reading.linkedFrom('r7', 'derivedFrom'));
  for (const { no } of namespaces) {
    const filters: readonly RecordFilter[] = [
      { now: T },
      { now: T + 35, since: T + 5, until: T + 40 },
      { now: T, tags: ['two'] },
      { now: T, tool: 'deploy' },
      { now: T, threadId: 't2' },
      { now: T, kind: 'semantic' },
      { now: T, outcome: 'error' },
    ];
    answers.push(await reading.statistics(no, T), [...(await reading.numbersOf(no))].sort());
    for (const filter of filters) {
      const page = await reading.walk(no, filter, 10);
      const last = page.at(-1);
      answers.push(page, await reading.count(no, filter), await reading.nearest(no, filter, T + 20));
      if (last) answers.push(await reading.walk(no, filter, 10, { at: last.at, id: last.record.id }));
      for (const by of ['outcome', 'tool', 'kind', 'tag', 'thread'] as const) {
        answers.push([...(await reading.tally(no, filter, by))].sort());
      }
      for (const words of QUERIES) {
        const query = parseQuery(words, { mode: 'any' });
        const all = query.clauses.map((_, index) => index);
        answers.push(await drawn(reading, no, filter, query, all, 20), await reading.countMatches(no, filter, query));
        for (const clause of query.clauses) answers.push(await reading.frequency(no, clause, filter.now, 50));
      }
    }
  }
  return answers;
}

/** The same numbers for the same seed, on every machine. */
function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
