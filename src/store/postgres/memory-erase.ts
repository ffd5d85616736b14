// What an erasure asks of an agent's tables: what hangs on records, how much they are, and what is left of them afterwards.
import { parseQuery } from '../../text/index.ts';
import type { ErasureReading } from '../memory-erasure.ts';
import { LINK } from '../memory-rows.ts';
import type { Sql } from './connection.ts';
import { requiredOf } from './match.ts';

const DERIVED = `
  SELECT DISTINCT l.no FROM record r JOIN link l ON l.agent = r.agent AND l.target = r.id AND l.sort = ${LINK.derivedFrom}
  WHERE r.agent = $1 AND r.no = ANY($2::bigint[]) ORDER BY l.no`;
const SIZES = `
  SELECT count(*) AS records, count(*) FILTER (WHERE status = 1) AS candidates,
         coalesce(sum(octet_length(body::text) + octet_length(searched)), 0)::bigint AS bytes
  FROM record WHERE agent = $1 AND no = ANY($2::bigint[])`;
// Words stand in the row itself, so an entry of the index is a row.
const LEFT = `
  SELECT (SELECT count(*) FROM record WHERE agent = $1 AND no = ANY($2::bigint[])) AS records,
         (SELECT count(*) FROM link WHERE agent = $1 AND no = ANY($2::bigint[])) AS links`;
const HOLDS = 'position($2 IN searched) > 0 OR position($2 IN body::text) > 0';
const HELD = `
  SELECT EXISTS (SELECT 1 FROM record WHERE agent = $1 AND words @@ $3::tsquery AND (${HOLDS}))
      OR EXISTS (SELECT 1 FROM record WHERE agent = $1 AND status IN (1, 2) AND (${HOLDS}))
      OR EXISTS (SELECT 1 FROM parked WHERE agent = $1 AND position($2 IN state) > 0) AS held`;

/** Of one agent. */
export function erasureReading(sql: Sql, agent: string): ErasureReading {
  return {
    derivedFrom: async (numbers) => (await sql.rows<{ no: number }>(DERIVED, [agent, numbers])).map(({ no }) => no),
    sizesOf: async (numbers) =>
      (await sql.row<{ records: number; candidates: number; bytes: number }>(SIZES, [agent, numbers]))!,
    async leftOf(numbers) {
      const { records, links } = (await sql.row<{ records: number; links: number }>(LEFT, [agent, numbers]))!;
      return { rows: records + links, index: records };
    },
    async heldFragments(fragments) {
      const held: string[] = [];
      for (const fragment of fragments) {
        const words = wordsOf(fragment);
        // Without a word the index cannot tell: it may be held.
        const found = words === undefined || (await sql.row<{ held: boolean }>(HELD, [agent, fragment, words]))!.held;
        if (found) held.push(fragment);
      }
      return held;
    },
  };
}

// Every word of the fragment, which begins and ends between words.
function wordsOf(fragment: string): string | undefined {
  try {
    const query = parseQuery(fragment.replaceAll('"', ' '), { mode: 'any' });
    return requiredOf(query, [...query.clauses.keys()])?.loose;
  } catch {
    return undefined;
  }
}
