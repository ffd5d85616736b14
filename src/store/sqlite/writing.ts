// The write side of one connection: the parts of a transaction, each noun in its own file.
import type Database from 'better-sqlite3';
import type { Writing } from '../writing.ts';
import { archiveWriting } from './archive-writing.ts';
import { entryWriting, type Fresh } from './entry-writing.ts';
import { eraseBytes } from './erase-bytes.ts';
import { eraseRows } from './erase-rows.ts';
import { eraseWriting } from './erase-writing.ts';
import { extraWriting } from './extra-writing.ts';
import { fileWriting } from './file-writing.ts';
import { hostBranchWriting } from './host-branch.ts';
import { hostEntryWriting } from './host-entries.ts';
import { hostSessionWriting } from './host-sessions.ts';
import { indexWriting } from './index-writing.ts';
import { sessionWriting } from './session-writing.ts';

/** Statements are prepared once per connection. `begin` is called before each write, since others may have come between. */
export function writingOf(db: Database.Database): { readonly writing: Writing; readonly begin: () => void } {
  const fresh = new Map<number, Fresh>();
  const entries = entryWriting(db, fresh);
  const index = indexWriting(db, fresh);
  const files = fileWriting(db);
  const erasing = eraseWriting(db, { ...entries, ...index });
  const writing = {
    ...sessionWriting(db),
    ...entries,
    ...index,
    ...files,
    ...eraseRows(db, { ...entries, ...index }),
    ...eraseBytes(db),
    ...extraWriting(db),
    ...hostSessionWriting(db),
    ...hostEntryWriting(db, fresh),
    ...hostBranchWriting(db, fresh),
    ...erasing,
    ...archiveWriting(db, fresh, { ...files, ...erasing }),
  };
  return { writing, begin: () => fresh.clear() };
}
