// Tells that something below a folder changed. Watches folders, never files; looks every second at those it cannot watch
// (SRC-48). Opens no file and knows no format: which parts of the tree matter, it is told.
import { type FSWatcher, watch as fsWatch, lstatSync, readdirSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import type { Clock } from '../model/clock.ts';
import { makeTurn } from '../model/turn.ts';

export type WatchFolder = (folder: string, options: { readonly recursive: boolean }) => FSWatcher;

export interface WatchedTreeOptions {
  readonly base: string;
  /** Everything below the base matters; else only what `grow` names, and folders that appear later. */
  readonly whole: boolean;
  readonly clock: Clock;
  /** One watch for the whole tree; default: where the system has it. Node's own stand-in on Linux watches every file. */
  readonly recursive?: boolean | undefined;
  readonly watch?: WatchFolder | undefined;
  readonly onChange: () => void;
  /** A folder could not be watched and is looked at instead. */
  readonly onUnwatched: (folder: string, code: string) => void;
}

interface Folder {
  watcher: FSWatcher | undefined;
  /** Device and inode: a folder of the same name made later is another one. */
  readonly id: string;
  /** What it looked like last, when it cannot be watched. */
  seen?: string;
  walk: number;
}

const NATIVE = process.platform === 'darwin' || process.platform === 'win32';

/** One root, and below it the folders directly in it and all those under the parts that matter. */
export class WatchedTree {
  readonly #options: WatchedTreeOptions;
  readonly #folders = new Map<string, Folder>();
  /** First segments below the base that hold sessions; '' for the base itself. */
  readonly #parts = new Set<string>();
  #recursive: boolean;
  #walk = 0;
  #closed = false;

  constructor(options: WatchedTreeOptions) {
    this.#options = options;
    this.#recursive = options.recursive ?? NATIVE;
  }

  /** Names parts that matter. Walks the folders when there are new ones, or when asked to. */
  async grow(parts: Iterable<string>, again: boolean): Promise<void> {
    const before = this.#parts.size;
    for (const part of parts) this.#parts.add(part);
    if (again || this.#walk === 0 || this.#parts.size > before) await this.#walkAll();
  }

  get folders(): number {
    return this.#folders.size;
  }

  get polled(): number {
    let count = 0;
    for (const { watcher } of this.#folders.values()) if (!watcher) count++;
    return count;
  }

  /** Looks at what cannot be watched. */
  async poll(): Promise<void> {
    const turn = makeTurn(this.#options.clock);
    let changed = false;
    for (const [path, folder] of this.#folders) {
      if (folder.watcher) continue;
      if (turn.isDue()) await turn.give();
      const seen = this.#look(path);
      if (seen !== folder.seen) changed = true;
      folder.seen = seen;
    }
    if (!changed || this.#closed) return;
    await this.#walkAll();
    this.#options.onChange();
  }

  close(): void {
    this.#closed = true;
    this.#drop(this.#options.base);
  }

  // Folders that are gone, or are others under an old name, lose their watch; those without one are tried again.
  async #walkAll(): Promise<void> {
    const walk = ++this.#walk;
    await this.#visit(this.#options.base);
    if (this.#closed || walk !== this.#walk) return;
    for (const [path, folder] of this.#folders) if (folder.walk < walk) this.#drop(path);
  }

  async #visit(start: string): Promise<void> {
    const turn = makeTurn(this.#options.clock);
    const left = [start];
    for (let path = left.pop(); path !== undefined && !this.#closed; path = left.pop()) {
      if (turn.isDue()) await turn.give();
      // Watched first and listed then, so that no folder made in between is missed.
      if (this.#closed || !this.#keep(path) || this.#recursive) continue;
      const inBase = path === this.#options.base;
      if (!inBase && !this.#matters(path)) continue;
      for (const name of foldersIn(path)) left.push(join(path, name));
    }
  }

  // False when there is no such folder.
  #keep(path: string): boolean {
    const id = idOf(path);
    const before = this.#folders.get(path);
    if (before && before.id !== id) this.#drop(path);
    if (id === undefined) return false;
    const folder = this.#folders.get(path) ?? { watcher: undefined, id, walk: 0 };
    folder.walk = this.#walk;
    this.#folders.set(path, folder);
    if (!folder.watcher) this.#watch(path, folder);
    return true;
  }

  #watch(path: string, folder: Folder): void {
    const fail = (error: unknown): void => {
      folder.watcher = undefined;
      if (this.#closed || this.#folders.get(path) !== folder) return;
      // One watch for the whole is not to be had: then folder by folder, which the next walk does.
      this.#recursive = false;
      folder.seen ??= this.#look(path);
      this.#options.onUnwatched(path, (error as NodeJS.ErrnoException).code ?? 'unknown');
    };
    try {
      const watcher = (this.#options.watch ?? fsWatch)(path, { recursive: this.#recursive });
      folder.watcher = watcher;
      delete folder.seen;
      watcher.on('change', (type, name) => {
        if (folder.watcher === watcher) this.#changed(path, type, name === null ? null : String(name));
      });
      watcher.on('error', (error) => {
        watcher.close();
        if (folder.watcher === watcher) fail(error);
      });
    } catch (error) {
      fail(error);
    }
  }

  #changed(folder: string, type: string, name: string | null): void {
    if (this.#closed) return;
    const { base, onChange } = this.#options;
    if (name === null) {
      void this.#walkAll();
      onChange();
      return;
    }
    const path = join(folder, name);
    const segments = relative(base, path).split(sep);
    const isNear = type === 'rename' && segments.length <= 2;
    if (type === 'rename') this.#renamed(folder, path, segments, isNear);
    if (isNear || this.#matters(path)) onChange();
  }

  // Something was made, moved or removed. A watch on what was removed is deaf, also when its name is there again.
  #renamed(folder: string, path: string, segments: readonly string[], isNear: boolean): void {
    const id = idOf(path);
    if (id === undefined && basename(folder) === basename(path)) {
      this.#drop(folder);
      void this.#visit(folder);
    }
    if (this.#folders.has(path)) this.#drop(path);
    if (id === undefined) return;
    // A new folder may be the place of new sessions (the first project, the first session of all).
    if (isNear) this.#parts.add(segments[0]!);
    if (!this.#recursive) void this.#visit(isNear ? join(this.#options.base, segments[0]!) : path);
  }

  #matters(path: string): boolean {
    if (this.#options.whole) return true;
    const segments = relative(this.#options.base, path).split(sep);
    return this.#parts.has(segments[0]!) || (segments.length === 1 && this.#parts.has(''));
  }

  #drop(path: string): void {
    const below = path + sep;
    for (const [other, folder] of this.#folders) {
      if (other !== path && !other.startsWith(below)) continue;
      this.#folders.delete(other);
      folder.watcher?.close();
      folder.watcher = undefined;
    }
  }

  // Names and numbers of what is in a folder; names alone where no file matters.
  #look(path: string): string {
    try {
      const entries = readdirSync(path, { withFileTypes: true });
      return entries
        .map((entry) => {
          const full = join(path, entry.name);
          if (entry.isDirectory() || !this.#matters(full)) return entry.name;
          const stat = lstatSync(full, { bigint: true, throwIfNoEntry: false });
          return `${entry.name} ${stat?.ino} ${stat?.size} ${stat?.mtimeNs} ${stat?.ctimeNs}`;
        })
        .join('\n');
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? 'unknown';
    }
  }
}

function idOf(folder: string): string | undefined {
  try {
    const stat = lstatSync(folder, { bigint: true, throwIfNoEntry: false });
    return stat?.isDirectory() ? `${stat.dev}:${stat.ino}` : undefined;
  } catch {
    return undefined;
  }
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}
