// The write side of one connection: the parts of a transaction, each noun in its own file.
import type Database from 'better-sqlite3';
import type { Writing } from '../writing.ts';
import { entryWriting } from './entry-writing.ts';
import { eraseWriting } from './erase-writing.ts';
import { fileWriting } from './file-writing.ts';
import { indexWriting } from './index-writing.ts';
import { sessionWriting } from './session-writing.ts';

/** Statements are prepared once per connection. */
export function writingOf(db: Database.Database): Writing {
  const entries = entryWriting(db);
  const index = indexWriting(db);
  return {
    ...sessionWriting(db),
    ...entries,
    ...index,
    ...fileWriting(db),
    ...eraseWriting(db, { ...entries, ...index }),
  };
}
