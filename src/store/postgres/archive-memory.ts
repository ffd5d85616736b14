// Records of memory in the order of writing, with all that writing them again takes but their searched text (SUR-72).
import type { MemoryArchiveReading } from '../archive.ts';
import { type Body, ownTraces, type RecordSql } from '../memory-rows.ts';
import type { Sql } from './connection.ts';
import { RECORD_COLUMNS, RECORD_TABLES, recordOf } from './memory-rows.ts';

const PART = 256;
const AFTER = `
  SELECT ${RECORD_COLUMNS} FROM ${RECORD_TABLES} WHERE r.agent = $1 AND r.no > $2 ORDER BY r.no LIMIT ${PART}`;

/** Of one agent. */
export function memoryArchive(sql: Sql, agent: string): MemoryArchiveReading {
  return {
    async archived(place) {
      const rows = await sql.rows<RecordSql>(AFTER, [agent, (place?.[0] as number | undefined) ?? 0]);
      const last = rows.length < PART ? undefined : rows.at(-1);
      return {
        rows: rows.map((row) => {
          const { record, identity } = recordOf(row);
          const traces = (JSON.parse(row.json) as Body).traces ?? ownTraces(record);
          return { record, traces, ...(identity === undefined ? {} : { identity }) };
        }),
        ...(last === undefined ? {} : { next: [last.no] }),
      };
    },
  };
}
