// The folders that a path masker knows by name, and all their spellings as literals (MASK-41). Read at construction only.
import { realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { foldPath, segmentsOf } from './path-fold.ts';

/** A folder as it is written in a text. */
export interface Literal {
  readonly text: string;
  /** A folder of one name may be a part of a relative path: it counts at the start of a path only. */
  readonly short: boolean;
  readonly caseless: boolean;
}

export interface Roots {
  readonly home: string | undefined;
  /** Folded; the run folder in every spelling it has. */
  readonly inside: readonly string[];
  readonly allowed: readonly string[];
  /** By `literalKey` of their start, longest first. */
  readonly literals: ReadonlyMap<number, readonly Literal[]>;
}

export function readRoots(
  inside: string | undefined,
  roots: readonly string[],
  allow: readonly string[],
): Roots & { readonly all: readonly string[] } {
  const insides = inside === undefined ? [] : spellingsOf(inside);
  const home = homedir();
  const outside = [home, tmpdir(), process.cwd(), ...roots].flatMap(spellingsOf);
  const all = [...new Set([...insides, ...outside])];
  return {
    home: isRoot(foldPath(home)) ? undefined : home,
    inside: insides,
    allowed: allow.flatMap(spellingsOf),
    literals: literalsOf(all),
    all,
  };
}

/** As given, absolute, and by its real path; folded. The roots of file systems are none. */
function spellingsOf(folder: string): string[] {
  const foreign = /^(?:[A-Za-z]:|\\\\|\/)/.test(folder) && !(isAbsolute(folder) && folder.startsWith('/'));
  const absolute = foreign ? folder : resolve(folder);
  const found = [absolute];
  try {
    if (!foreign) found.push(realpathSync(absolute));
  } catch {
    // It need not exist: what is masked may come from another machine.
  }
  return [...new Set(found.map(foldPath))].filter((path) => !isRoot(path));
}

function isRoot(folded: string): boolean {
  return segmentsOf(folded.replace(/^[A-Z]:/, '')).length === 0;
}

/** Three units as a number, letter case aside: what a literal is looked up by. */
export function literalKey(text: string, at: number): number {
  return (
    ((text.charCodeAt(at) | 32) * 0x10000 + (text.charCodeAt(at + 1) | 32)) * 0x10000 + (text.charCodeAt(at + 2) | 32)
  );
}

function literalsOf(folders: readonly string[]): Map<number, Literal[]> {
  const literals = new Map<number, Literal[]>();
  for (const folder of folders) {
    const caseless = /^(?:[A-Z]:|\/Users\/|\/Volumes\/)/.test(folder);
    const short = !/^[A-Z]:/.test(folder) && segmentsOf(folder).length < 2;
    for (const text of new Set([folder, folder.normalize('NFD')].flatMap(written))) {
      const key = literalKey(text, 0);
      const list = literals.get(key) ?? [];
      list.push({ text: caseless ? text.toLowerCase() : text, short, caseless });
      literals.set(
        key,
        list.sort((a, b) => b.text.length - a.text.length),
      );
    }
  }
  return literals;
}

/** Plain, JSON-escaped, percent-encoded; drives with each separator. */
function written(folder: string): string[] {
  const percent = folder.split('/').map(encodeURIComponent).join('%2F');
  const spellings = [folder, folder.replaceAll('/', '\\/'), percent];
  if (!/^[A-Z]:/.test(folder)) return spellings;
  return [folder, folder.replaceAll('/', '\\'), folder.replaceAll('/', '\\\\'), percent];
}
