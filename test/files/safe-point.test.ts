// Edits behind a safe point: what was committed in between is checked whole before a reading goes on (FILE-8, FILE-11).
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Anchor, FileFollower, type FileState, type LineAt, type LineSink } from '../../src/files/index.ts';
import { systemClock } from '../../src/model/clock.ts';

const LINE = 64;
const SIZE = 12 * 1_048_576;
const MIDDLE = 2.5 * 1_048_576;
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'safe-point-'));
  writeFileSync(join(root, 'a'), `${'A'.repeat(LINE - 1)}\n`.repeat(SIZE / LINE));
  utimesSync(join(root, 'a'), 1, 1);
});
afterEach(() => rmSync(root, { recursive: true }));

test('FILE-8, FILE-11: an edit in a committed block while the file is read is found by that look', async () => {
  const sink = sinkThat((commits) => commits === 1 && editMiddle());
  await new FileFollower(root, { clock: systemClock }).read('a', undefined, sink);
  expect(sink.firstBytes()).toBe(firstBytesOfFile());
});

test('FILE-8, FILE-20: an edit after a kill at a safe point is found by the next look, without growth', async () => {
  const killed = sinkThat((commits) => {
    if (commits === 2) throw new Error('killed');
  });
  const follower = new FileFollower(root, { clock: systemClock });
  await expect(follower.read('a', undefined, killed)).rejects.toThrow('killed');
  editMiddle();
  await follower.read('a', killed.state, killed);
  expect(killed.firstBytes()).toBe(firstBytesOfFile());
});

function editMiddle(): void {
  const file = openSync(join(root, 'a'), 'r+');
  writeSync(file, 'B', MIDDLE);
  closeSync(file);
}

function firstBytesOfFile(): string {
  return readFileSync(join(root, 'a'), 'latin1').replace(/(.).*\n/g, '$1');
}

// Keeps the first byte of each line; `before` runs with the number of the commit, before it is stored.
function sinkThat(
  before: (commits: number) => unknown,
): LineSink & { state: FileState | undefined; firstBytes(): string } {
  let rows = new Map<number, string>();
  let stored = new Map<number, string>();
  let next: Anchor = { offset: 0, number: 1, data: new Uint8Array(0) };
  let commits = 0;
  return {
    state: undefined,
    firstBytes: () => [...stored.values()].join(''),
    start(at) {
      next = at;
      rows = new Map([...rows].filter(([offset]) => offset < at.offset));
    },
    line(bytes: Uint8Array, at: LineAt) {
      rows.set(at.offset, String.fromCharCode(bytes[0]!));
      next = { ...next, offset: at.offset + bytes.length + 1, number: at.number + 1 };
    },
    segment() {},
    tail() {},
    anchor: () => next,
    commit(state) {
      before(++commits);
      this.state = state;
      stored = new Map(rows);
    },
    rollback() {
      rows = new Map(stored);
    },
  };
}
