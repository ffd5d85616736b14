// Reads one open file from an anchor to its end: blocks to hashes and lines, with safe points in between. Decides nothing.
import { BLOCK, BlockHasher, HASH, hashOf } from './hashing.ts';
import { LineSplitter } from './line-splitter.ts';
import { type OpenFile, Unstable } from './open-file.ts';
import type { LineSink } from './sink.ts';
import { type Anchor, type FileKind, type FileState, MAX_ANCHOR_DATA } from './state.ts';

/** The part of a state that the content alone gives. */
export type Content = Pick<FileState, 'size' | 'consumed' | 'lines' | 'anchor' | 'head' | 'blocks' | 'kind'>;

export interface Reading {
  readonly file: OpenFile;
  readonly sink: LineSink;
  /** The state whose content was found again: reading begins at its anchor. Undefined: from 0. */
  readonly known: FileState | undefined;
  readonly buffer: Buffer;
  readonly maxLineBytes: number;
  readonly commitBytes: number;
  readonly isTurnDue: () => boolean;
  /** Gives the event loop its turn if it is due; throws when the reading was aborted. */
  readonly pause: () => void | Promise<void>;
  /** At a safe point before the end. */
  readonly commit: (content: Content) => Promise<void>;
  readonly onBytes: (handed: number, checked: number) => void;
}

/** Bytes by which text is told from anything else (FILE-13). */
const SNIFFED = 8_192;
const EMPTY: Anchor = { offset: 0, number: 1, data: new Uint8Array(0) };

/** Hands over `[anchor, size)` and gives what the file holds then; the caller confirms and commits it. */
export async function readLines(reading: Reading): Promise<Content> {
  const { file, known, buffer } = reading;
  const from = known?.anchor ?? EMPTY;
  const first = Math.floor(from.offset / BLOCK) * BLOCK;
  const hasher = new BlockHasher(first, known?.blocks.subarray(0, (first / BLOCK) * HASH) ?? EMPTY.data, known?.head);
  let splitter: LineSplitter | undefined;
  for (let base = first; base < file.size; base += BLOCK) {
    await reading.pause();
    const block = buffer.subarray(0, Math.min(BLOCK, file.size - base));
    file.read(block, base);
    const kind = base === 0 ? kindOf(block) : 'text';
    if (kind !== 'text') {
      reading.onBytes(0, block.length);
      return noContent(file.size, kind);
    }
    if (known && !isAsKnown(known, block, base)) throw new Unstable();
    const before = Math.max(0, from.offset - base);
    reading.onBytes(block.length - before, before);
    splitter ??= begin(reading, from);
    const mark = base === 0 && before === 0 && hasByteOrderMark(block) ? 3 : 0;
    splitter.take(block.subarray(before + mark), mark);
    for (let stop = splitter.run(); stop !== 'more'; stop = splitter.run()) {
      if (stop === 'commit' && splitter.border < file.size) {
        hasher.update(block.subarray(hasher.offset - base, Math.max(hasher.offset, splitter.border) - base));
        await reading.commit(contentAt(reading, splitter, hasher, splitter.border));
      }
      await reading.pause();
    }
    hasher.update(block.subarray(hasher.offset - base));
  }
  splitter ??= begin(reading, from);
  splitter.end();
  return contentAt(reading, splitter, hasher, file.size);
}

function begin(reading: Reading, from: Anchor): LineSplitter {
  const { sink, known } = reading;
  const insideLine = isInsideLine(reading.file, from);
  sink.start(from);
  const isAhead = known !== undefined && from.offset > known.consumed;
  return new LineSplitter(
    sink,
    { offset: from.offset, number: from.number, consumed: isAhead ? known.consumed : from.offset, insideLine },
    reading,
  );
}

// An anchor is the start of a line or of a segment; the byte before it tells which.
function isInsideLine(file: OpenFile, from: Anchor): boolean {
  if (from.offset === 0 || (from.offset === 3 && from.number === 1)) return false;
  const byte = Buffer.alloc(1);
  file.read(byte, from.offset - 1);
  return byte[0] !== 0x0a;
}

// Bytes that are read again must be those whose check has just passed.
function isAsKnown(known: FileState, block: Buffer, base: number): boolean {
  const length = Math.min(block.length, known.size - base);
  if (length <= 0) return true;
  const hash = known.blocks.subarray((base / BLOCK) * HASH, (base / BLOCK + 1) * HASH);
  return hashOf(block.subarray(0, length)).equals(hash);
}

// What was consumed up to `size`, which is the end of the file, of a line or of a segment.
function contentAt(reading: Reading, splitter: LineSplitter, hasher: BlockHasher, size: number): Content {
  return {
    size,
    consumed: splitter.consumed,
    lines: splitter.lines,
    anchor: anchorOf(reading.sink, splitter),
    head: hasher.head(size),
    blocks: size === hasher.offset ? hasher.blocks() : earlierBlocks(reading, hasher, size),
    kind: size < SNIFFED ? 'undecided' : 'text',
  };
}

// A segment may end in a block before the present one, when a line is found to be long only now: that block again.
function earlierBlocks(reading: Reading, hasher: BlockHasher, size: number): Uint8Array {
  const whole = Math.floor(size / BLOCK);
  const open = Buffer.allocUnsafeSlow(size - whole * BLOCK);
  reading.file.read(open, whole * BLOCK);
  reading.onBytes(0, open.length);
  const last = open.length > 0 ? [hashOf(open)] : [];
  return Buffer.concat([hasher.blocks().subarray(0, whole * HASH), ...last]);
}

// A sink that adds lengths up forgets CRs and the byte order mark: the line after the last complete one begins at
// `consumed`, whatever it says.
function anchorOf(sink: LineSink, splitter: LineSplitter): Anchor {
  const { offset, number, data } = sink.anchor();
  if (data.length > MAX_ANCHOR_DATA) throw new RangeError(`anchor data of ${data.length} bytes, over 64 KiB`);
  const next = splitter.lines + 1;
  if (number === next && (!splitter.isInsideLongLine || offset < splitter.consumed)) {
    return { offset: splitter.consumed, number, data };
  }
  if (offset < 0 || offset > splitter.border || number < 1 || number > next) {
    throw new RangeError(
      `anchor at byte ${offset}, line ${number}: only bytes up to ${splitter.border} are handed over`,
    );
  }
  return { offset, number, data };
}

function noContent(size: number, kind: FileKind): Content {
  return { size, consumed: 0, lines: 0, anchor: EMPTY, head: new Uint8Array(HASH), blocks: EMPTY.data, kind };
}

function kindOf(block: Buffer): FileKind {
  if ((block[0] === 0xff && block[1] === 0xfe) || (block[0] === 0xfe && block[1] === 0xff)) return 'utf16';
  return block.subarray(0, SNIFFED).includes(0) ? 'binary' : 'text';
}

function hasByteOrderMark(block: Buffer): boolean {
  return block[0] === 0xef && block[1] === 0xbb && block[2] === 0xbf;
}
