import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { AgentRecordWriter } from '../../../src/runs/writer.ts';
import { hostile } from './hostile.ts';
import { freshFolder, messages, R, recordsOf, visible } from './steps.ts';

const clock = { now: () => new Date(2026, 9, 21, 18, 0, 0).getTime(), elapsed: () => 0 };
const quiet = { warn: () => undefined };

test('RUN-10: it appends records to the two files of the episode', () => {
  const folder = freshFolder();
  const writer = AgentRecordWriter.open(folder, 'Alice', { episode: 3, clock });
  const here = writer.in({ state: 'running', conversation: 'conv-1' });
  here.history('has started episode 3.');
  here.log('ERROR', 'fetch failed', new Error('no route'));
  writer.history('outside any');
  const read = (name: string): string => readFileSync(join(folder, 'episode-3', name), 'utf8');
  expect(read('Alice.history')).toBe(
    '2026-10-21 18:00:00 [running] [conv-1] Alice has started episode 3.\n2026-10-21 18:00:00 [-] [-] Alice outside any\n',
  );
  expect(read('Alice.log')).toMatch(
    /^2026-10-21 18:00:00 ERROR \[running\] \[conv-1\] Alice fetch failed\n {2}Error: no route\n {6}at /,
  );
});

test('RUN-10: without an episode it writes to the run folder; nothing is made before the first record', () => {
  const folder = join(freshFolder(), 'run');
  const writer = AgentRecordWriter.open(folder, 'Alice Smith');
  expect(() => statSync(folder)).toThrow();
  writer.history('x');
  expect(messages(recordsOf(readFileSync(join(folder, 'Alice Smith.history'), 'utf8'), 'Alice Smith'))).toEqual(['x']);
});

test('RUN-10: files have mode 0600 whatever the umask, and folders are made as needed', () => {
  const before = process.umask(0);
  try {
    const folder = join(freshFolder(), 'a', 'b');
    AgentRecordWriter.open(folder, 'Alice', { episode: 0 }).log('INFO', 'x');
    expect(statSync(join(folder, 'episode-0', 'Alice.log')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'episode-0')).mode & 0o777).toBe(0o700);
  } finally {
    process.umask(before);
  }
});

test('RUN-10: a failure is counted, reported once per file and never thrown', () => {
  const folder = freshFolder();
  // A file where the folder should be: nobody can write below it, not even root.
  writeFileSync(join(folder, 'episode-3'), '');
  const onWarning = vi.fn();
  const warn = vi.fn();
  const writer = AgentRecordWriter.open(folder, 'Alice', { episode: 3, onWarning, logger: { warn } });
  const here = writer.in({ conversation: 'conv-1' });
  for (let n = 0; n < 3; n++) here.history(`secret ${n}`);
  here.log('INFO', 'x');
  expect(writer.failures).toBe(4);
  expect(onWarning.mock.calls.map(([warning]) => [warning.code, warning.file])).toEqual([
    ['write_failed', 'episode-3/Alice.history'],
    ['write_failed', 'episode-3/Alice.log'],
  ]);
  expect(warn).toHaveBeenCalledTimes(2);
  expect(JSON.stringify(onWarning.mock.calls)).not.toContain('secret');
  expect(JSON.stringify(onWarning.mock.calls)).not.toContain(folder);
  rmSync(join(folder, 'episode-3'));
  here.history('later');
  expect(writer.failures).toBe(4);
  expect(readFileSync(join(folder, 'episode-3', 'Alice.history'), 'utf8')).toContain('later');
});

test('RUN-10: who is told of a failure cannot fail the run', () => {
  const folder = freshFolder();
  mkdirSync(join(folder, 'Alice.log'));
  const fail = (): never => {
    throw new Error('no');
  };
  const writer = AgentRecordWriter.open(folder, 'Alice', { onWarning: fail, logger: { warn: fail } });
  expect(() => writer.log('INFO', 'x')).not.toThrow();
  expect(writer.failures).toBe(1);
});

test('RUN-10: a FIFO of that name holds nobody and is a failure', () => {
  const folder = freshFolder();
  execFileSync('mkfifo', [join(folder, 'Alice.log')]);
  const writer = AgentRecordWriter.open(folder, 'Alice', { logger: quiet });
  writer.log('INFO', 'x');
  expect(writer.failures).toBe(1);
});

test('RUN-10: a file that was moved away is not written to behind its name', () => {
  const folder = freshFolder();
  const writer = AgentRecordWriter.open(folder, 'Alice');
  writer.log('INFO', 'one');
  rmSync(join(folder, 'Alice.log'));
  writer.log('INFO', 'two');
  expect(messages(recordsOf(readFileSync(join(folder, 'Alice.log'), 'utf8')))).toEqual(['two']);
});

test('RUN-10: several processes that append at once lose and mix nothing', async () => {
  const folder = freshFolder();
  const built = join(folder, 'writer.mjs');
  buildSync({ entryPoints: ['src/runs/writer.ts'], bundle: true, platform: 'node', format: 'esm', outfile: built });
  const script = `
    import { AgentRecordWriter } from ${JSON.stringify(built)};
    const [folder, id] = process.argv.slice(1);
    const writer = AgentRecordWriter.open(folder, 'Alice').in({ conversation: id });
    for (let n = 0; n < 200; n++) writer.log('INFO', id + ' ' + n + '\\n' + 'x'.repeat(5000));
  `;
  const flags = ['--input-type=module', '-e', script, folder];
  const children = ['conv-1', 'conv-2'].map((id) => spawn(process.execPath, [...flags, id], { stdio: 'inherit' }));
  const exits = await Promise.all(children.map((child) => once(child, 'exit')));
  expect(exits.map(([code]) => code)).toEqual([0, 0]);
  const records = recordsOf(readFileSync(join(folder, 'Alice.log'), 'utf8'));
  for (const id of ['conv-1', 'conv-2']) {
    const own = records.filter((record) => record.header!.conversation === id).map((record) => record.text);
    expect(own).toEqual(Array.from({ length: 200 }, (_, n) => `${id} ${n}\n${'x'.repeat(5000)}`));
  }
  expect(records).toHaveLength(400);
});

test('RUN-10: after a crash in the middle of a line the next record begins a line of its own', () => {
  const folder = freshFolder();
  const writer = AgentRecordWriter.open(folder, 'Alice');
  writer.in({ conversation: 'conv-1' }).log('INFO', 'whole');
  for (const half of [
    '2026-10-21 18:00:00 INFO  [-] [conv-1] Alice half',
    '2026-10-21 18:00:00 INFO  [-] [conv',
    '2026',
  ]) {
    appendFileSync(join(folder, 'Alice.log'), half);
    writer.in({ conversation: 'conv-2' }).log('INFO', 'mine');
  }
  const records = recordsOf(readFileSync(join(folder, 'Alice.log'), 'utf8'));
  expect(visible(records, R(3, 'conv-2'))).toEqual(['mine', 'mine\n2026', 'mine']);
  expect(visible(records, R(3, 'conv-1'))).toEqual(['whole', 'half']);
});

test('RUN-10: a NUL is written as a space, or one message would make the whole file binary', () => {
  const folder = freshFolder();
  AgentRecordWriter.open(folder, 'Alice').history('a\0b');
  expect(messages(recordsOf(readFileSync(join(folder, 'Alice.history'), 'utf8')))).toEqual(['a b']);
});

test('RUN-9: in(…) throws for a place that no line can hold, and the record goes nowhere', () => {
  const writer = AgentRecordWriter.open(freshFolder(), 'Alice');
  for (const place of [{ conversation: 'a b' }, { state: '' }, { conversation: 'a\nb' }]) {
    expect(() => writer.in(place)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  }
});

test('RUN-10: an episode is an integer from 0 to 999 999 999, the run folder a path', () => {
  for (const episode of [-1, 1.5, 1e9, Number.NaN, '3' as unknown as number]) {
    expect(() => AgentRecordWriter.open('run', 'Alice', { episode })).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining('episode') }),
    );
  }
  expect(() => AgentRecordWriter.open('', 'Alice')).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
});

test('RUN-10: where no folder can be made the host goes on', () => {
  // Node's recursive mkdir never returns from such a place.
  const writer = AgentRecordWriter.open('/proc/self/none', 'Alice', { episode: 1, logger: quiet });
  expect(() => writer.history('x')).not.toThrow();
  expect(writer.failures).toBe(1);
});

test('RUN-8: no message, whatever its bytes, becomes a record of another conversation or episode', () => {
  const record = fc.record({ message: hostile, conversation: fc.constantFrom('conv-1', 'conv-2', '-') });
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 8 }), (given) => {
      const folder = freshFolder();
      const writer = AgentRecordWriter.open(folder, 'Alice', { episode: 3, clock });
      for (const { message, conversation } of given) {
        const here = writer.in({ conversation });
        here.history(message);
        here.log('ERROR', message, new Error(message));
      }
      for (const name of ['Alice.history', 'Alice.log']) {
        // Through UTF-8 and back: what stands in the file, not what stood in memory.
        const records = recordsOf(readFileSync(join(folder, 'episode-3', name), 'utf8'));
        expect(records.map(({ header }) => header?.conversation)).toEqual(given.map((each) => each.conversation));
        for (const conversation of ['conv-1', 'conv-2']) {
          const own = given.filter((each) => each.conversation === conversation || each.conversation === '-');
          expect(visible(records, R(3, conversation))).toHaveLength(own.length);
        }
      }
    }),
    { numRuns: 100 },
  );
});
