// Codex CLI's oldest era: one document per session, `{ session, items }` (SRC-126). Read whole, since it does not grow.
import { hash } from 'node:crypto';
import { parsed } from './bad-lines.ts';
import type { CodexReader } from './codex-records.ts';
import type { EntrySink, Instance, PlannedFile, ReadOptions, ReadOutcome, SourceEntry } from './contract.ts';
import { openBelow } from './open-below.ts';

const MAX_BYTES = 64 * 1_048_576;

export async function readDocument(
  instance: Instance,
  file: PlannedFile,
  options: ReadOptions,
  out: EntrySink,
  make: (out: EntrySink) => CodexReader,
): Promise<ReadOutcome> {
  const opened = openBelow(file.absolute, [file.linked ?? instance.root]);
  if ('reason' in opened) {
    return opened.reason === 'gone' ? { kind: 'gone' } : { kind: 'skipped', reason: 'outside_root' };
  }
  let bytes: Buffer;
  try {
    if (opened.size > MAX_BYTES) return { kind: 'skipped', reason: 'not_this_format', detail: 'too large' };
    bytes = opened.read(0, opened.size);
  } finally {
    opened.close();
  }
  const state = Buffer.from(hash('sha256', bytes, 'hex').slice(0, 32));
  if (options.state && Buffer.from(options.state).equals(state)) return { kind: 'same' };
  const { session, items } = parsed(bytes.toString('utf8')) ?? {};
  if (typeof session !== 'object' || session === null || !Array.isArray(items)) {
    return { kind: 'skipped', reason: 'unknown_layout' };
  }
  out.restart();
  let index = 0;
  // Pointers lead from the document to the item, and on from there.
  const inItem = (entry: SourceEntry): SourceEntry => {
    const pointer = { ...entry.pointer, path: ['items', index, ...entry.pointer.path] };
    return { ...entry, pointer };
  };
  const reader = make({
    entry: (entry) => out.entry(inItem(entry)),
    link: (ref, id, parent) => out.link(ref, id, parent),
    mark: (ref, marker) => out.mark(ref, marker),
    facts: (ref, facts) => out.facts(ref, facts),
    retract: (ref, id) => out.retract(ref, id),
    count: (what, line) => out.count(what, line),
    restart: () => out.restart(),
    commit: (saved) => out.commit(saved),
    rollback: () => out.rollback(),
  });
  const digest = state.toString('latin1').slice(0, 16);
  const line = { offset: 0, length: bytes.length, digest: () => digest };
  reader.record({ instructions: '', ...session }, { ...line, number: 0 });
  for (const item of items as unknown[]) {
    options.signal?.throwIfAborted();
    if (typeof item === 'object' && item !== null && !Array.isArray(item)) {
      const { timestamp } = session as { readonly timestamp?: unknown };
      reader.record({ type: 'message', timestamp, ...item }, { ...line, number: index + 1 });
    } else out.count('odd_shape', index + 1);
    index++;
  }
  options.onBytes?.(bytes.length);
  reader.end();
  await out.commit(state);
  return { kind: 'read' };
}
