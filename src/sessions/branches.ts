// Which entries of an imported session are on the branch in force: one rule per mode of a format (SRC-30, SRC-31).
import type { EntryRow, Writing } from '../store/writing.ts';
import type { Live } from './live.ts';

const REPETITION_MS = 2_000;

/**
 * Claude Code: a second prompt under the same stored ancestor makes a branch; the later one wins (SRC-107). The same
 * text within 2 s is a repetition and no branch.
 */
export async function leavePromptsBefore(
  writing: Writing,
  live: Live,
  prompt: {
    readonly parent: number;
    readonly at: number;
    readonly isRepetitionOf: (entry: number) => Promise<boolean>;
  },
): Promise<void> {
  for (const sibling of await writing.promptsUnder(live.record.no, prompt.parent)) {
    const near = Math.abs(sibling.at - prompt.at) <= REPETITION_MS;
    if (near && (await prompt.isRepetitionOf(sibling.id))) continue;
    const rows = await writing.entriesFrom(live.record.no, sibling.id);
    await putAside(writing, live, hangingUnder(rows, sibling.id));
  }
}

/** Codex: the last `turns` prompts and what followed them are taken back (SRC-123). */
export async function rollBack(writing: Writing, live: Live, turns: number): Promise<void> {
  if (live.last === undefined || turns < 1) return;
  const through = live.last;
  const prompts = await writing.lastPrompts(live.record.no, through, turns);
  const first = prompts.at(-1);
  if (!first) return;
  const rows = await writing.entriesFrom(live.record.no, first.id);
  await putAside(
    writing,
    live,
    rows.filter((row) => row.id <= through && row.state !== 'side' && row.kind !== 'rewind'),
  );
}

/** OpenClaw, Pi: the ancestors of the leaf are active, everything else is aside (SRC-31, `strict`). */
export async function followLeaf(writing: Writing, live: Live): Promise<void> {
  const rows = await writing.entriesFrom(live.record.no, 0);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const path = new Set<number>();
  for (let at = live.leaf; at !== undefined && !path.has(at); at = byId.get(at)?.parent) path.add(at);
  await putAside(
    writing,
    live,
    rows.filter((row) => row.state !== 'side' && !path.has(row.id)),
  );
  await takeUp(
    writing,
    live,
    rows.filter((row) => row.state === 'side' && path.has(row.id)),
  );
  live.moved = false;
}

/** A file read again from its start: branches are found anew by the markers that follow (SRC-45). */
export async function forgetBranches(writing: Writing, live: Live): Promise<void> {
  const rows = await writing.entriesFrom(live.record.no, 0);
  await takeUp(
    writing,
    live,
    rows.filter((row) => row.state === 'side'),
  );
  for (const row of rows) if (row.kind === 'rewind') await writing.remove(row.id);
  live.last = undefined;
}

async function putAside(writing: Writing, live: Live, rows: readonly EntryRow[]): Promise<void> {
  await changeState(writing, live, rows, 'side', -1);
}

async function takeUp(writing: Writing, live: Live, rows: readonly EntryRow[]): Promise<void> {
  await changeState(writing, live, rows, 'active', 1);
}

async function changeState(
  writing: Writing,
  live: Live,
  rows: readonly EntryRow[],
  state: 'active' | 'side',
  sign: 1 | -1,
): Promise<void> {
  if (rows.length === 0) return;
  await writing.setState(
    rows.map((row) => row.id),
    state,
  );
  for (const row of rows) {
    live.touched.add(row.id);
    if (row.kind === 'message') live.addMessages(sign);
    const known = live.known.get(row.messageId);
    if (known && 'entry' in known) live.known.set(row.messageId, { entry: { ...known.entry, state } });
  }
}

function hangingUnder(rows: readonly EntryRow[], root: number): EntryRow[] {
  const under = new Set([root]);
  const found: EntryRow[] = [];
  for (const row of rows) {
    if (row.id !== root && (row.parent === undefined || !under.has(row.parent))) continue;
    under.add(row.id);
    if (row.state !== 'side') found.push(row);
  }
  return found;
}
