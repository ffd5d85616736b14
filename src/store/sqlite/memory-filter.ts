// What narrows the records of a namespace, as conditions of SQL and of the index.
import { MEMORY_KINDS, OUTCOMES } from '../../model/episode.ts';
import { traceOf } from '../../model/episode-ids.ts';
import type { RecordFilter } from '../memory.ts';
import { MARK, markOf } from '../memory-rows.ts';
import { rangeOf } from './memory-rows.ts';

interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number | bigint)[];
}

/** `by`: whether the rows are found by their time, or by words and then looked at. */
export function conditionOf(ns: number, filter: RecordFilter, by: 'time' | 'word'): Condition {
  // A unary plus keeps the planner from an index where the words already chose the rows.
  const column = (name: string): string => (by === 'word' ? `+r.${name}` : `r.${name}`);
  const parts = [`${column('ns')} = ?`, `${column('status')} = 0`, '(r.expires_at IS NULL OR r.expires_at > ?)'];
  const values: (string | number | bigint)[] = [ns, filter.now];
  const add = (sql: string, ...bound: (string | number | bigint)[]): void => {
    parts.push(sql);
    values.push(...bound);
  };
  if (filter.since !== undefined) add(`${column('at')} >= ?`, filter.since);
  if (filter.until !== undefined) add(`${column('at')} < ?`, filter.until);
  if (filter.kind !== undefined) add(`r.kind = ${MEMORY_KINDS.indexOf(filter.kind)}`);
  if (filter.outcome !== undefined) add(`r.outcome = ${OUTCOMES.indexOf(filter.outcome)}`);
  if (filter.threadId !== undefined) add('r.origin = 0');
  const marks = marksOf(filter);
  if (by === 'time' && marks !== undefined) {
    add('r.no IN (SELECT rowid FROM fts WHERE fts MATCH ? AND rowid BETWEEN ? AND ?)', marks, ...rangeOf(ns));
  }
  return { sql: parts.join(' AND '), values };
}

/** Words and marks in one MATCH: what tags, tool and thread are filtered by. */
export function withMarks(match: string, filter: RecordFilter): string {
  const marks = marksOf(filter);
  return marks === undefined ? match : `(${match}) AND (${marks})`;
}

function marksOf({ tags, tool, threadId }: RecordFilter): string | undefined {
  const quoted = (mark: string): string => `"${mark}"`;
  const all = [
    // None of no tags is nothing.
    ...(tags === undefined ? [] : [(tags.length === 0 ? ['none'] : tags.map((tag) => markOf('tag', tag))).map(quoted)]),
    ...(tool === undefined ? [] : [[quoted(markOf('tool', tool))]]),
    ...(threadId === undefined ? [] : [[quoted(MARK.trace + traceOf('thread', threadId))]]),
  ];
  return all.length === 0 ? undefined : all.map((each) => `marks : (${each.join(' OR ')})`).join(' AND ');
}
