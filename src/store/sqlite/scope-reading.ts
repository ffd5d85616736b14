// What scopes are made and explained from: links, descendants, the properties that decide. Answers the whole scope only.
import type Database from 'better-sqlite3';
import { conditionIn, type Scope } from '../../access/scope.ts';
import { NATIVE_KINDS, type Target } from '../../access/target.ts';
import type { SessionKind } from '../../model/session.ts';
import type { Judging } from '../judging.ts';
import { statementsOf } from './lazily.ts';
import { ownKeys, treeOf, unjudged, unseen } from './scope-condition.ts';

interface TargetSql {
  key: string;
  kind: SessionKind;
  spawned_by: string | null;
  parent: string | null;
  owner: string | null;
  people: string | null;
  deleting: number;
}

const COLUMNS = 'key, kind, spawned_by, parent, owner, people, deleting';

export function scopeReading(db: Database.Database, agentId: string): Judging {
  const prepare = statementsOf(db);
  const isWhole = (scope: Scope): boolean => conditionIn(scope, agentId).kind === 'everything';
  const native = NATIVE_KINDS.map((kind) => `'${kind}'`).join(', ');
  const judged = `s.people IS NULL OR NOT ${unjudged('s')}`;
  return {
    descend(scope, from, entries, among) {
      if (!isWhole(scope)) return [];
      const sql = `
        WITH RECURSIVE ${treeOf(from, agentId)}
        SELECT key, min(depth) AS depth FROM tree WHERE key IN (SELECT value FROM json_each(?)) GROUP BY key`;
      const hanging = JSON.stringify(entries.map(({ key, depth }) => [key, depth]));
      return prepare<{ key: string; depth: number }>(sql).all(hanging, JSON.stringify(among));
    },
    crossings(scope) {
      if (!isWhole(scope)) return [];
      const links = ['spawned_by', 'parent', 'owner'].map(
        (column) => `
          SELECT s.key AS child, s.${column} AS parent, ${column === 'spawned_by' ? 1 : 0} AS spawned FROM session s
          WHERE s.${column} IS NOT NULL AND s.kind IN (${native}) AND NOT ${ownKeys(agentId, `s.${column}`)}
            AND NOT ${unseen('s')} AND ${ownKeys(agentId, 's.key')}`,
      );
      return prepare<{ child: string; parent: string; spawned: number }>(links.join(' UNION '))
        .all()
        .map(({ child, parent, spawned }) => ({ child, parent, spawned: spawned === 1 }));
    },
    target(scope, key) {
      if (!isWhole(scope)) return undefined;
      const sql = `SELECT ${COLUMNS} FROM session s WHERE s.key = ? AND ${ownKeys(agentId, 's.key')} AND (${judged})`;
      const row = prepare<TargetSql>(sql).get(key);
      return row && targetOf(row);
    },
    unjudged(scope) {
      if (!isWhole(scope)) return 0;
      const sql = `SELECT count(*) AS n FROM session s WHERE ${unjudged('s')} OR NOT ${ownKeys(agentId, 's.key')}`;
      return prepare<{ n: number }>(sql).get()!.n;
    },
  };
}

function targetOf(row: TargetSql): Target {
  return {
    key: row.key,
    kind: row.kind,
    ...(row.spawned_by === null ? {} : { spawnedBy: row.spawned_by }),
    ...(row.parent === null ? {} : { parent: row.parent }),
    ...(row.owner === null ? {} : { owner: row.owner }),
    ...(row.people === null ? {} : { people: JSON.parse(row.people) as readonly string[] }),
    ...(row.deleting === 0 ? {} : { deleting: true }),
  };
}
