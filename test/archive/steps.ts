// What the tests of archives share: an archive of a home, a new home that took it over, and what both answer.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operator } from '../../src/access/caller.ts';
import type { Backstory } from '../../src/engine/engine.ts';
import { isBackstoryError } from '../../src/model/errors.ts';

const caller = operator();

export async function exported(backstory: Backstory, params: object = {}): Promise<string> {
  const parts: string[] = [];
  await backstory.export(caller, { raw: true, ...params }, { output: (text) => void parts.push(text) });
  return parts.join('');
}

export function linesIn(archive: string): Record<string, unknown>[] {
  return archive
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

export function saved(folder: string, archive: string, name = 'archive.jsonl'): string {
  const path = join(folder, name);
  writeFileSync(path, archive);
  return path;
}

/** Everything that a caller could ask of the sessions of an agent. */
export async function answersOf(backstory: Backstory, words: readonly string[]): Promise<object> {
  const { sessions } = backstory;
  const list = await sessions.list(caller, { limit: 200 });
  const all: Record<string, unknown> = { list: list.sessions };
  for (const { sessionKey } of list.sessions) {
    const shown = { session: sessionKey, limit: 200, includeTools: true, includeReasoning: true, raw: true };
    // The current view, and every window by its id.
    const ids = new Set<string | undefined>([undefined]);
    const pages: unknown[] = [];
    for (const sessionId of ids) {
      const { entries } = await sessions.history(caller, sessionId === undefined ? shown : { ...shown, sessionId });
      for (const entry of entries) ids.add(entry.sessionId);
      pages.push(entries);
    }
    all[sessionKey] = {
      described: await sessions.describe(caller, { session: sessionKey }),
      pages,
      current: await sessions.current(sessionKey),
    };
  }
  for (const word of words) {
    const { hits } = await sessions.search(caller, { query: word, limit: 100 });
    all[`search ${word}`] = hits;
  }
  return JSON.parse(JSON.stringify(all)) as object;
}

export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (isBackstoryError(error)) return error.code;
    throw error;
  }
  return 'none';
}
