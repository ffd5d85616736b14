// A scope as SQL on `session s` of one agent's store (VIS-41). Knows no filter of a search, and no index of texts.
import { conditionIn, type Descendants, entriesIn, type Scope, type ScopeCondition } from '../../access/scope.ts';
import { MAX_DEPTH, NATIVE_KINDS } from '../../access/target.ts';
import { SESSION_KINDS } from '../../model/session.ts';

export interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/**
 * Sessions that no scope shows: being deleted, incognito by a reserved name in whatever store it is found (SES-15,
 * SES-16), and rows that cannot be judged (VIS-44). Word for word the index session_unseen, which finds them at once.
 */
export function unseen(session: string): string {
  const s = session === '' ? '' : `${session}.`;
  // What follows `agent:<id>:` in a key; most keys are told apart by the first LIKE alone.
  const rest = `substr(${s}key, instr(substr(${s}key, 7), ':') + 7)`;
  return `(${s}deleting <> 0
  OR (${s}key LIKE '%:incognito%' AND (${rest} LIKE 'incognito' OR ${rest} LIKE 'incognito:%'
    OR (${rest} LIKE '%:incognito-%' AND ${rest} NOT LIKE '%:%:%')))
  OR ${unjudged(session)})`;
}

/** A kind that nobody knows, or `people` that is no list: the row is damaged (VIS-44). */
export function unjudged(session: string): string {
  const s = session === '' ? '' : `${session}.`;
  return `${s}kind NOT IN (${listOf(SESSION_KINDS)})
  OR CASE WHEN ${s}people IS NULL THEN 0 WHEN json_valid(${s}people) THEN json_type(${s}people) <> 'array' ELSE 1 END`;
}

/**
 * Keys of an agent's own sessions: a row of another agent, or of none, is in the wrong store (VIS-44). The plus keeps the
 * index of keys out of it: lists walk the one of times.
 */
export function ownKeys(agentId: string, key: string): string {
  return `(+${key} >= 'agent:${agentId}:' AND +${key} < 'agent:${agentId};')`;
}

/**
 * `1` and `0` where the scope shows all or nothing of an agent. Rows that are never shown are left to the caller, and so is
 * how descendants are found: `descendantsOf` gives the condition for them.
 */
export function scopeCondition(
  scope: Scope,
  agentId: string,
  descendantsOf: (part: Descendants) => Condition,
): Condition {
  return conditionOf(conditionIn(scope, agentId), descendantsOf);
}

function conditionOf(part: ScopeCondition, descendantsOf: (part: Descendants) => Condition): Condition {
  switch (part.kind) {
    case 'everything':
      return { sql: '1', values: [] };
    case 'key':
      return { sql: 's.key = ?', values: [part.key] };
    case 'person':
      return { sql: OF_PERSON, values: [part.person] };
    case 'descendants':
      return descendantsOf(part);
    case 'and':
    case 'or': {
      const parts = part.of.map((one) => conditionOf(one, descendantsOf));
      const sql = `(${parts.map((one) => one.sql).join(part.kind === 'and' ? ' AND ' : ' OR ')})`;
      return { sql, values: parts.flatMap((one) => one.values) };
    }
    // Patterns of agents were answered for this store; and whatever is not known shows nothing.
    default:
      return { sql: '0', values: [] };
  }
}

// The CASE keeps json_each from a broken list, which would fail the whole search.
const OF_PERSON = `CASE WHEN json_valid(s.people)
  THEN EXISTS (SELECT 1 FROM json_each(s.people) WHERE type = 'text' AND value = ?) ELSE 0 END`;

/** Numbers of the descendants of a scope that are in this store. */
export function descendantsQuery(part: Descendants, { reach }: Scope, agentId: string): Condition {
  const entries = entriesIn(part, reach, agentId).map(({ key, depth }) => [key, depth]);
  const sql = `
    WITH RECURSIVE ${treeOf(part, agentId)}
    SELECT s.no FROM session s WHERE s.key IN (SELECT key FROM tree)`;
  return { sql, values: [JSON.stringify(entries)] };
}

/**
 * `tree (key, depth)`: down from the sessions that descendants hang from (one bound value: a JSON list of key and depth,
 * which are in it too), by the three indexes of links (MULTI-INDEX OR). A cycle comes round again with another depth and
 * ends with it. Across agents only native kinds link, and in another agent's store every one on the way is (VIS-21).
 */
export function treeOf({ of, spawned }: Descendants, agentId: string): string {
  const native = `c.kind IN (${listOf(NATIVE_KINDS)})`;
  const own = of.startsWith(`agent:${agentId}:`);
  const crossing = own ? `(${native} OR ${ownKeys(agentId, 'tree.key')})` : native;
  const links = spawned
    ? 'c.spawned_by = tree.key'
    : '(c.spawned_by = tree.key OR c.parent = tree.key OR c.owner = tree.key)';
  return `tree (key, depth) AS (
    SELECT value ->> 0, value ->> 1 FROM json_each(?)
    UNION
    SELECT c.key, tree.depth + 1 FROM tree CROSS JOIN session c
    WHERE tree.depth < ${MAX_DEPTH} AND ${links} AND NOT ${unseen('c')} AND ${ownKeys(agentId, 'c.key')} AND ${crossing}
  )`;
}

function listOf(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}
