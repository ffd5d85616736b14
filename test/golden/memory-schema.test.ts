import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { MEMORY, migrate, newestVersion } from '../../src/store/sqlite/migrations.ts';

const GOLDEN = join(import.meta.dirname, 'memory-schema.sql');

describe('the schema of memory on disk', () => {
  test('is the golden one: a change of it shows in review (write it anew with UPDATE_GOLDEN=1)', () => {
    const db = new Database(':memory:');
    migrate(db, ':memory:', MEMORY);
    const rows = db
      .prepare(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type DESC, name",
      )
      .pluck()
      .all();
    const schema = `-- version ${newestVersion(MEMORY)}\n${rows.join(';\n')};\n`;
    if (process.env.UPDATE_GOLDEN || !existsSync(GOLDEN)) writeFileSync(GOLDEN, schema);
    expect(schema).toBe(readFileSync(GOLDEN, 'utf8'));
  });

  test('COM-21: a newer one is refused as store_newer, naming both versions, and left as it is', () => {
    const db = new Database(':memory:');
    migrate(db, 'x.sqlite', MEMORY);
    db.pragma('user_version = 9999');
    expect(() => migrate(db, 'x.sqlite', MEMORY)).toThrow(
      expect.objectContaining({ code: 'store_newer', message: expect.stringMatching(/x\.sqlite.*9999/) }),
    );
    expect(db.pragma('user_version', { simple: true })).toBe(9999);
  });

  test('COM-21: a file of sessions is no memory, and the other way round: store_damaged, left as it is', () => {
    const sessions = new Database(':memory:');
    migrate(sessions, 's.sqlite');
    expect(() => migrate(sessions, 's.sqlite', MEMORY)).toThrow(expect.objectContaining({ code: 'store_damaged' }));
    const memory = new Database(':memory:');
    migrate(memory, 'm.sqlite', MEMORY);
    expect(() => migrate(memory, 'm.sqlite')).toThrow(expect.objectContaining({ code: 'store_damaged' }));
  });

  test('SUR-71: what a file of the first version holds is counted by kind when it is opened', () => {
    const db = new Database(':memory:');
    db.exec(readFileSync(join('sql', 'sqlite-memory', '0001_memory.sql'), 'utf8'));
    db.exec(`INSERT INTO namespace (no, name, records) VALUES (1, 'workspace=app', 3), (2, 'workspace=other', 0)`);
    for (const [no, kind] of [0, 1, 2, 2].entries()) {
      db.exec(
        `INSERT INTO record VALUES (${2 ** 32 + no}, 1, 'r${no}', ${kind}, 0, 1, NULL, 0, 0, 0, 0, NULL, 1, 1, NULL)`,
      );
    }
    db.pragma(`application_id = ${MEMORY.applicationId}`);
    db.pragma('user_version = 1');
    migrate(db, 'old.sqlite', MEMORY);
    expect(db.prepare('SELECT no, facts, insights FROM namespace ORDER BY no').all()).toEqual([
      { no: 1, facts: 1, insights: 2 },
      { no: 2, facts: 0, insights: 0 },
    ]);
  });
});
