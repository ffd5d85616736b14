// Writes the demo's history below a folder, as if it were a user's home: the files of three agents in their own formats.
import { createHash } from 'node:crypto';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Chapter, STORY } from './story.ts';
import { claudeFile } from './write-claude.ts';
import { codexFile } from './write-codex.ts';
import { openclawFile } from './write-openclaw.ts';

/** What a format's file needs besides the story. */
export interface Draft {
  readonly session: string;
  readonly project: string;
  /** Instant of a turn. */
  timeOf(turn: number): string;
  /** An id that is the same at every run. */
  idOf(name: string): string;
}

const WRITERS = { 'claude-code': claudeFile, codex: codexFile, openclaw: openclawFile };
const CODEX_TITLES = '.codex/session_index.jsonl';
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const TURN_MS = 70_000;

/** Times count back from `now`. Gives the number of sessions and messages written. */
export async function writeDemo(
  home: string,
  now: number,
): Promise<{ readonly sessions: number; readonly messages: number }> {
  let messages = 0;
  for (const [index, chapter] of STORY.entries()) {
    const draft = draftOf(chapter, index, now);
    const { path, lines } = WRITERS[chapter.agent](chapter, draft);
    const file = join(home, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`, { mode: 0o600 });
    const written = new Date(draft.timeOf(chapter.turns.length));
    await utimes(file, written, written);
    messages += chapter.turns.filter(({ who }) => who === 'user' || who === 'assistant').length;
  }
  await writeFile(join(home, CODEX_TITLES), codexTitles(now), { mode: 0o600 });
  return { sessions: STORY.length, messages };
}

// Codex keeps the names of its sessions in one file beside them (SRC-120).
function codexTitles(now: number): string {
  return STORY.map((chapter, index) => {
    if (chapter.agent !== 'codex') return '';
    const { session, timeOf } = draftOf(chapter, index, now);
    return `${JSON.stringify({ id: session, thread_name: chapter.title, updated_at: timeOf(chapter.turns.length) })}\n`;
  }).join('');
}

function draftOf(chapter: Chapter, index: number, now: number): Draft {
  const idOf = (name: string): string => {
    const hex = createHash('sha256').update(`backstory demo ${index} ${name}`).digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  };
  const midnight = Math.floor(now / DAY_MS) * DAY_MS;
  const length = (chapter.turns.length + 1) * TURN_MS;
  // Today's session ended just now; it must not lie in the future.
  const start = chapter.daysAgo === 0 ? now - length : midnight - chapter.daysAgo * DAY_MS + chapter.hour * HOUR_MS;
  return {
    session: idOf('session'),
    project: '/home/demo/lamp-shop',
    timeOf: (turn) => new Date(start + turn * TURN_MS).toISOString(),
    idOf,
  };
}
