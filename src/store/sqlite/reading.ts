// The read side of one connection: the parts of a snapshot, each noun in its own file.
import type Database from 'better-sqlite3';
import type { Reading } from '../reading.ts';
import { archiveReading } from './archive-reading.ts';
import { eraseReading } from './erase-reading.ts';
import { extraReading } from './extra-reading.ts';
import { fileReading } from './file-writing.ts';
import { historyReading } from './history.ts';
import { dirtyReading } from './host-dirty.ts';
import { hostEntryReading } from './host-entries.ts';
import { hostSessionReading } from './host-sessions.ts';
import { listReading } from './list.ts';
import { scopeReading } from './scope-reading.ts';
import { searchReading } from './search.ts';
import { placesReading } from './search-places.ts';
import { sightOf } from './search-scope.ts';
import { statsReading } from './stats.ts';

/** Statements are prepared once per connection. */
export function readingOf(db: Database.Database, agentId: string): Reading {
  const sight = sightOf(db, agentId);
  return {
    ...searchReading(db, sight),
    ...placesReading(db, sight),
    ...listReading(db, sight),
    ...historyReading(db, sight),
    ...statsReading(db, sight),
    ...fileReading(db, sight),
    ...scopeReading(db, agentId),
    ...hostSessionReading(db),
    ...dirtyReading(db, sight),
    ...eraseReading(db, sight),
    ...extraReading(db, sight),
    ...hostEntryReading(db),
    ...archiveReading(db),
  };
}
