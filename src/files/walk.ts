// Finds the regular files below a root, in order of their path, without following a link (FILE-2). Reads none of them.
import { join } from 'node:path';
import type { Turn } from '../model/turn.ts';
import { type BigIntStats, type FileSystem, SystemTrouble, system } from './file-system.ts';

export interface Found {
  /** Below the root, with `/` between its parts. */
  readonly path: string;
  readonly absolute: string;
  /** Its lstat. */
  readonly stat: BigIntStats;
}

/** `vanished` while it was being walked to; `unreadable` with the code of the system's error. */
export interface PassedOver {
  readonly path: string;
  readonly reason: 'symlink' | 'not_regular' | 'vanished' | 'unreadable';
  readonly detail?: string;
}

export interface WalkOptions {
  /** Folders not to be entered, by their path below the root; they are not reported. */
  readonly enters?: (path: string) => boolean;
  readonly onPassedOver?: (entry: PassedOver) => void;
}

interface Walk extends WalkOptions {
  readonly fs: FileSystem;
  readonly root: string;
  readonly turn: Turn;
  readonly accepts?: ((path: string) => boolean) | undefined;
}

/** A root that is a file itself is found as the path ''. */
export async function* walk(options: Walk): AsyncGenerator<Found, void, void> {
  const { root, turn, accepts, enters, onPassedOver } = options;
  // The next entry is the last one; a folder ends with `/`, which also puts it where its files belong in the order.
  const left: string[] = [''];
  while (left.length > 0) {
    if (turn.isDue()) await turn.give();
    const path = left.pop()!;
    const isFolder = path.endsWith('/') || path === '';
    const absolute = join(root, path);
    try {
      if (isFolder) {
        if (path !== '' && enters && !enters(path.slice(0, -1))) continue;
        for (const entry of entriesOf(options, path, absolute)) left.push(entry);
      } else if (!accepts || accepts(path)) {
        const stat = system(() => options.fs.lstatSync(absolute, { bigint: true }));
        if (stat.isFile()) yield { path, absolute, stat };
        else onPassedOver?.({ path, reason: stat.isSymbolicLink() ? 'symlink' : 'not_regular' });
      }
    } catch (error) {
      if (!(error instanceof SystemTrouble)) throw error;
      onPassedOver?.(troubleAt(isFolder ? path.slice(0, -1) : path, error.code));
    }
  }
}

// Paths of a folder's entries, the first in order last.
function entriesOf(options: Walk, path: string, absolute: string): string[] {
  const entries = system(() => options.fs.readdirSync(absolute, { withFileTypes: true }));
  const paths = entries.map((entry) => `${path}${entry.name}${entry.isDirectory() ? '/' : ''}`);
  return paths.sort().reverse();
}

// Node shows bytes that are no UTF-8 as U+FFFD, and no such name is there to be read: it is said, not taken as vanished.
function troubleAt(path: string, code: string): PassedOver {
  if (code === 'ENOENT' && path.includes('\ufffd')) return { path, reason: 'unreadable', detail: 'EILSEQ' };
  if (code === 'ENOENT' || code === 'ENOTDIR') return { path, reason: 'vanished' };
  return { path, reason: 'unreadable', detail: code };
}
