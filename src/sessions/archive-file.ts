// An archive as a file: its lines one after another, and whether it is whole and unchanged, before anything counts (SUR-72).
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { BackstoryError } from '../model/errors.ts';
import type { ArchivedFile } from '../store/archive.ts';
import {
  COUNTED,
  type Counts,
  invalidArchive,
  isKeyOf,
  LINE_ORDER,
  type Line,
  type Lines,
  NO_LINES,
  readLine,
} from './archive-format.ts';

export interface CheckedArchive {
  readonly head: Lines['head'];
  readonly counts: Counts;
  readonly sha256: string;
  /** Where the line after the head begins, and where the last one does. */
  readonly begin: number;
  readonly end: number;
  readonly files: readonly ArchivedFile[];
}

export interface FileLine {
  readonly bytes: Buffer;
  /** Where the next line begins. */
  readonly next: number;
}

const CHUNK = 262_144;
// One message is at most 16 MiB of JSON; as text within JSON twice that, and its parts that lie apart once more.
const MAX_LINE = 134_217_728;

/** Throws `not_found` for a file that cannot be opened, `archive_invalid` for what is none. */
export async function openArchive(path: string): Promise<FileHandle> {
  try {
    const file = await open(path, 'r');
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new BackstoryError('not_found', `The archive ${path} cannot be read (${code}).`, 'Check its path and mode.');
  }
  throw invalidArchive(`${path} is no file`);
}

/**
 * Reads all of it: every line, the checksum and the counts of the last one. Throws `archive_invalid`, `archive_newer`.
 * `read` is told of the bytes done.
 */
export async function checkArchive(file: FileHandle, read: (bytes: number) => void): Promise<CheckedArchive> {
  const hash = createHash('sha256');
  const counts: { -readonly [Name in keyof Counts]: number } = { ...NO_LINES };
  const files: ArchivedFile[] = [];
  let head: Lines['head'] | undefined;
  let last: Lines['end'] | undefined;
  let [number, begin, end, at, order, entry] = [0, 0, 0, 0, 0, 0];
  for await (const { bytes, next } of linesFrom(file, 0)) {
    number++;
    if (last !== undefined) throw invalidArchive(`Line ${number} stands after the last one`, number);
    const line = readLine(bytes.toString('utf8'), number);
    const place = LINE_ORDER.indexOf(line.type);
    if ((line.type === 'head') !== (number === 1) || place < order) {
      throw invalidArchive(`Line ${number} (${line.type}) stands where it cannot`, number);
    }
    order = place;
    const counter = COUNTED[line.type];
    if (counter !== undefined) counts[counter]++;
    if (line.type === 'head') {
      head = line.value;
      begin = next;
    } else if (line.type === 'end') {
      last = line.value;
      end = at;
    } else if (line.type === 'file') files.push(line.value);
    if (line.type === 'entry') {
      if (line.value.no <= entry) throw invalidArchive(`Line ${number} is out of order`, number);
      entry = line.value.no;
    }
    if (!isOfAgent(line, head!.agent)) throw invalidArchive(`Line ${number} is of another agent`, number);
    if (line.type !== 'end') hash.update(bytes).update('\n');
    at = next;
    read(next);
  }
  if (last === undefined) throw invalidArchive('There is no last line');
  const sha256 = hash.digest('hex');
  const differs = Object.entries(counts).find(([name, count]) => last!.counts[name as keyof Counts] !== count);
  if (differs !== undefined)
    throw invalidArchive(`Its ${differs[0]} are ${differs[1]}, and its last line says otherwise`);
  if (sha256 !== last.sha256) throw invalidArchive('Its lines are not those that its checksum was made from');
  return { head: head!, counts, sha256, begin, end, files };
}

function isOfAgent(line: Line, agent: string): boolean {
  if (line.type === 'session') return isKeyOf(agent, line.value.key);
  if (line.type === 'entry' || line.type === 'key') return isKeyOf(agent, line.value.session);
  return true;
}

/** Lines from a place on, never more of the file in memory than one of them. The event loop turns between chunks. */
export async function* linesFrom(file: FileHandle, from: number): AsyncGenerator<FileLine> {
  let waiting: Buffer[] = [];
  let held = 0;
  let at = from;
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, at + held);
    if (bytesRead === 0) break;
    let chunk = buffer.subarray(0, bytesRead);
    for (let feed = chunk.indexOf(10); feed >= 0; feed = chunk.indexOf(10)) {
      const bytes =
        waiting.length === 0 ? chunk.subarray(0, feed) : Buffer.concat([...waiting, chunk.subarray(0, feed)]);
      at += bytes.length + 1;
      waiting = [];
      held = 0;
      yield { bytes, next: at };
      chunk = chunk.subarray(feed + 1);
    }
    if (chunk.length > 0) waiting.push(chunk);
    held += chunk.length;
    if (held > MAX_LINE) throw invalidArchive(`A line is longer than ${MAX_LINE} bytes`);
  }
  if (held > 0) throw invalidArchive('Its last line has no end');
}
