// What is kept of one file between two looks, and its binary form (FILE-3, FILE-21). Knows nothing of reading.
import { crc32 } from 'node:zlib';
import { BLOCK, HASH } from './hashing.ts';

export type FileKind = 'text' | 'binary' | 'utf16' | 'undecided';

/** Where the next reading begins again, with at most 64 KiB of the sink's own (FILE-19). */
export interface Anchor {
  readonly offset: number;
  /** 1-based number of the line that begins there, or that it is in. */
  readonly number: number;
  readonly data: Uint8Array;
}

/** FILE-3. Sizes and offsets are bytes. */
export interface FileState {
  readonly dev: bigint;
  readonly ino: bigint;
  /** 0 where the file system keeps none. */
  readonly birthNs: bigint;
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly settled: boolean;
  /** The moment from which the 2 s of FILE-7 count: mtime, or the first look at it if it lay in the future. */
  readonly sinceNs: bigint;
  /** Blocks checked in a row since those 2 s were over. */
  readonly passed: number;
  readonly consumed: number;
  readonly lines: number;
  readonly anchor: Anchor;
  readonly head: Uint8Array;
  /** 16 bytes per block, in order. */
  readonly blocks: Uint8Array;
  readonly checked: number;
  readonly kind: FileKind;
  readonly generation: number;
  /** False at a safe point in between: the file was larger, so growth says nothing about the bytes before (FILE-11). */
  readonly whole: boolean;
}

export const MAX_ANCHOR_DATA = 65_536;

const MAGIC = 0xbf;
const VERSION = 2;
const KINDS: readonly FileKind[] = ['text', 'binary', 'utf16', 'undecided'];
// 4 bytes of magic, version, kind and settled; 6 bigints; 8 numbers; the head; two lengths; a checksum: 152 in all.
const FIXED = 4 + 6 * 8 + 8 * 8 + HASH + 4 + 4;
const CHECKSUM = 4;

export const FileState: {
  /** At most 256 bytes, 16 per block and the anchor's data. */
  encode(state: FileState): Uint8Array;
  /** Undefined for anything that is not a whole state of this version without contradictions: read from 0 then. */
  decode(bytes: Uint8Array): FileState | undefined;
} = { encode, decode };

function encode(state: FileState): Uint8Array {
  const { blocks, anchor } = state;
  const bytes = new Uint8Array(FIXED + blocks.length + anchor.data.length + CHECKSUM);
  const view = new DataView(bytes.buffer);
  bytes.set([MAGIC, VERSION, KINDS.indexOf(state.kind), (state.settled ? 1 : 0) + (state.whole ? 2 : 0)]);
  let at = 4;
  for (const value of [state.dev, state.ino]) {
    view.setBigUint64(at, value);
    at += 8;
  }
  for (const value of [state.birthNs, state.mtimeNs, state.ctimeNs, state.sinceNs]) {
    view.setBigInt64(at, value);
    at += 8;
  }
  for (const value of numbersOf(state)) {
    view.setFloat64(at, value);
    at += 8;
  }
  bytes.set(state.head, at);
  view.setUint32(at + HASH, blocks.length / HASH);
  view.setUint32(at + HASH + 4, anchor.data.length);
  bytes.set(blocks, FIXED);
  bytes.set(anchor.data, FIXED + blocks.length);
  view.setUint32(bytes.length - CHECKSUM, crc32(bytes.subarray(0, bytes.length - CHECKSUM)));
  return bytes;
}

function numbersOf(state: FileState): number[] {
  const { size, consumed, lines, anchor, checked, passed, generation } = state;
  return [size, consumed, lines, anchor.offset, anchor.number, checked, passed, generation];
}

function decode(bytes: Uint8Array): FileState | undefined {
  if (bytes.length < FIXED + CHECKSUM || bytes[0] !== MAGIC || bytes[1] !== VERSION) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length - CHECKSUM;
  if (view.getUint32(end) !== crc32(bytes.subarray(0, end))) return undefined;
  const kind = KINDS[bytes[2]!];
  const blocksEnd = FIXED + view.getUint32(FIXED - 8) * HASH;
  if (kind === undefined || bytes[3]! > 3 || blocksEnd + view.getUint32(FIXED - 4) !== end) return undefined;
  const number = (index: number): number => view.getFloat64(4 + 6 * 8 + index * 8);
  const state: FileState = {
    dev: view.getBigUint64(4),
    ino: view.getBigUint64(12),
    birthNs: view.getBigInt64(20),
    mtimeNs: view.getBigInt64(28),
    ctimeNs: view.getBigInt64(36),
    sinceNs: view.getBigInt64(44),
    size: number(0),
    consumed: number(1),
    lines: number(2),
    anchor: { offset: number(3), number: number(4), data: bytes.slice(blocksEnd, end) },
    checked: number(5),
    passed: number(6),
    generation: number(7),
    settled: (bytes[3]! & 1) === 1,
    whole: (bytes[3]! & 2) === 2,
    head: bytes.slice(FIXED - 8 - HASH, FIXED - 8),
    blocks: bytes.slice(FIXED, blocksEnd),
    kind,
  };
  return contradictsItself(state) ? undefined : state;
}

/** FILE-21: what could not have been written by a read that ended well. */
export function contradictsItself(state: FileState): boolean {
  // One by one: an array of them would be a third of the cost of a look at an unchanged file.
  const { size, consumed, lines, anchor, checked, passed, generation, blocks, kind } = state;
  if (!isCount(size) || !isCount(consumed) || !isCount(lines) || !isCount(anchor.offset)) return true;
  if (!isCount(anchor.number) || !isCount(checked) || !isCount(passed) || !isCount(generation)) return true;
  const count = kind === 'binary' || kind === 'utf16' ? 0 : Math.ceil(size / BLOCK);
  if (blocks.length !== count * HASH || state.head.length !== HASH) return true;
  if (consumed > size || anchor.offset > size || anchor.data.length > MAX_ANCHOR_DATA) return true;
  return lines > consumed || anchor.number < 1 || anchor.number > lines + 1 || checked > Math.max(0, count - 1);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/**
 * Puts a state together. Field by field: an object made of spreads this large is a slow one, and 10 000 of them are
 * looked at in one search (FILE-25).
 */
export function joinState(
  content: Pick<FileState, 'size' | 'consumed' | 'lines' | 'anchor' | 'head' | 'blocks' | 'kind'>,
  identity: Pick<FileState, 'dev' | 'ino' | 'birthNs' | 'mtimeNs' | 'ctimeNs'>,
  progress: Pick<FileState, 'sinceNs' | 'generation' | 'settled' | 'passed' | 'checked' | 'whole'>,
): FileState {
  const { size, consumed, lines, anchor, head, blocks, kind } = content;
  return {
    dev: identity.dev,
    ino: identity.ino,
    birthNs: identity.birthNs,
    size,
    mtimeNs: identity.mtimeNs,
    ctimeNs: identity.ctimeNs,
    settled: progress.settled,
    sinceNs: progress.sinceNs,
    passed: progress.passed,
    consumed,
    lines,
    anchor,
    head,
    blocks,
    checked: progress.checked,
    kind,
    generation: progress.generation,
    whole: progress.whole,
  };
}

/** True if a look that read nothing left nothing to store. */
export function isStateEqual(a: FileState, b: FileState): boolean {
  const fields = [
    'dev',
    'ino',
    'birthNs',
    'mtimeNs',
    'ctimeNs',
    'sinceNs',
    'passed',
    'settled',
    'checked',
    'whole',
  ] as const;
  return fields.every((field) => a[field] === b[field]);
}
