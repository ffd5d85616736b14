// What the markers of a format do to a session: compactions, turns taken back, moved leaves, resets (sources.md §4).
import type { Marker } from '../sources/contract.ts';
import type { EntryRow, Writing } from '../store/writing.ts';
import { rollBack } from './branches.ts';
import { entryOf, type Live } from './live.ts';

const MAX_KEPT = 50;

/** The id under which a marker of turns taken back is stored: reading its line twice finds it there. */
export function rewindId(offset: number): string {
  return `rewind@${offset}`;
}

export async function applyMark(writing: Writing, live: Live, marker: Marker): Promise<void> {
  if (marker.type === 'compacted') {
    if (live.last !== undefined) await writing.shadow(live.record.no, live.last);
  } else if (marker.type === 'rolled-back') {
    const id = rewindId(marker.offset);
    live.seen?.add(id);
    if (live.known.has(id)) return;
    await rollBack(writing, live, marker.turns);
    await insertMarker(writing, live, 'rewind', id, marker.at, live.last);
  } else if (marker.type === 'leaf') {
    // An unknown target is ignored, and nothing moves the leaf above the latest reset (SRC-141).
    const target = entryOf(live.known.get(marker.target));
    if (target === undefined || (live.latestReset !== undefined && target < live.latestReset)) return;
    live.leaf = target;
    live.moved = true;
  } else if (marker.type === 'reset') {
    await reset(writing, live, marker);
  }
}

async function reset(writing: Writing, live: Live, marker: Extract<Marker, { type: 'reset' }>): Promise<void> {
  live.seen?.add(marker.id);
  const known = entryOf(live.known.get(marker.id));
  if (known !== undefined) {
    live.last = known;
    return;
  }
  const firstKept = marker.firstKept === undefined ? undefined : entryOf(live.known.get(marker.firstKept));
  const id = await insertMarker(writing, live, 'reset', marker.id, marker.at, live.leaf ?? live.last);
  live.latestReset = id;
  const rows = firstKept === undefined ? [] : await writing.entriesFrom(live.record.no, firstKept);
  const kept = rows.filter(
    (row) => row.id < id && row.state !== 'side' && (row.role === 'user' || row.role === 'assistant'),
  );
  await writing.keep(
    live.record.no,
    kept.slice(-MAX_KEPT).map((row) => row.id),
  );
}

async function insertMarker(
  writing: Writing,
  live: Live,
  kind: 'reset' | 'rewind',
  messageId: string,
  at: number,
  parent: number | undefined,
): Promise<number> {
  const { no: session, window } = live.record;
  const under = parent === undefined ? {} : { parent };
  const id = await writing.insert({ session, window, ...under, kind, state: 'active', at, messageId, blocks: [] });
  const row: EntryRow = { id, ...under, kind, prompt: false, state: 'active', at, messageId };
  live.known.set(messageId, { entry: row });
  live.last = id;
  live.leaf = id;
  return id;
}
