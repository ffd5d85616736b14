// Which sessions a read may look at, as SQL: the scope, what is never shown, and the filter (VIS-41, SES-73).
import type Database from 'better-sqlite3';
import type { Scope } from '../../access/scope.ts';
import type { MessageFilter, SessionFilter } from '../reading.ts';

export interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

// What follows `agent:<id>:` in a key. A reserved one is incognito in whatever store it is found (SES-15, SES-16); most
// keys are told apart by the first LIKE alone.
const REST = "substr(s.key, instr(substr(s.key, 7), ':') + 7)";
const RESERVED = `(s.key LIKE '%:incognito%' AND (${REST} LIKE 'incognito' OR ${REST} LIKE 'incognito:%'
  OR (${REST} LIKE '%:incognito-%' AND ${REST} NOT LIKE '%:%:%')))`;
const NEVER = `(s.deleting <> 0 OR ${RESERVED})`;
const ANY_NEVER = `SELECT EXISTS (SELECT 1 FROM session s WHERE ${NEVER}) AS found`;

// Up to here one token per session in the MATCH text is faster than joining every match to its row. Measured at 10 000
// sessions: 150 → 9 ms, 400 → 23 ms, against 24–48 ms at 1 % and 11–14 ms at 5 % by the join (search-engine.md, 1).
const MAX_TOKENS = 400;
const FEW = 16;
const TOKEN_SHARE = 0.04;

/** Sessions of a scope and filter as a condition on `session s`. */
export function sessionCondition(scope: Scope, filter: SessionFilter): Condition {
  const parts = [`NOT ${NEVER}`];
  const values: (string | number)[] = [];
  const add = (sql: string, ...bound: (string | number)[]): void => {
    parts.push(sql);
    values.push(...bound);
  };
  const list = (column: string, among: readonly string[]): void =>
    add(`${column} (SELECT value FROM json_each(?))`, JSON.stringify(among));
  if (scope.condition.kind !== 'everything') add('0');
  if (filter.keys) list('s.key IN', filter.keys);
  if (filter.kinds) list('s.kind IN', filter.kinds);
  if (filter.excludeKinds) list('s.kind NOT IN', filter.excludeKinds);
  if (filter.source !== undefined) add('s.source = ?', filter.source);
  if (filter.nativeKey !== undefined) add('s.native_key = ?', filter.nativeKey);
  if (filter.spawnedBy !== undefined) add('s.spawned_by = ?', filter.spawnedBy);
  if (filter.archived === 'exclude') add('s.archived_at IS NULL');
  if (filter.archived === 'only') add('s.archived_at IS NOT NULL');
  if (filter.projects) addProjects(filter.projects, add);
  return { sql: parts.join(' AND '), values };
}

/** Equal to a folder or below it, as text; the separator is the one that the recorded name has (SRC-29). */
function addProjects(projects: readonly string[], add: (sql: string, ...bound: (string | number)[]) => void): void {
  const parts: string[] = [];
  const bound: (string | number)[] = [];
  for (const project of projects) {
    const folder = /^[/\\]+$/.test(project) ? project : project.replace(/[/\\]+$/, '');
    parts.push('s.project = ?');
    bound.push(folder);
    for (const separator of ['/', '\\']) {
      const below = folder.endsWith(separator) ? folder : folder + separator;
      parts.push('substr(s.project, 1, ?) = ?');
      bound.push([...below].length, below);
    }
  }
  add(`(${parts.join(' OR ')})`, ...bound);
}

/** Sessions that could hold a hit: also those only whose activity meets the window. */
export function searchCondition(scope: Scope, filter: SessionFilter & MessageFilter): Condition {
  const { sql, values } = sessionCondition(scope, filter);
  const parts = [sql];
  const bound = [...values];
  const add = (condition: string, value: string | number): void => {
    parts.push(condition);
    bound.push(value);
  };
  if (filter.since !== undefined) add('s.last_at >= ?', filter.since);
  if (filter.until !== undefined) add('s.created_at < ?', filter.until);
  if (filter.sessionId !== undefined) add('s.no = (SELECT session FROM window WHERE session_id = ?)', filter.sessionId);
  return { sql: parts.join(' AND '), values: bound };
}

/** How a search is kept to its sessions: not at all, by their tokens in the index, or by joining their rows. */
export type Plan =
  | { readonly by: 'all' }
  | { readonly by: 'tokens'; readonly sessions: readonly number[] }
  | { readonly by: 'join'; readonly condition: Condition };

/** Chooses by size: each plan gives the same answer (search-engine.md, 3). Cheap to ask within one snapshot again. */
export function planner(db: Database.Database): (scope: Scope, filter: SessionFilter & MessageFilter) => Plan {
  const anyNever = db.prepare<[], { found: number }>(ANY_NEVER);
  const total = db.prepare<[], { n: number }>('SELECT count(*) AS n FROM session');
  const version = db.prepare<[], { version: string }>(
    "SELECT data_version || ' ' || total_changes() AS version FROM pragma_data_version",
  );
  const prepared = new Map<string, Database.Statement<unknown[], { no: number }>>();
  let known = '';
  let someHidden = false;

  // Sessions that are never shown are rare: asked again only after something was written.
  const hides = (): boolean => {
    const now = version.get()!.version;
    if (now !== known) someHidden = anyNever.get()!.found === 1;
    known = now;
    return someHidden;
  };
  return (scope, filter) => {
    const narrow = isNarrow(scope, filter) || hides();
    const timed = filter.since !== undefined || filter.until !== undefined;
    if (!narrow && !timed) return { by: 'all' };
    const condition = searchCondition(scope, filter);
    const limit = Math.max(FEW, Math.min(MAX_TOKENS, Math.floor(total.get()!.n * TOKEN_SHARE)));
    const sql = `SELECT s.no FROM session s WHERE ${condition.sql} LIMIT ?`;
    const statement = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, statement);
    const sessions = statement.all(...condition.values, limit + 1).map((row) => row.no);
    if (sessions.length <= limit) return { by: 'tokens', sessions };
    // Times are compared on each text anyway: leaving sessions out by them only pays when few are left.
    return narrow ? { by: 'join', condition } : { by: 'all' };
  };
}

function isNarrow(scope: Scope, filter: SessionFilter & MessageFilter): boolean {
  if (scope.condition.kind !== 'everything' || filter.sessionId !== undefined) return true;
  const { keys, kinds, excludeKinds, source, projects, nativeKey, archived, spawnedBy } = filter;
  if (archived !== undefined && archived !== 'include') return true;
  return [keys, kinds, excludeKinds, source, projects, nativeKey, spawnedBy].some((value) => value !== undefined);
}
