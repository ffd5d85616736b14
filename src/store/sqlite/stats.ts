// Counts and sizes of one store, from counters kept in the write transactions (SES-132), and the files behind pointers.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import type { SessionKind } from '../../model/session.ts';
import type { Reading, Standing, StoreStats } from '../reading.ts';
import { lazily, statementsOf } from './lazily.ts';
import type { Sight } from './search-scope.ts';

type Counts = Pick<StoreStats, 'sessions' | 'messages' | 'texts' | 'characters'>;

const FILE = `
  SELECT i.source, i.root, f.path FROM file f JOIN instance i ON i.no = f.instance WHERE f.no = ?`;

export function statsReading(
  db: Database.Database,
  sight: Sight,
): Pick<Reading, 'stats' | 'totals' | 'standing' | 'file'> {
  const file = lazily<[number], { source: string; root: string; path: string }>(db, FILE);
  const lastSync = lazily<[], { at: number | null }>(db, 'SELECT max(last_sync) AS at FROM instance');
  const prepare = statementsOf(db);

  const counts = (condition: { sql: string; values: readonly unknown[] }): Counts => {
    const sql = `
      SELECT count(*) AS sessions, coalesce(sum(s.messages), 0) AS messages, coalesce(sum(s.texts), 0) AS texts,
             coalesce(sum(s.characters), 0) AS characters
      FROM session s WHERE ${condition.sql}`;
    return prepare<Counts>(sql).get(...condition.values)!;
  };
  const unknown = (condition: { sql: string; values: readonly unknown[] }): { type: string; n: number }[] =>
    prepare<{ type: string; n: number }>(
      `SELECT j.key AS type, sum(j.value) AS n FROM session s, json_each(s.unknown) j
         WHERE s.unknown IS NOT NULL AND ${condition.sql} GROUP BY j.key ORDER BY j.key`,
    ).all(...condition.values);
  return {
    totals: (scope) =>
      sight.counted(scope, 'totals', () => {
        const { texts, characters, sessions } = counts(sight.sessions(scope));
        return { texts, characters, sessions };
      }),
    standing: (scope, moved) =>
      sight.counted(scope, `standing ${moved}`, () => {
        const { sql, values } = sight.sessions(scope);
        const counted = moved === undefined ? 'count(*)' : 'count(*) FILTER (WHERE s.moved <= ?)';
        return prepare<Standing>(
          `SELECT coalesce(max(s.moved), 0) AS moved, ${counted} AS sessions FROM session s WHERE ${sql}`,
        ).get(...(moved === undefined ? [] : [moved]), ...values)!;
      }),
    stats(scope) {
      const condition = sight.sessions(scope);
      const kinds = prepare<{ kind: SessionKind; sessions: number; messages: number }>(
        `SELECT s.kind, count(*) AS sessions, sum(s.messages) AS messages FROM session s
           WHERE ${condition.sql} GROUP BY s.kind ORDER BY s.kind`,
      ).all(...condition.values);
      const types = unknown(condition);
      const seen = {
        ...counts(condition),
        kinds: Object.fromEntries(kinds.map(({ kind, ...of }) => [kind, of])),
        ...(types.length === 0 ? {} : { unknownBlocks: Object.fromEntries(types.map(({ type, n }) => [type, n])) }),
      };
      if (!sight.whole(scope)) return seen;
      const at = lastSync.get()!.at;
      return { ...seen, bytes: bytesOf(db), ...(at === null ? {} : { lastSync: at }) };
    },
    file(scope, no) {
      // A pointer is known from an entry that was read in scope; whose file it is in, is not the session's secret.
      if (sight.none(scope)) return undefined;
      const row = file.get(no);
      return row && { source: row.source, root: row.root, absolute: join(row.root, row.path) };
    },
  };
}

/** The database file and its WAL; in memory, its pages. */
function bytesOf(db: Database.Database): number {
  const pages = Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
  if (db.memory) return pages;
  const wal = statSync(`${db.name}-wal`, { throwIfNoEntry: false });
  return pages + (wal?.size ?? 0);
}
