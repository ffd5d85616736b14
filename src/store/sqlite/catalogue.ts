// The catalogue beside the stores of a home: which of them hold sessions that hang from other agents' (SES-211). Derived:
// a file that is missing, damaged or of another release is made anew, and one that cannot be written stays in memory.
import { rmSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { agentOf } from '../../access/target.ts';
import { isBackstoryError } from '../../model/errors.ts';
import type { Crossing } from '../judging.ts';
import { openDatabase } from './database.ts';
import { CATALOGUE, migrate, versionOf } from './migrations.ts';
import type { Below } from './scope-reach.ts';

const BELOW = `
  SELECT DISTINCT parent, parent_agent AS parentAgent, child_agent AS childAgent FROM link
  WHERE parent_agent IN (SELECT value FROM json_each(?)) AND spawned >= ?`;
const ADD = 'INSERT OR IGNORE INTO link (child, parent, child_agent, parent_agent, spawned) VALUES (?, ?, ?, ?, ?)';

export class Catalogue {
  readonly #path: string;
  readonly #busyTimeoutMs: number;
  readonly #statements = new Map<string, Database.Statement>();
  #db: Database.Database | undefined;
  /** The file cannot be used: what other processes write does not come in, so nothing is known for long. */
  #inPlace = true;

  /** Opens nothing yet. */
  constructor(path: string, busyTimeoutMs: number) {
    this.#path = path;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  /** Agents whose links are all in the catalogue. */
  known(): ReadonlySet<string> {
    const known = this.#prepared('SELECT id FROM agent').pluck() as Database.Statement<[], string>;
    return new Set(this.#inPlace ? known.all() : []);
  }

  below(agents: readonly string[], spawned: boolean): readonly Below[] {
    const below = this.#prepared(BELOW) as Database.Statement<[string, number], Below>;
    return below.all(JSON.stringify(agents), spawned ? 1 : 0);
  }

  /** What a store holds, read whole. Nothing is taken away: a link that is no more is not found in its store either. */
  scanned(agentId: string, crossings: readonly Crossing[]): void {
    const db = this.#open();
    db.transaction(() => {
      this.add(crossings);
      db.prepare('INSERT OR IGNORE INTO agent (id) VALUES (?)').run(agentId);
    }).immediate();
  }

  forget(agentId: string): void {
    const db = this.#open();
    db.transaction(() => {
      db.prepare('DELETE FROM link WHERE child_agent = ?').run(agentId);
      db.prepare('DELETE FROM agent WHERE id = ?').run(agentId);
    }).immediate();
  }

  add(crossings: readonly Crossing[]): void {
    const insert = this.#open().prepare(ADD);
    for (const { child, parent, spawned } of crossings) {
      insert.run(child, parent, agentOf(child), agentOf(parent), Number(spawned));
    }
  }

  /** Exactly these links of one session. */
  replace(child: string, crossings: readonly Crossing[]): void {
    const db = this.#open();
    db.transaction(() => {
      db.prepare('DELETE FROM link WHERE child = ?').run(child);
      this.add(crossings);
    }).immediate();
  }

  close(): void {
    this.#statements.clear();
    this.#db?.close();
    this.#db = undefined;
  }

  #prepared(sql: string): Database.Statement {
    const statement = this.#statements.get(sql) ?? this.#open().prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #open(): Database.Database {
    this.#db ??= this.#opened();
    return this.#db;
  }

  #opened(): Database.Database {
    const open = (path: string): Database.Database => {
      const db = openDatabase(path, {
        busyTimeoutMs: this.#busyTimeoutMs,
        check: (opened) => void versionOf(opened, path, CATALOGUE),
      });
      try {
        migrate(db, path, CATALOGUE);
        return db;
      } catch (error) {
        db.close();
        throw error;
      }
    };
    try {
      return open(this.#path);
    } catch (error) {
      if (!isBackstoryError(error)) throw error;
      this.#inPlace = error.code === 'store_damaged';
      if (!this.#inPlace) return open(':memory:');
      for (const end of ['', '-wal', '-shm']) rmSync(`${this.#path}${end}`, { force: true });
      return open(this.#path);
    }
  }
}
