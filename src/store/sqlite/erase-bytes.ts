// What deleting leaves in the files: tokens in old segments, freed pages, the write-ahead log (SES-172, SES-173, SES-176).
import { closeSync, openSync, readSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { EraseWriting } from '../erase.ts';
import { lazily } from './lazily.ts';

// 200 pages took up to 86 ms a step; 64 stay below 50 (search-engine.md, trap 5).
const MERGE_PAGES = 64;
const CHUNK = 1 << 20;

export function eraseBytes(db: Database.Database): Pick<EraseWriting, 'mergeIndex' | 'giveBack'> {
  const merges = ['fts', 'extra_fts'].map((name) =>
    lazily(db, `INSERT INTO ${name} (${name}, rank) VALUES ('merge', ?)`),
  );
  const changes = lazily<[], { n: number }>(db, 'SELECT total_changes() AS n');
  return {
    mergeIndex(begin) {
      let merged = false;
      for (const merge of merges) {
        const before = changes.get()!.n;
        merge.run(BigInt(begin ? -MERGE_PAGES : MERGE_PAGES));
        // The command itself counts as one change: fewer than two, and nothing was merged.
        if (changes.get()!.n - before >= 2) merged = true;
      }
      return merged;
    },
    giveBack(pages) {
      if ((db.pragma('freelist_count', { simple: true }) as number) === 0) return false;
      if ((db.pragma('auto_vacuum', { simple: true }) as number) !== 2) return false;
      db.pragma(`incremental_vacuum(${pages})`);
      return true;
    },
  };
}

/** Moves the log into the database and empties it. False: a reader or a writer is in the way, now. Waits for nobody. */
export function truncateWal(db: Database.Database): boolean {
  if (db.memory) return true;
  const timeout = db.pragma('busy_timeout', { simple: true }) as number;
  db.pragma('busy_timeout = 0');
  try {
    const [row] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    return row?.busy === 0;
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) return false;
    if (String((error as { code?: unknown }).code).startsWith('SQLITE_LOCKED')) return false;
    throw error;
  } finally {
    db.pragma(`busy_timeout = ${timeout}`);
  }
}

/** Places in `fragments` of those that stand in the database or its log. Reads both through once, a mebibyte at a time. */
export async function fragmentsIn(path: string, fragments: readonly Uint8Array[]): Promise<readonly number[]> {
  const found = new Set<number>();
  const wanted = fragments.map((one) => Buffer.from(one));
  const overlap = Math.max(0, ...fragments.map((one) => one.length)) - 1;
  if (path === ':memory:' || overlap < 0) return [];
  for (const file of [path, `${path}-wal`]) {
    let handle: number;
    try {
      handle = openSync(file, 'r');
    } catch {
      continue;
    }
    try {
      const buffer = Buffer.allocUnsafe(CHUNK + overlap);
      let kept = 0;
      for (;;) {
        const read = readSync(handle, buffer, kept, CHUNK, null);
        if (read === 0) break;
        const seen = buffer.subarray(0, kept + read);
        for (const [place, fragment] of wanted.entries()) {
          if (!found.has(place) && seen.includes(fragment)) found.add(place);
        }
        kept = Math.min(overlap, seen.length);
        buffer.copy(buffer, 0, seen.length - kept, seen.length);
        // Readers and writers of this process go on in between.
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      closeSync(handle);
    }
  }
  return [...found];
}
