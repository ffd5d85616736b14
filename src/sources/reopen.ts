// Reads the value a pointer names from the agent's own file, when the file is still the one it was (SRC-21, SRC-22).
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import type { Pointer } from '../model/session.ts';
import { readRecords } from './bad-lines.ts';
import type { Reopened } from './contract.ts';
import { lineDigest } from './digest.ts';

const MAX_LINE = 256 * 1_048_576;

export async function reopenLine(absolute: string, pointer: Pointer, roots: readonly string[]): Promise<Reopened> {
  if (!('offset' in pointer)) return { reason: 'source_changed' };
  let real: string;
  try {
    real = realpathSync(absolute);
  } catch {
    return { reason: 'source_gone' };
  }
  if (!roots.some((root) => real.startsWith(root + sep))) return { reason: 'source_outside' };
  if (pointer.length > MAX_LINE) return { reason: 'source_changed' };
  const bytes = bytesAt(real, pointer.offset, pointer.length);
  if (!bytes) return { reason: 'source_gone' };
  if (bytes.length < pointer.length || lineDigest(bytes) !== pointer.digest) return { reason: 'source_changed' };
  for (const record of readRecords(bytes.toString('utf8'), () => true).records) {
    const value = valueAt(record, pointer.path);
    if (value !== undefined) return { value: insideOf(value) };
  }
  return { reason: 'source_changed' };
}

function bytesAt(path: string, offset: number, length: number): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    if (!fstatSync(file).isFile()) return undefined;
    const bytes = Buffer.alloc(length);
    let got = 0;
    while (got < length) {
      const n = readSync(file, bytes, got, length - got, offset + got);
      if (n === 0) break;
      got += n;
    }
    return bytes.subarray(0, got);
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** A block of a tool or of thinking stands for what it holds. */
export function insideOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const block = value as Record<string, unknown>;
  return block.content ?? block.output ?? block.thinking ?? block.input ?? block.arguments ?? value;
}

export function valueAt(record: unknown, path: readonly (string | number)[]): unknown {
  let value: unknown = record;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}
