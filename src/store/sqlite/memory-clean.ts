// Taking what was deleted out of a memory file's bytes, and looking whether it is gone (SES-172, EPI-133).
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';

// 64 pages a step keep one step under 50 ms (search-engine.md, trap 5).
const STEP_PAGES = 64;
const MOST_STEPS = 10_000;
const BLOCK = 1 << 20;

/** Merges the index until nothing deleted is left in it, then empties the WAL. `begin` takes the write lock. */
export async function cleanMemory(db: Database.Database, begin: () => Promise<void>): Promise<'absent' | 'pending'> {
  const merge = db.prepare("INSERT INTO fts (fts, rank) VALUES ('merge', ?)");
  for (let step = 0; step < MOST_STEPS; step++) {
    await begin();
    const before = totalChanges(db);
    merge.run(step === 0 ? -STEP_PAGES : STEP_PAGES);
    const moved = totalChanges(db) - before;
    db.exec('COMMIT');
    // "If fewer than two rows changed, there was nothing left to merge" (FTS5's own way to tell).
    if (moved < 2) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (emptyLog(db)) return 'absent';
  await begin();
  db.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES ('unclean', '1')").run();
  db.exec('COMMIT');
  return 'pending';
}

/** True when the log could be emptied now; then nothing is noted any more. */
export function finishCleaning(db: Database.Database): boolean {
  if (!emptyLog(db)) return false;
  try {
    db.exec("DELETE FROM meta WHERE name = 'unclean'");
  } catch {
    // Another process writes now: the note stays, and the next to open the file empties an empty log once more.
  }
  return true;
}

/** A reader held the log when something was erased, and nobody has emptied it since. */
export function isUnclean(db: Database.Database): boolean {
  return db.prepare("SELECT 1 FROM meta WHERE name = 'unclean'").get() !== undefined;
}

function emptyLog(db: Database.Database): boolean {
  const [row] = db.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number } | undefined];
  return row === undefined || row.busy === 0;
}

/** How many of the fragments stand in the database file or its WAL. */
export function fragmentsIn(path: string, fragments: readonly string[]): number {
  const wanted = fragments.map((fragment) => Buffer.from(fragment, 'utf8'));
  const longest = Math.max(0, ...wanted.map((fragment) => fragment.length));
  const found = new Set<number>();
  for (const file of [path, `${path}-wal`]) {
    if (!existsSync(file)) continue;
    const handle = openSync(file, 'r');
    try {
      const block = Buffer.alloc(BLOCK + longest);
      for (let at = 0; ; at += BLOCK) {
        const read = readSync(handle, block, 0, block.length, at);
        if (read <= 0) break;
        const bytes = block.subarray(0, read);
        wanted.forEach((fragment, index) => {
          if (!found.has(index) && bytes.includes(fragment)) found.add(index);
        });
      }
    } finally {
      closeSync(handle);
    }
  }
  return found.size;
}

export function fileBytes(path: string): number {
  return [path, `${path}-wal`].reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0);
}

function totalChanges(db: Database.Database): number {
  return db.prepare<[], number>('SELECT total_changes()').pluck().get()!;
}
