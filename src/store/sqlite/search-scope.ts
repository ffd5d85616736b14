// Which sessions a read may look at, as SQL: the scope, what is never shown, and the filter (VIS-41, SES-73).
import type Database from 'better-sqlite3';
import { conditionIn, type Descendants, type Scope } from '../../access/scope.ts';
import type { MessageFilter, SessionFilter } from '../reading.ts';
import { lazily, statementsOf } from './lazily.ts';
import { type Condition, descendantsQuery, ownKeys, scopeCondition, unseen } from './scope-condition.ts';

// Up to here one token per session in the MATCH text is faster than joining every match to its row. Measured at 10 000
// sessions: 150 → 9 ms, 400 → 23 ms, against 24–48 ms at 1 % and 11–14 ms at 5 % by the join (search-engine.md, 1).
const MAX_TOKENS = 400;
const FEW = 16;
const TOKEN_SHARE = 0.04;
const MAX_SCOPES = 64;
/** More of them are not told one by one. */
export const MANY_LATER: number = 33;
const LATER_DOCS = `SELECT count(*) AS n FROM (SELECT 1 FROM doc WHERE flags & 2 LIMIT ${MANY_LATER})`;

/** What one connection to an agent's store may look at. */
export interface Sight {
  /** Sessions of a scope and filter, as a condition on `session s`. */
  sessions(scope: Scope, filter?: SessionFilter): Condition;
  /** Sessions that could hold a hit: also those only whose activity meets the window. */
  couldHold(scope: Scope, filter: SessionFilter & MessageFilter): Condition;
  /** Chooses by size: each plan gives the same answer (search-engine.md, 3). Cheap to ask within one snapshot again. */
  plan(scope: Scope, filter: SessionFilter & MessageFilter): Plan;
  /** Whether a session may be read: asked before its windows and entries are. */
  sees(scope: Scope, sessionNo: number): boolean;
  /** What was counted over all of a scope, until something is written: 10 000 sessions' counters take 10 ms to add up. */
  counted<T>(scope: Scope, name: string, count: () => T): T;
  /** Further index documents of texts that stand in several, in the whole store, counted up to MANY_LATER. */
  laterDocs(scope: Scope): number;
  /** Nothing of this store is in scope. */
  none(scope: Scope): boolean;
  /** All of it is, but for what is never shown: what reads on the program's own behalf ask for. */
  whole(scope: Scope): boolean;
}

/** What was found out of one scope in one state of the store. */
interface Found {
  readonly plans: Map<string, Plan>;
  readonly seen: Map<number, boolean>;
  /** Numbers of descendants, as JSON. */
  readonly trees: Map<string, string>;
  readonly counts: Map<string, unknown>;
}

function nameOf({ condition, reach }: Scope): string {
  return JSON.stringify([condition, reach.map(({ of, spawned, entries }) => [of, spawned, [...entries]])]);
}

/** How a search is kept to its sessions: not at all, by their tokens in the index, or by joining their rows. */
export type Plan =
  | { readonly by: 'all' }
  | { readonly by: 'tokens'; readonly sessions: readonly number[] }
  | { readonly by: 'join'; readonly condition: Condition };

export function sightOf(db: Database.Database, agentId: string): Sight {
  const anyUnseen = lazily<[], { found: number }>(db, anyUnseenIn(agentId));
  const total = lazily<[], { n: number }>(db, 'SELECT count(*) AS n FROM session');
  const later = lazily<[], { n: number }>(db, LATER_DOCS);
  // With a table in it, the statement begins the snapshot: what is found out is of that and of no older one.
  const version = lazily<[], { version: string }>(
    db,
    "SELECT data_version || ' ' || total_changes() AS version, (SELECT max(no) FROM session) FROM pragma_data_version",
  );
  const select: (sql: string) => Database.Statement<unknown[], { no: number }> = statementsOf(db);
  let known = '';
  let someUnseen = false;
  let laterDocs = 0;
  // By what a scope says, so that the next call of the same caller finds it again.
  const answered = new Map<string, Found>();
  const names = new WeakMap<Scope, string>();

  // What was found out holds until something is written. Sessions that are never shown are rare.
  const upToDate = (scope: Scope): Found => {
    const now = version.get()!.version;
    if (now !== known) {
      someUnseen = anyUnseen.get()!.found === 1;
      laterDocs = later.get()!.n;
      answered.clear();
      known = now;
    }
    const name = names.get(scope) ?? nameOf(scope);
    names.set(scope, name);
    const found = answered.get(name) ?? { plans: new Map(), seen: new Map(), trees: new Map(), counts: new Map() };
    if (answered.size >= MAX_SCOPES) answered.clear();
    answered.set(name, found);
    return found;
  };

  // A search asks for its sessions five to ten times; 1 000 descendants cost 2.4 ms to find and 0.1 ms to find again.
  const treeIn = (scope: Scope, part: Descendants): Condition => {
    const { trees } = upToDate(scope);
    const name = `${part.spawned} ${part.of}`;
    const query = trees.has(name) ? undefined : descendantsQuery(part, scope, agentId);
    if (query) {
      const numbers = select(query.sql).all(...query.values);
      trees.set(name, JSON.stringify(numbers.map(({ no }) => no)));
    }
    return { sql: 's.no IN (SELECT value FROM json_each(?))', values: [trees.get(name)!] };
  };
  const sessions = (scope: Scope, filter: SessionFilter = {}): Condition => {
    const within = scopeCondition(scope, agentId, (part) => treeIn(scope, part));
    const filtered = filterCondition(filter);
    upToDate(scope);
    // Where no session is of those that are never shown, none is asked: a third of the time of reading 10 000 rows.
    const shown = someUnseen ? `NOT ${unseen('s')} AND ${ownKeys(agentId, 's.key')} AND ` : '';
    return { sql: `${shown}${within.sql}${filtered.sql}`, values: [...within.values, ...filtered.values] };
  };
  const couldHold = (scope: Scope, filter: SessionFilter & MessageFilter): Condition => {
    const { sql, values } = sessions(scope, filter);
    const active = activeCondition(filter);
    return { sql: sql + active.sql, values: [...values, ...active.values] };
  };
  const planFor = (scope: Scope, filter: SessionFilter & MessageFilter): Plan => {
    const narrow = someUnseen || conditionIn(scope, agentId).kind !== 'everything' || isNarrow(filter);
    const timed = filter.since !== undefined || filter.until !== undefined;
    if (!narrow && !timed) return { by: 'all' };
    const condition = couldHold(scope, filter);
    const limit = Math.max(FEW, Math.min(MAX_TOKENS, Math.floor(total.get()!.n * TOKEN_SHARE)));
    const found = select(`SELECT s.no FROM session s WHERE ${condition.sql} LIMIT ?`).all(
      ...condition.values,
      limit + 1,
    );
    if (found.length <= limit) return { by: 'tokens', sessions: found.map((row) => row.no) };
    // Times are compared on each text anyway: leaving sessions out by them only pays when few are left.
    if (!narrow) return { by: 'all' };
    const count = select(`SELECT count(*) AS no FROM session s WHERE ${condition.sql}`).get(...condition.values)!.no;
    return count === total.get()!.n ? { by: 'all' } : { by: 'join', condition };
  };
  return {
    sessions,
    couldHold,
    plan(scope, filter) {
      const { plans } = upToDate(scope);
      const name = JSON.stringify(filter);
      const plan = plans.get(name) ?? planFor(scope, filter);
      plans.set(name, plan);
      return plan;
    },
    sees(scope, sessionNo) {
      const { seen } = upToDate(scope);
      const known = seen.get(sessionNo);
      if (known !== undefined) return known;
      const { sql, values } = sessions(scope);
      const sees =
        select(`SELECT s.no FROM session s WHERE s.no = ? AND ${sql}`).get(sessionNo, ...values) !== undefined;
      seen.set(sessionNo, sees);
      return sees;
    },
    counted<T>(scope: Scope, name: string, count: () => T): T {
      const { counts } = upToDate(scope);
      if (!counts.has(name)) counts.set(name, count());
      return counts.get(name) as T;
    },
    laterDocs(scope) {
      upToDate(scope);
      return laterDocs;
    },
    none: (scope) => conditionIn(scope, agentId).kind === 'nothing',
    whole: (scope) => conditionIn(scope, agentId).kind === 'everything',
  };
}

// Two ends of the index of keys, and the index of what is never shown: no session is read for it.
function anyUnseenIn(agentId: string): string {
  const last = 'SELECT max(key) FROM session';
  const first = 'SELECT min(key) FROM session';
  return `SELECT EXISTS (SELECT 1 FROM session INDEXED BY session_unseen WHERE ${unseen('')})
    OR NOT ${ownKeys(agentId, `coalesce((${first}), 'agent:${agentId}:')`)}
    OR NOT ${ownKeys(agentId, `coalesce((${last}), 'agent:${agentId}:')`)} AS found`;
}

/** A filter as further conditions, each with its AND. */
function filterCondition(filter: SessionFilter): Condition {
  const parts = [''];
  const values: (string | number)[] = [];
  const add = (sql: string, ...bound: (string | number)[]): void => {
    parts.push(sql);
    values.push(...bound);
  };
  const list = (column: string, among: readonly string[]): void =>
    add(`${column} (SELECT value FROM json_each(?))`, JSON.stringify(among));
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

function activeCondition(filter: MessageFilter): Condition {
  const parts = [''];
  const values: (string | number)[] = [];
  const add = (condition: string, value: string | number): void => {
    parts.push(condition);
    values.push(value);
  };
  if (filter.since !== undefined) add('s.last_at >= ?', filter.since);
  if (filter.until !== undefined) add('coalesce(s.first_at, s.created_at) < ?', filter.until);
  if (filter.sessionId !== undefined) add('s.no = (SELECT session FROM window WHERE session_id = ?)', filter.sessionId);
  return { sql: parts.join(' AND '), values };
}

function isNarrow(filter: SessionFilter & MessageFilter): boolean {
  const { sessionId, keys, kinds, excludeKinds, source, projects, nativeKey, archived, spawnedBy } = filter;
  if (archived !== undefined && archived !== 'include') return true;
  const given = [sessionId, keys, kinds, excludeKinds, source, projects, nativeKey, spawnedBy];
  return given.some((value) => value !== undefined);
}
