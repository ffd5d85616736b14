// Titles of Codex sessions: its index of names, else its database of threads (SRC-120). Neither is ever written.
import { type BigIntStats, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReadOptions } from './contract.ts';

type Titles = ReadonlyMap<string, string>;

const MAX_INDEX_BYTES = 8 * 1_048_576;
const STATE = /^state_(\d+)\.sqlite$/;

/** The title of a session, if its product gave it one. */
export function codexTitle(root: string, id: string, options: Pick<ReadOptions, 'openDatabase'>): string | undefined {
  const index = kept(join(root, 'session_index.jsonl'), indexed).get(id);
  if (index !== undefined) return index;
  const state = newestState(root);
  return state && kept(state, (path) => threads(path, options)).get(id);
}

const known = new Map<string, { readonly stamp: string; readonly titles: Titles }>();

// Read again only when its stat is another: once per sync, not once per session.
function kept(path: string, read: (path: string, stat: BigIntStats) => Titles): Titles {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (!stat?.isFile()) return new Map();
  const log = lstatSync(`${path}-wal`, { bigint: true, throwIfNoEntry: false });
  const stamp = [stat, log].map((one) => `${one?.ino} ${one?.size} ${one?.mtimeNs} ${one?.ctimeNs}`).join();
  const before = known.get(path);
  if (before?.stamp === stamp) return before.titles;
  const titles = read(path, stat);
  known.set(path, { stamp, titles });
  return titles;
}

// A line per renaming; the last one counts.
function indexed(path: string): Titles {
  const titles = new Map<string, string>();
  for (const line of textOf(path).slice(0, MAX_INDEX_BYTES).split('\n')) {
    try {
      const row = JSON.parse(line) as Record<string, unknown>;
      if (typeof row.id === 'string' && typeof row.thread_name === 'string') titles.set(row.id, row.thread_name);
    } catch {
      // A torn line costs itself only.
    }
  }
  return titles;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

// Best effort: a database that is busy, or of another shape, names nothing.
function threads(path: string, { openDatabase }: Pick<ReadOptions, 'openDatabase'>): Titles {
  const titles = new Map<string, string>();
  try {
    const db = openDatabase(path);
    try {
      for (const { id, title } of db.all("SELECT id, title FROM threads WHERE title <> ''")) {
        if (typeof id === 'string' && typeof title === 'string') titles.set(id, title);
      }
    } finally {
      db.close();
    }
  } catch {
    return titles;
  }
  return titles;
}

function newestState(root: string): string | undefined {
  try {
    const numbers = readdirSync(root).flatMap((name) => STATE.exec(name)?.[1] ?? []);
    const newest = numbers.sort((a, b) => Number(b) - Number(a))[0];
    return newest === undefined ? undefined : join(root, `state_${newest}.sqlite`);
  } catch {
    return undefined;
  }
}
