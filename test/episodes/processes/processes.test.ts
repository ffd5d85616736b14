// Several processes on one memory, and processes that are killed: EPI-160, EPI-161, EPI-40, EPI-43 (cases E-36, E-37, E-67, E-68).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { openBackstory } from '../../../src/engine/engine.ts';
import { bundled, removeBundles, start } from '../../steps/run-process.ts';

const worker = bundled(join(import.meta.dirname, 'worker.mjs'));
const homes: string[] = [];

afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});
afterAll(removeBundles);

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'backstory-processes-'));
  homes.push(home);
  return home;
}

/** Rows by id, and the index asked for each row's own word; every part of a record is there, or none is. */
function whole(home: string): { readonly records: number; readonly found: number } {
  const db = new Database(join(home, 'memory', 'main.sqlite'));
  try {
    db.exec("INSERT INTO fts (fts, rank) VALUES ('integrity-check', 0)");
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    const rows = db.prepare('SELECT r.no, b.text, r.status FROM record r LEFT JOIN body b ON b.no = r.no').all() as {
      no: number;
      text: string;
    }[];
    const byWord = db.prepare('SELECT rowid FROM fts WHERE fts MATCH ?').pluck();
    let found = 0;
    for (const { no, text } of rows) {
      const word = /word\w+/.exec(text)![0];
      if (byWord.all(`"${word}"`).includes(no)) found++;
    }
    const counted = db
      .prepare('SELECT sum(active) AS active, sum(records) AS records, sum(runs) AS runs FROM namespace')
      .get();
    expect(counted).toEqual({ active: rows.length, records: rows.length, runs: rows.length });
    expect(db.prepare('SELECT count(*) FROM fts').pluck().get()).toBe(rows.length);
    expect(db.prepare('SELECT count(*) FROM body').pluck().get()).toBe(rows.length);
    return { records: rows.length, found };
  } finally {
    db.close();
  }
}

describe('several processes', () => {
  test('E-67, EPI-160: 4 processes with 150 runs each on a fresh file keep 600 of 600, each found by its own word', async () => {
    const home = newHome();
    const at = String(Date.now() + 1_500);
    const all = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => start(worker, ['record', home, name, '150', at]).lines),
    );
    for (const lines of all) {
      expect(lines).toHaveLength(151);
      expect(JSON.parse(lines.at(-1)!).health).toMatchObject({ recorded: 150, lost: 0 });
    }
    expect(whole(home)).toEqual({ records: 600, found: 600 });
  });

  test('E-68, EPI-161: killed at any moment of writing, a record is there with all of itself or not at all', async () => {
    const home = newHome();
    let written = 0;
    for (const [round, lines] of [1, 40, 7, 120, 63].entries()) {
      const running = start(worker, ['record', home, `k${round}`, '500', '0']);
      await running.printed(lines);
      running.child.kill('SIGKILL');
      written += (await running.lines).length;
      const { records, found } = whole(home);
      expect(found).toBe(records);
      // At most the run it was in may be there unsaid, and none that it said is missing.
      expect(records).toBeGreaterThanOrEqual(written);
      expect(records).toBeLessThanOrEqual(written + round + 1);
    }
  });
});

describe('a parked run and killed processes', () => {
  test('E-36, E-37, EPI-31, EPI-40, EPI-43: survives who parked it, and who resumed it without an end', async () => {
    const home = newHome();
    const parking = start(worker, ['park', home]);
    await parking.printed(1);
    parking.child.kill('SIGKILL');
    const { id } = JSON.parse((await parking.lines)[0]!);

    const resuming = start(worker, ['resume', home]);
    await resuming.printed(1);
    resuming.child.kill('SIGKILL');
    expect(JSON.parse((await resuming.lines)[0]!)).toEqual({ id, resumed: true });

    const ended = await start(worker, ['resume', home, 'settle']).lines;
    expect(ended.map((line) => JSON.parse(line))).toEqual([
      { id, resumed: true },
      { recorded: true, id },
    ]);
    const backstory = await openBackstory({ home, memory: { workspace: 'app' } });
    const { records } = await (await backstory.episodes.context({ route: '/a' })).recall();
    expect(records.map(({ data }) => [data.input, data.toolsUsed, data.outcome])).toEqual([
      ['approve it', ['build', 'deploy'], 'ok'],
    ]);
    expect((await backstory.episodes.list({ status: 'parked' })).parked).toEqual([]);
    await backstory.close();
  });
});
