// Reads the value a pointer names from the agent's own file, when the line is still in it (SRC-21, SRC-22).
import type { Pointer } from '../model/session.ts';
import { readRecords } from './bad-lines.ts';
import { unpackedLines } from './compressed.ts';
import type { Reopened } from './contract.ts';
import { lineDigest } from './digest.ts';
import { type Below, openBelow } from './open-below.ts';

const MAX_LINE = 256 * 1_048_576;
const BLOCK = 1_048_576;

/** `absolute`: a file of JSON lines, or one that was compressed, by its name. */
export async function reopenLine(absolute: string, pointer: Pointer, roots: readonly string[]): Promise<Reopened> {
  if (!('offset' in pointer) || pointer.length > MAX_LINE) return { reason: 'source_changed' };
  const file = openBelow(absolute, roots);
  if ('reason' in file) return { reason: file.reason === 'outside_root' ? 'source_outside' : 'source_gone' };
  try {
    const line = absolute.endsWith('.zst') ? await unpackedLine(file, pointer) : await plainLine(file, pointer);
    for (const record of line ? readRecords(line.toString('utf8'), () => true).records : []) {
      const value = valueAt(record, pointer.path);
      if (value !== undefined) return { value: insideOf(value) };
    }
    return { reason: 'source_changed' };
  } finally {
    file.close();
  }
}

type LinePointer = Extract<Pointer, { offset: number }>;

// Where it was, else anywhere: a file that was rewritten holds most of its lines at other places.
async function plainLine(file: Below, pointer: LinePointer): Promise<Buffer | undefined> {
  const there = file.read(pointer.offset, pointer.length);
  if (isNamed(there, pointer)) return there;
  let start = 0;
  for (let base = 0; base < file.size; base += BLOCK) {
    const block = file.read(base, BLOCK);
    for (let feed = block.indexOf(0x0a); ; feed = block.indexOf(0x0a, feed + 1)) {
      const isLast = feed < 0 && base + block.length >= file.size;
      if (feed < 0 && !isLast) break;
      const end = isLast ? file.size : base + feed;
      // The line, or the line and a CR.
      if (end - start === pointer.length || end - start === pointer.length + 1) {
        const line = file.read(start, pointer.length);
        if (isNamed(line, pointer)) return line;
      }
      start = end + 1;
      if (isLast) break;
    }
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return undefined;
}

async function unpackedLine(file: Below, pointer: LinePointer): Promise<Buffer | undefined> {
  try {
    for await (const { bytes } of unpackedLines(file.read(0, file.size))) {
      if (bytes.length === pointer.length && isNamed(bytes, pointer)) return bytes;
    }
  } catch {
    // No longer a file that can be unpacked: it is another one.
  }
  return undefined;
}

function isNamed(line: Buffer, pointer: LinePointer): boolean {
  return line.length === pointer.length && lineDigest(line) === pointer.digest;
}

/** A block of a tool or of thinking stands for what it holds. */
export function insideOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const block = value as Record<string, unknown>;
  return block.content ?? block.output ?? block.thinking ?? block.input ?? block.arguments ?? value;
}

/** Steps are own names only: nothing that a record inherits is reached. */
export function valueAt(record: unknown, path: readonly (string | number)[]): unknown {
  let value: unknown = record;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}
