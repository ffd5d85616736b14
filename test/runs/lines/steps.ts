// What the tests of lines share: lines as the cases write them, text → records through the real follower, who sees what.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { decodeLine, FileFollower, type FileState, type LineSink } from '../../../src/files/index.ts';
import { systemClock } from '../../../src/model/clock.ts';
import { evidenceFor, type TurnPlace } from '../../../src/runs/evidence.ts';
import { type ParserMark, RecordParser } from '../../../src/runs/parser.ts';
import type { RawRecord } from '../../../src/runs/record.ts';
import { RunScope } from '../../../src/runs/scope.ts';

export const TIME = '2026-10-21 18:00:00';

/** The notation of cases/run-files.md. */
export const h = (conversation: string, message: string): string =>
  `${TIME} [running] [${conversation}] Alice ${message}\n`;
export const l = (level: string, conversation: string, message: string): string =>
  `${TIME} ${level.padEnd(5)} [running] [${conversation}] Alice ${message}\n`;
export const old = (message: string): string => `${TIME} [running] Alice ${message}\n`;
/** A request with current episode and conversation. */
export const R = (episode: number | undefined, conversation: string | undefined): TurnPlace => ({
  ...(episode === undefined ? {} : { episode }),
  ...(conversation === undefined ? {} : { conversation }),
});

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder of this test file's own, gone when the file's tests have ended. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'run-lines-'));
  folders.push(folder);
  return folder;
}

/** Lines split at the byte 0x0A alone. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Every record of a file with this text, read in one go without a file. */
export function recordsOf(text: string, agent = 'Alice'): RawRecord[] {
  const parser = new RecordParser(agent);
  const records: RawRecord[] = [];
  let offset = 0;
  for (const [index, line] of linesOf(text).entries()) {
    records.push(...parser.push(line, index + 1, offset));
    offset += Buffer.byteLength(line) + 1;
  }
  const last = parser.end();
  return last === undefined ? records : [...records, last];
}

/** Texts of the records that this request may see. The records lie in episode 3, as in the cases, unless told. */
export function visible(
  records: readonly RawRecord[],
  turn: TurnPlace,
  options: { readonly episode?: number | undefined; readonly scope?: RunScope } = {},
): string[] {
  const episode = 'episode' in options ? options.episode : 3;
  return records
    .filter((record) => {
      const placed = { file: 'record' as const, record, ...(episode === undefined ? {} : { episode }) };
      return evidenceFor(placed, options.scope ?? RunScope.RUN, turn) === 'yes';
    })
    .map((record) => record.text);
}

export const messages = (records: readonly RawRecord[]): string[] => records.map((record) => record.text);

/** A file that is looked at again and again through the follower, its records kept as an index would keep them. */
export class WatchedFile {
  readonly folder: string = freshFolder();
  readonly name = 'Alice.log';
  readonly #follower = new FileFollower(this.folder, { clock: systemClock });
  #state: FileState | undefined;
  #closed: RawRecord[] = [];
  #parser = new RecordParser('Alice');
  #last: RawRecord | undefined;
  #mark: ParserMark = { offset: 0, number: 1, data: '' };

  write(content: string | Uint8Array, flag: 'w' | 'a' = 'a'): void {
    writeFileSync(join(this.folder, this.name), content, { flag });
  }

  text(): string {
    return readFileSync(join(this.folder, this.name), 'utf8');
  }

  /** What a search would find after a look: closed records, then the provisional last one. */
  async look(): Promise<RawRecord[]> {
    const sink: LineSink = {
      start: (at) => {
        this.#closed = this.#closed.filter((record) => record.offset < at.offset);
        const data = Buffer.from(at.data).toString();
        this.#parser = new RecordParser('Alice', data);
        this.#mark = { ...at, data };
        this.#last = undefined;
      },
      line: (bytes, at) => {
        this.#closed.push(...this.#parser.push(decodeLine(bytes), at.number, at.offset));
        this.#mark = this.#parser.mark() ?? this.#mark;
        this.#last = this.#parser.end();
      },
      segment: () => undefined,
      tail: (bytes, at) => {
        this.#closed.push(...this.#parser.push(decodeLine(bytes), at.number, at.offset));
        this.#last = this.#parser.end();
      },
      anchor: () => ({ ...this.#mark, data: Buffer.from(this.#mark.data) }),
      commit: (state) => {
        this.#state = state;
      },
      rollback: () => undefined,
    };
    await this.#follower.read(this.name, this.#state, sink);
    return this.#last === undefined ? [...this.#closed] : [...this.#closed, this.#last];
  }
}
