// Cost follows the namespace, not the file: no plan of an operation on one namespace scans a table (EPI-178).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { applyMask } from '../../src/redact/masked.ts';
import { Masker } from '../../src/redact/masker.ts';
import type { MemoryReading, MemoryWriting } from '../../src/store/memory.ts';
import { pruneWriting } from '../../src/store/sqlite/memory-prune.ts';
import { namedReading } from '../../src/store/sqlite/memory-reading.ts';
import { recallReading } from '../../src/store/sqlite/memory-recall.ts';
import { runWriting } from '../../src/store/sqlite/memory-runs.ts';
import { recordWriting } from '../../src/store/sqlite/memory-writing.ts';
import { MEMORY, migrate } from '../../src/store/sqlite/migrations.ts';
import { parseQuery } from '../../src/text/index.ts';
import { NS, T0 } from './steps.ts';

test('EPI-178: record, recall, timeline, prune and remember walk indexes of the namespace alone', () => {
  const db = new Database(':memory:');
  migrate(db, ':memory:', MEMORY);
  const statements = new Set<string>();
  // Every statement that is prepared is explained as well.
  const prepare = db.prepare.bind(db);
  db.prepare = ((sql: string) => {
    statements.add(sql);
    return prepare(sql);
  }) as typeof db.prepare;
  const records = recordWriting(db);
  const reading = { ...namedReading(db), ...recallReading(db) } as MemoryReading;
  const writing = {
    ...reading,
    ...records,
    ...pruneWriting(db, records),
    ...runWriting(db, records),
  } as unknown as MemoryWriting;
  const at = new Date(T0).toISOString();
  writing.insert({
    record: {
      id: 'a',
      namespace: NS,
      kind: 'episodic',
      status: 'active',
      content: 'order refund',
      data: { outcome: 'ok', toolsUsed: ['x'], threadId: 't' },
      source: { type: 'run', id: 'a' },
      confidence: 1,
      tags: ['keep'],
      createdAt: at,
      updatedAt: at,
      effectiveAt: at,
      expiresAt: at,
    },
    text: applyMask(Masker.off, 'order refund'),
    identity: '00'.repeat(16),
    traces: ['11'.repeat(16)],
  });
  const { no } = reading.namespace(NS) as { no: number };
  const query = parseQuery('order refund', { mode: 'any' });
  const filters = [
    { now: 0 },
    { now: 0, since: 0, until: T0 + 1 },
    { now: 0, tags: ['keep'], tool: 'x', threadId: 't', outcome: 'ok' as const, kind: 'episodic' as const },
  ];
  for (const filter of filters) {
    reading.walk(no, filter, 8);
    reading.walk(no, filter, 8, { at: T0, id: 'b' });
    reading.count(no, filter);
    reading.nearest(no, filter, T0);
    reading.holders(no, filter, query, [0, 1], 10);
    reading.countMatches(no, filter, query);
    for (const by of ['outcome', 'tool', 'kind', 'tag', 'thread', undefined] as const) {
      reading.tally(no, filter, by);
      reading.tally(no, filter, by, query);
    }
  }
  reading.places([1, 2]);
  reading.places([1, 900]);
  reading.texts([1, 2]);
  for (const now of [0, T0 + 1]) reading.frequency(no, query.clauses[0]!, now, 10);
  reading.statistics(no, 0);
  reading.fact(no, '00'.repeat(16));
  reading.writtenAfter(no, 0, { now: 0, kinds: ['episodic'] }, 5);
  reading.consolidable(no, { now: 0, until: T0 + 1 }, 5);
  reading.consolidable(no, { now: 0, until: T0 + 1 }, 5, { at: T0, id: 'b' });
  reading.parkedRuns({ namespaces: [no], runId: 'r' });
  reading.parkedRuns({ namespaces: [no], threadId: 't' });
  writing.park({ id: 'p', namespace: NS, startedAt: T0, parkedAt: T0, state: '{}' });
  writing.update((reading.get('a') as { no: number }).no, { status: 'superseded' });
  writing.prune(no, { now: T0, cap: 0, authoredCap: 0 });
  writing.removeOlder(no, T0, { kind: 'episodic' }, T0);
  writing.unpark('p');

  // Of all namespaces, on purpose: what an operator or doctor asks.
  const OF_ALL =
    /FROM namespace ORDER BY name|FROM counter|FROM deletion d|FROM barrier (LIMIT 1|WHERE at)|FROM namespace$|FROM (call|link) LIMIT 1/;
  const scans: string[] = [];
  for (const sql of statements) {
    if (OF_ALL.test(sql) || /^\s*(PRAGMA|SAVEPOINT|RELEASE)/i.test(sql)) continue;
    const parameters = (sql.match(/\?/g) ?? []).length;
    const named = [...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, 0] as const);
    const plan = prepare(`EXPLAIN QUERY PLAN ${sql}`);
    const rows = (
      named.length > 0 ? plan.all(Object.fromEntries(named)) : plan.all(...new Array(parameters).fill(0))
    ) as {
      detail: string;
    }[];
    // SUR-41: what was written since is read by its numbers, not sorted out of all there is.
    if (/ORDER BY r\.no LIMIT/.test(sql)) expect(rows[0]!.detail).toContain('PRIMARY KEY (rowid>? AND rowid<?)');
    for (const { detail } of rows) {
      // A virtual table is always "scanned", by the index it is asked for (M…: match, =: rowid); json_each is our own list.
      const ours = /^SCAN (\w+)(?! VIRTUAL)/.exec(detail)?.[1];
      const harmless = detail.includes('VIRTUAL TABLE') || detail.includes('CONSTANT ROW') || /SCAN \(/.test(detail);
      if (ours !== undefined && !harmless) scans.push(`${detail}: ${sql.replace(/\s+/g, ' ').trim()}`);
      if (/VIRTUAL TABLE INDEX 0:$/.test(detail) && !/json_each/.test(detail)) scans.push(`${detail}: ${sql}`);
    }
  }
  expect(scans).toEqual([]);
  expect(statements.size).toBeGreaterThan(50);
});

test('EPI-4, EPI-178: event time is a column of its own, and every index of records begins with the namespace', () => {
  const schema = readFileSync(join(process.cwd(), 'sql', 'sqlite-memory', '0001_memory.sql'), 'utf8');
  const indexes = [...schema.matchAll(/CREATE (?:UNIQUE )?INDEX (record_\w+) ON record \((\w+)/g)];
  // The one over all namespaces is the queue of an operator, who reviews all of them.
  expect(indexes.filter(([, , first]) => first !== 'ns').map(([, name]) => name)).toEqual(['record_candidate']);
  expect(schema).toMatch(/^ {2}at INTEGER NOT NULL/m);
});
