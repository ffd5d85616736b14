// A session that its product compressed: read whole, as it no longer grows (SRC-120). Owns the Zstandard package.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { decompress } from 'fzstd';
import { readRecords } from './bad-lines.ts';
import type { EntrySink, PlannedFile, ReadOptions, ReadOutcome } from './contract.ts';
import { lineDigest } from './digest.ts';
import type { MakeReader } from './jsonl.ts';

const MAX_COMPRESSED = 64 * 1_048_576;
const MAX_BYTES = 256 * 1_048_576;

export async function readCompressed(
  source: string,
  file: PlannedFile,
  options: ReadOptions,
  out: EntrySink,
  make: MakeReader,
): Promise<ReadOutcome> {
  if (file.stat.size > BigInt(MAX_COMPRESSED))
    return { kind: 'skipped', reason: 'unknown_layout', detail: 'too large' };
  const packed = readFileSync(file.absolute);
  const state = Buffer.from(hash('sha256', packed, 'hex').slice(0, 32));
  if (options.state && Buffer.from(options.state).equals(state)) return { kind: 'same' };
  let bytes: Buffer;
  try {
    bytes = Buffer.from(decompress(packed));
  } catch {
    return { kind: 'skipped', reason: 'not_this_format', detail: `no Zstandard file of ${source}` };
  }
  if (bytes.length > MAX_BYTES) return { kind: 'skipped', reason: 'unknown_layout', detail: 'too large' };
  out.restart();
  const reader = make(undefined, out);
  let number = 1;
  for (let from = 0; from < bytes.length; number++) {
    const feed = bytes.indexOf(0x0a, from);
    const to = feed < 0 ? bytes.length : feed;
    const line = bytes.subarray(from, to);
    const text = line.toString('utf8');
    if (text.trim() !== '') {
      const { records, problem } = readRecords(text, (record) => reader.known(record));
      if (problem) out.count(problem, number);
      const where = { offset: from, length: line.length, number, digest: () => lineDigest(line) };
      for (const record of records) reader.record(record, where);
    }
    from = to + 1;
  }
  options.onBytes?.(packed.length);
  reader.end();
  await out.commit(state);
  return { kind: 'read' };
}
