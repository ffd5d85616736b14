import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { migrate, newestVersion } from '../../src/store/sqlite/migrations.ts';

const GOLDEN = join(import.meta.dirname, 'schema.sql');

describe('the schema on disk', () => {
  test('is the golden one: a change of it shows in review (write it anew with UPDATE_GOLDEN=1)', () => {
    const db = new Database(':memory:');
    migrate(db, ':memory:');
    const rows = db
      .prepare(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type DESC, name",
      )
      .pluck()
      .all();
    const schema = `-- version ${newestVersion()}\n${rows.join(';\n')};\n`;
    if (process.env.UPDATE_GOLDEN || !existsSync(GOLDEN)) writeFileSync(GOLDEN, schema);
    expect(schema).toBe(readFileSync(GOLDEN, 'utf8'));
  });

  test('COM-21: a newer one is refused as store_newer, naming both versions, and left as it is', () => {
    const db = new Database(':memory:');
    migrate(db, 'x.sqlite');
    db.pragma('user_version = 9999');
    expect(() => migrate(db, 'x.sqlite')).toThrow(
      expect.objectContaining({ code: 'store_newer', message: expect.stringMatching(/x\.sqlite.*9999/) }),
    );
    expect(db.pragma('user_version', { simple: true })).toBe(9999);
  });

  test('COM-21: a database that is not ours is store_damaged, and left as it is', () => {
    const db = new Database(':memory:');
    db.exec('CREATE TABLE theirs (x)');
    expect(() => migrate(db, 'y.sqlite')).toThrow(expect.objectContaining({ code: 'store_damaged' }));
    expect(db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()).toBe(1);
  });

  test('is applied once however often it is opened', () => {
    const db = new Database(':memory:');
    migrate(db, ':memory:');
    migrate(db, ':memory:');
    expect(db.pragma('user_version', { simple: true })).toBe(newestVersion());
  });
});
