// Where a found text can be opened: each copy's session, window and message id, the owner first (SRC-15, SRC-16).
import type Database from 'better-sqlite3';
import type { Located, Reading, SessionInfo } from '../reading.ts';
import { messageIdOf } from './blocks.ts';
import { lazily, statementsOf } from './lazily.ts';
import { INFO_BY_NUMBERS, type InfoSql, infoOf } from './list.ts';
import type { Condition } from './scope-condition.ts';
import type { Sight } from './search-scope.ts';

// The two halves seek by primary key and by entry_copy.
const SHARERS = `
  SELECT e.id, e.session, e.native, e.flags, w.session_id FROM entry e JOIN window w ON w.no = e.window
  WHERE e.id = @one AND e.state < 2
  UNION ALL
  SELECT e.id, e.session, e.native, e.flags, w.session_id FROM entry e JOIN window w ON w.no = e.window
  WHERE e.copy_of = @one AND e.state < 2 ORDER BY 1`;
const ORIGINAL = 'SELECT coalesce(copy_of, id) AS id FROM entry WHERE id = ?';
const LATEST_RESET = `
  SELECT max(id) AS id FROM entry WHERE session = ? AND (kind = 1 OR flags & 4) AND kind = 1 AND state < 2`;
// The first record with text of a session that none of the other sessions has. Stops at the first.
const OTHERS = '(SELECT value FROM json_each(@all) WHERE value <> @one)';
const FIRST_OWN = `
  SELECT e.at FROM entry e
  WHERE e.session = @one AND e.kind = 0 AND e.flags & 2
    AND NOT EXISTS (SELECT 1 FROM entry o WHERE o.id = coalesce(e.copy_of, e.id) AND o.session IN ${OTHERS})
    AND NOT EXISTS (SELECT 1 FROM entry o WHERE o.copy_of = coalesce(e.copy_of, e.id) AND o.session IN ${OTHERS})
  ORDER BY e.id LIMIT 1`;

interface SharerSql {
  id: number;
  session: number;
  native: string | Buffer;
  flags: number;
  session_id: string;
}

type Place = Located['places'][number];

export function placesReading(db: Database.Database, sight: Sight): Pick<Reading, 'locate'> {
  const originalOf = lazily<[number], { id: number }>(db, ORIGINAL);
  const sharersOf = lazily<{ one: number }, SharerSql>(db, SHARERS);
  const latestReset = lazily<[number], { id: number | null }>(db, LATEST_RESET);
  const firstOwn = lazily<{ one: number; all: string }, { at: number }>(db, FIRST_OWN);
  const prepare = statementsOf(db);

  const sessionsIn = (numbers: readonly number[], { sql, values }: Condition): ReadonlyMap<number, SessionInfo> => {
    const named = prepare<InfoSql>(`${INFO_BY_NUMBERS} AND ${sql}`);
    return new Map(named.all(JSON.stringify(numbers), ...values).map((row) => [row.no, infoOf(row)]));
  };

  /** Sessions in the order in which they own what they share. */
  const owners = (sessions: readonly SessionInfo[]): ReadonlyMap<number, number> => {
    const list = JSON.stringify(sessions.map((session) => session.no));
    const since = new Map(
      sessions.map(({ no }) => [no, firstOwn.get({ one: no, all: list })?.at ?? Number.POSITIVE_INFINITY]),
    );
    const ordered = [...sessions].sort(
      (a, b) => compare(since.get(a.no)!, since.get(b.no)!) || compareBytes(a.sessionId, b.sessionId),
    );
    return new Map(ordered.map(({ no }, rank) => [no, rank]));
  };

  return {
    locate(scope, filter, entries) {
      const sharers = new Map<number, readonly SharerSql[]>();
      const numbers = new Set<number>();
      for (const entry of entries) {
        const rows = sharersOf.all({ one: originalOf.get(entry)?.id ?? entry });
        sharers.set(entry, rows);
        for (const row of rows) numbers.add(row.session);
      }
      const visible = sessionsIn([...numbers], sight.sessions(scope));
      const wanted = sessionsIn([...numbers], sight.sessions(scope, filter));
      const ranks = new Map<string, ReadonlyMap<number, number>>();
      const resets = new Map<number, number>();
      const resetOf = (session: number): number => {
        const reset = resets.get(session) ?? latestReset.get(session)?.id ?? 0;
        resets.set(session, reset);
        return reset;
      };

      const located = new Map<number, Located>();
      for (const [entry, rows] of sharers) {
        const places = rows.flatMap((row): Place[] => {
          const session = wanted.get(row.session);
          if (session === undefined) return [];
          const inCurrentView = (row.flags & 4) !== 0 || row.id >= resetOf(row.session);
          return [
            { session, sessionId: row.session_id, messageId: messageIdOf(row.native), entry: row.id, inCurrentView },
          ];
        });
        if (places.length === 0) continue;
        if (places.length > 1) {
          const sessions = [...new Map(places.map(({ session }) => [session.no, session])).values()];
          const name = sessions.map(({ no }) => no).join();
          const rank = ranks.get(name) ?? owners(sessions);
          ranks.set(name, rank);
          places.sort((a, b) => rank.get(a.session.no)! - rank.get(b.session.no)! || b.entry - a.entry);
        }
        const elsewhere = rows.flatMap((row) => (wanted.has(row.session) ? [] : (visible.get(row.session)?.key ?? [])));
        located.set(entry, { places, elsewhere: [...new Set(elsewhere)] });
      }
      return located;
    },
  };
}

function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
