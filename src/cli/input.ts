// What flags give an operation, with folders as the working folder and the user's home make them.
import { resolve } from 'node:path';
import type { Io } from './io.ts';
import type { Parsed } from './parse.ts';

/** A folder as typed. Only what is clearly relative is resolved: a recorded folder may be of another platform (SRC-29). */
export function folderOf(io: Io, typed: string): string {
  if (typed === '~' || typed.startsWith('~/')) return resolve(io.userHome, typed.slice(2));
  return /^\.{1,2}(?:$|[/\\])/.test(typed) ? resolve(io.cwd, typed) : typed;
}

export function inputFrom(io: Io, parsed: Parsed): Record<string, unknown> {
  const input = parsed.input();
  return typeof input.project === 'string' ? { ...input, project: folderOf(io, input.project) } : input;
}
