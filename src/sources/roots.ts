// Roots and files of a format by name alone: real paths, links directly below a root, nothing else followed (SRC-3, SRC-9).
import { type BigIntStats, type Dirent, existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Found, Instance } from './contract.ts';

export interface Candidate {
  readonly path: string;
  readonly how: Instance['how'];
  readonly agentId: string;
}

/** Instances of the candidates that exist, once per real path; those named by a variable or a caller must exist (SRC-3). */
export function rootsOf(source: string, candidates: readonly Candidate[]): Found[] {
  const found: Found[] = [];
  const seen = new Set<string>();
  for (const { path, how, agentId } of candidates) {
    try {
      const root = realpathSync(path);
      if (!statSync(root).isDirectory()) throw Object.assign(new Error('no folder'), { code: 'ENOTDIR' });
      readdirSync(root);
      if (seen.has(root)) continue;
      seen.add(root);
      found.push({ instance: { source, root, agentId, how } });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
      const missing = code === 'ENOENT' || code === 'ENOTDIR';
      found.push({ source, root: path, problem: missing ? 'root_not_found' : 'root_unreadable', how, detail: code });
    }
  }
  return found;
}

export interface Listed {
  readonly files: {
    readonly path: string;
    readonly absolute: string;
    readonly linked?: string;
    readonly stat: BigIntStats;
  }[];
  readonly skipped: { readonly what: string; readonly reason: string }[];
  /** False when a folder could not be listed (SRC-50). */
  whole: boolean;
}

/**
 * Files below `root/folder` that `accepts` names, by path below the root. A link to a folder directly below `folder` is
 * one more root, once per device and inode; every other link is passed over and named.
 */
export function listFiles(root: string, folder: string, accepts: (path: string) => boolean, into: Listed): void {
  const seen = new Set<string>();
  const start = folder === '' ? root : join(root, folder);
  const queue: { absolute: string; path: string; depth: number; linked?: string }[] = [
    { absolute: start, path: folder, depth: 0 },
  ];
  for (let next = queue.pop(); next; next = queue.pop()) {
    const { absolute, path, depth } = next;
    const linked = next.linked === undefined ? {} : { linked: next.linked };
    for (const entry of entriesOf(absolute, into, depth === 0)) {
      const below = path === '' ? entry.name : `${path}/${entry.name}`;
      const full = join(absolute, entry.name);
      if (entry.isDirectory()) queue.push({ absolute: full, path: below, depth: depth + 1, ...linked });
      else if (entry.isSymbolicLink()) {
        const target = depth === 0 ? folderOf(full, seen) : undefined;
        // A disk that is not mounted: what lay behind the link is not known to be gone (SRC-50).
        if (target === undefined && depth === 0 && !existsSync(full)) into.whole = false;
        if (target !== undefined) queue.push({ absolute: target, path: below, depth: depth + 1, linked: target });
        else into.skipped.push({ what: full, reason: 'symlink' });
      } else if (accepts(below)) {
        const stat = lstatSync(full, { bigint: true, throwIfNoEntry: false });
        if (!stat) continue;
        if (stat.isFile()) into.files.push({ path: below, absolute: full, ...linked, stat });
        else into.skipped.push({ what: full, reason: 'not_regular' });
      }
    }
  }
}

function entriesOf(folder: string, into: Listed, optional: boolean): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? 1 : -1));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    if (code === 'ENOENT' && optional) return [];
    into.whole = false;
    if (code !== 'ENOENT') into.skipped.push({ what: folder, reason: `unreadable (${code})` });
    return [];
  }
}

function folderOf(link: string, seen: Set<string>): string | undefined {
  try {
    const target = realpathSync(link);
    const stat = statSync(target, { bigint: true });
    const name = `${stat.dev}:${stat.ino}`;
    if (!stat.isDirectory() || seen.has(name)) return undefined;
    seen.add(name);
    return target;
  } catch {
    return undefined;
  }
}

/** Real folders that links directly below a root, or below a folder its sessions are in, lead to (SRC-9). */
export function linkedRoots(root: string): string[] {
  const folders = [root, ...['projects', 'sessions', 'archived_sessions'].map((name) => join(root, name))];
  return folders.flatMap((folder) => linksIn(folder).flatMap((link) => realFolder(link)));
}

function linksIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isSymbolicLink()).map((entry) => join(folder, entry.name));
  } catch {
    return [];
  }
}

function realFolder(link: string): string[] {
  try {
    return [realpathSync(link)];
  } catch {
    return [];
  }
}
