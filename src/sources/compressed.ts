// A session that its product compressed: read whole, as it no longer grows (SRC-120). Owns the Zstandard package.
import { hash } from 'node:crypto';
import { Decompress } from 'fzstd';
import { readRecords } from './bad-lines.ts';
import type { EntrySink, Instance, PlannedFile, ReadOptions, ReadOutcome } from './contract.ts';
import { lineDigest } from './digest.ts';
import type { Line, MakeReader } from './jsonl.ts';
import { lineText } from './line-text.ts';
import { openBelow } from './open-below.ts';

const MAX_PACKED = 64 * 1_048_576;
const MAX_BYTES = 1024 * 1_048_576;
const MAX_LINE = 64 * 1_048_576;
// So much is unpacked at a time; between two such pieces the event loop gets its turn.
const PIECE = 16_384;
const COMMIT = 4 * 1_048_576;

export async function readCompressed(
  source: string,
  instance: Instance,
  file: PlannedFile,
  options: ReadOptions,
  out: EntrySink,
  make: MakeReader,
): Promise<ReadOutcome> {
  const packed = packedOf(instance, file);
  if ('kind' in packed) return packed;
  const state = Buffer.from(hash('sha256', packed, 'hex').slice(0, 32));
  if (options.state && Buffer.from(options.state).equals(state)) return { kind: 'same' };
  out.restart();
  const reader = make(undefined, out);
  let number = 0;
  let recognized = false;
  let commit = COMMIT;
  try {
    for await (const { bytes, offset } of unpackedLines(packed)) {
      options.signal?.throwIfAborted();
      const line: Line = { offset, length: bytes.length, number: ++number, digest: () => lineDigest(bytes) };
      if (options.parse === 'fast' && recognized && reader.fast(bytes, line)) continue;
      const text = lineText(bytes);
      if (text.trim() === '') continue;
      const { records, problem } = readRecords(text, (record) => reader.known(record));
      recognized ||= records.some((record) => reader.known(record));
      if (problem) out.count(problem, number);
      for (const record of records) reader.record(record, line);
      // Not a place to go on from: whoever stops here begins again.
      if (recognized && offset > commit) {
        await out.commit(Buffer.from('partial'));
        commit = offset + COMMIT;
      }
    }
  } catch (error) {
    out.rollback();
    // Only what unpacking says of the file: what storing it says, or an abort, is the caller's.
    if (!(error instanceof NotUnpacked)) throw error;
    const detail = error.message || `no Zstandard file of ${source}`;
    return { kind: 'skipped', reason: 'not_this_format', detail };
  }
  options.onBytes?.(packed.length);
  if (!recognized) {
    out.rollback();
    return { kind: 'skipped', reason: 'unknown_layout' };
  }
  reader.end();
  await out.commit(state);
  return { kind: 'read' };
}

function packedOf(instance: Instance, file: PlannedFile): Buffer | ReadOutcome {
  const opened = openBelow(file.absolute, [file.linked ?? instance.root]);
  if ('reason' in opened) {
    return opened.reason === 'gone' ? { kind: 'gone' } : { kind: 'skipped', reason: 'outside_root' };
  }
  try {
    if (opened.size <= MAX_PACKED) return opened.read(0, opened.size);
    return { kind: 'skipped', reason: 'not_this_format', detail: 'too large' };
  } finally {
    opened.close();
  }
}

/** Its message is empty where the bytes are no Zstandard file at all. */
class NotUnpacked extends Error {}

/** The lines of a compressed file, without their ends, and where each begins unpacked. Throws when it cannot be unpacked. */
export async function* unpackedLines(
  packed: Uint8Array,
): AsyncGenerator<{ readonly bytes: Buffer; readonly offset: number }, void, void> {
  let pieces: Uint8Array[] = [];
  const stream = new Decompress((piece) => pieces.push(piece));
  // The line not yet ended, in parts: joined once, when its end comes.
  let held: Uint8Array[] = [];
  let length = 0;
  let offset = 0;
  for (let at = 0; at < packed.length; at += PIECE) {
    try {
      stream.push(packed.subarray(at, at + PIECE), at + PIECE >= packed.length);
    } catch (cause) {
      throw new NotUnpacked('', { cause });
    }
    for (const piece of pieces) {
      let from = 0;
      for (let feed = piece.indexOf(0x0a); feed >= 0; feed = piece.indexOf(0x0a, from)) {
        const bytes = Buffer.concat([...held, piece.subarray(from, feed)]);
        yield { bytes: withoutCr(bytes), offset };
        offset += bytes.length + 1;
        from = feed + 1;
        held = [];
        length = 0;
      }
      held.push(piece.subarray(from));
      length += piece.length - from;
      if (length > MAX_LINE || offset > MAX_BYTES) throw new NotUnpacked('too large');
    }
    pieces = [];
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  if (length > 0) yield { bytes: withoutCr(Buffer.concat(held)), offset };
}

function withoutCr(line: Buffer): Buffer {
  return line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
}

/** One value of at most `max` bytes; undefined when it cannot be unpacked, or is larger (SRC-144). */
export function unpacked(packed: Uint8Array, max: number): Buffer | undefined {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    const stream = new Decompress((piece) => {
      size += piece.length;
      if (size > max) throw new NotUnpacked('too large');
      pieces.push(piece);
    });
    for (let at = 0; at < packed.length; at += PIECE) {
      try {
        stream.push(packed.subarray(at, at + PIECE), at + PIECE >= packed.length);
      } catch (cause) {
        throw new NotUnpacked('', { cause });
      }
    }
    return Buffer.concat(pieces);
  } catch {
    return undefined;
  }
}
