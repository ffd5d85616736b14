// What is remembered of one file between two looks, and its bytes in a store (FILE-3, FILE-21).
import { createHash } from 'node:crypto';
import type { Anchor } from './contract.ts';

/** All sizes and offsets are bytes. Identity and times come from a bigint stat of the open file. */
export interface FileState {
  readonly dev: bigint;
  readonly ino: bigint;
  /** 0 where the platform gives none, or where it equalled ctime at first sight. */
  readonly birthNs: bigint;
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  /** FILE-7: an equal stat means equal bytes. */
  readonly settled: boolean;
  /** Offset after the last complete line, and the number of complete lines before it. */
  readonly consumed: number;
  readonly lines: number;
  readonly anchor: Anchor;
  /** Hash of the first 4 KiB, or of all there is. */
  readonly head: Uint8Array;
  /** 16 bytes for each block of [0, size). */
  readonly blocks: Uint8Array;
  /** Number of the block to check next. */
  readonly checked: number;
  readonly kind: 'text' | 'binary' | 'utf16' | 'undecided';
  readonly generation: number;
  /** When this mtime was first seen, in ms: one in the future counts from here (FILE-7). */
  readonly seenAt: number;
  /** Blocks that row 7 still has to check before the state is settled. */
  readonly unchecked: number;
  /** False in between, at a commit that is not a read's last: the next look goes on from the anchor, whatever it sees. */
  readonly whole: boolean;
}

export const BLOCK = 1_048_576;
export const HASH_BYTES = 16;
/** Largest `anchor.data`, in stored bytes. */
export const MAX_ANCHOR_DATA = 65_536;

const MAGIC = 0x42_53_46_53; // "BSFS"
const VERSION = 1;
const FIXED = 192;
const CHECK_BYTES = 8;
const KINDS = ['text', 'binary', 'utf16', 'undecided'] as const;

interface StateCoding {
  /** At most 256 bytes, 16 per block and the anchor's data. */
  encode(state: FileState): Uint8Array;
  /** Undefined for anything `encode` of this version did not write, or that contradicts itself: then read from 0. */
  decode(bytes: Uint8Array): FileState | undefined;
}

export const FileState: StateCoding = { encode, decode };

// Times are 16 bytes each: 64 bits of nanoseconds end in 2262, file systems do not.
function encode(state: FileState): Uint8Array {
  const data = dataBytes(state.anchor.data);
  const out = Buffer.alloc(FIXED + state.blocks.length + data.bytes.length + CHECK_BYTES);
  out.writeUInt32BE(MAGIC, 0);
  out[4] = VERSION;
  out[5] = (state.settled ? 1 : 0) | (state.whole ? 2 : 0);
  out[6] = KINDS.indexOf(state.kind);
  out[7] = data.form;
  out.writeBigUInt64LE(BigInt.asUintN(64, state.dev), 8);
  out.writeBigUInt64LE(BigInt.asUintN(64, state.ino), 16);
  writeWide(out, state.birthNs, 24);
  writeWide(out, state.mtimeNs, 40);
  writeWide(out, state.ctimeNs, 56);
  const numbers = numbersOf(state);
  for (const [index, value] of numbers.entries()) out.writeDoubleLE(value, 72 + index * 8);
  out.writeUInt32LE(data.bytes.length, 152);
  out.set(state.head, 160);
  out.set(state.blocks, FIXED);
  out.set(data.bytes, FIXED + state.blocks.length);
  out.set(checkOf(out), out.length - CHECK_BYTES);
  return out;
}

function numbersOf(state: FileState): readonly number[] {
  const { size, consumed, lines, anchor, checked, generation, seenAt, unchecked } = state;
  return [size, consumed, lines, anchor.offset, anchor.number, checked, generation, seenAt, unchecked];
}

function decode(given: Uint8Array): FileState | undefined {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  if (bytes.length < FIXED + CHECK_BYTES || bytes.readUInt32BE(0) !== MAGIC || bytes[4] !== VERSION) return undefined;
  if (!checkOf(bytes).equals(bytes.subarray(bytes.length - CHECK_BYTES))) return undefined;
  const number = (index: number): number => bytes.readDoubleLE(72 + index * 8);
  const dataLength = bytes.readUInt32LE(152);
  const dataAt = bytes.length - CHECK_BYTES - dataLength;
  if (dataAt < FIXED) return undefined;
  const state: FileState = {
    dev: bytes.readBigUInt64LE(8),
    ino: bytes.readBigUInt64LE(16),
    birthNs: readWide(bytes, 24),
    size: number(0),
    mtimeNs: readWide(bytes, 40),
    ctimeNs: readWide(bytes, 56),
    settled: (bytes[5]! & 1) !== 0,
    consumed: number(1),
    lines: number(2),
    anchor: {
      offset: number(3),
      number: number(4),
      data: dataOf(bytes.subarray(dataAt, dataAt + dataLength), bytes[7]!),
    },
    head: Uint8Array.from(bytes.subarray(160, 160 + HASH_BYTES)),
    blocks: Uint8Array.from(bytes.subarray(FIXED, dataAt)),
    checked: number(5),
    kind: KINDS[bytes[6]!] ?? 'undecided',
    generation: number(6),
    seenAt: number(7),
    unchecked: number(8),
    whole: (bytes[5]! & 2) !== 0,
  };
  return isSound(state) ? state : undefined;
}

/** False for a state that contradicts itself (FILE-21). */
export function isSound(state: FileState): boolean {
  const counts = numbersOf(state);
  if (!counts.every((value) => Number.isSafeInteger(value)) || state.anchor.number < 1) return false;
  const { size, consumed, lines, anchor, checked, generation, unchecked, kind, blocks, head } = state;
  if ([size, consumed, lines, anchor.offset, checked, generation, unchecked].some((value) => value < 0)) return false;
  if (consumed > size || lines > consumed || anchor.offset > size || head.length !== HASH_BYTES) return false;
  // What is not text is never read to its end: it has no blocks.
  const wanted = kind === 'binary' || kind === 'utf16' ? 0 : Math.ceil(size / BLOCK);
  return blocks.length === wanted * HASH_BYTES && (checked === 0 || checked < wanted) && unchecked <= wanted;
}

const UTF8 = 0;
const UTF16 = 1;
const BYTES = 2;

/** The anchor's data as stored. A string that UTF-8 cannot hold (a lone surrogate) is kept as UTF-16. */
export function dataBytes(data: string | Uint8Array): { readonly bytes: Uint8Array; readonly form: number } {
  if (typeof data !== 'string') return { bytes: data, form: BYTES };
  const form = data.isWellFormed() ? UTF8 : UTF16;
  return { bytes: Buffer.from(data, form === UTF8 ? 'utf8' : 'utf16le'), form };
}

function dataOf(bytes: Buffer, form: number): string | Uint8Array {
  if (form === BYTES) return Uint8Array.from(bytes);
  return bytes.toString(form === UTF16 ? 'utf16le' : 'utf8');
}

function checkOf(bytes: Buffer): Buffer {
  const body = bytes.subarray(0, bytes.length - CHECK_BYTES);
  return createHash('sha256').update(body).digest().subarray(0, CHECK_BYTES);
}

function writeWide(out: Buffer, value: bigint, at: number): void {
  out.writeBigUInt64LE(BigInt.asUintN(64, value), at);
  out.writeBigInt64LE(BigInt.asIntN(64, value >> 64n), at + 8);
}

function readWide(bytes: Buffer, at: number): bigint {
  return (bytes.readBigInt64LE(at + 8) << 64n) | bytes.readBigUInt64LE(at);
}
