// Records of memory in the order of writing, with all that writing them again takes but their searched text (SUR-72).
import type Database from 'better-sqlite3';
import type { ArchivedRecord, MemoryArchiveReading } from '../archive.ts';
import { type Body, ownTraces, type RecordSql, storedOf } from '../memory-rows.ts';
import { lazily } from './lazily.ts';
import { RECORD_COLUMNS, RECORD_TABLES } from './memory-rows.ts';

const PART = 256;

export function memoryArchive(db: Database.Database): MemoryArchiveReading {
  const after = lazily<[number], RecordSql>(
    db,
    `SELECT ${RECORD_COLUMNS} FROM ${RECORD_TABLES} WHERE r.no > ? ORDER BY r.no LIMIT ${PART}`,
  );
  return {
    archived(place) {
      const rows = after.all((place?.[0] as number | undefined) ?? 0);
      const last = rows.length < PART ? undefined : rows.at(-1);
      return { rows: rows.map(archivedOf), ...(last === undefined ? {} : { next: [last.no] }) };
    },
  };
}

function archivedOf(row: RecordSql): ArchivedRecord {
  const { record, identity } = storedOf(row);
  const traces = (JSON.parse(row.json) as Body).traces ?? ownTraces(record);
  return { record, traces, ...(identity === undefined ? {} : { identity }) };
}
