import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { AgentRecordFormat } from '../../../src/runs/format.ts';
import type { Level } from '../../../src/runs/record.ts';
import { hostile } from './hostile.ts';
import { linesOf, messages, recordsOf, TIME } from './steps.ts';

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

const history = (message: string, error?: unknown): string =>
  AgentRecordFormat.historyLine({ time: TIME, agent: 'Alice', message, error });

const id = fc.oneof(fc.constantFrom('-', 'conv-1', 'conv-2'), fc.stringMatching(/^[a-z0-9:._/@#-]{1,20}$/));
const level = fc.constantFrom<Level>('TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL');

/** The line ends of RUN-7 as `\n`. */
const plain = (text: string): string => text.replace(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, '\n');

test('RUN-2: the lines are those of the grammar', () => {
  expect(
    AgentRecordFormat.historyLine({
      time: TIME,
      agent: 'Alice',
      message: 'has started episode 1.',
      state: 'running',
      conversation: 'conv-1',
    }),
  ).toBe('2026-10-21 18:00:00 [running] [conv-1] Alice has started episode 1.\n');
  const log = (level: Level) => AgentRecordFormat.logLine({ time: TIME, agent: 'Alice', level, message: 'x' });
  expect(log('INFO')).toBe(`${TIME} INFO  [-] [-] Alice x\n`);
  expect(log('ERROR')).toBe(`${TIME} ERROR [-] [-] Alice x\n`);
  expect(history('')).toBe(`${TIME} [-] [-] Alice\n`);
});

test('RUN-3: each line after the first has two spaces before it, an empty one too', () => {
  expect(history('a\n\n b\n')).toBe(`${TIME} [-] [-] Alice a\n  \n   b\n  \n`);
});

test('RUN-5: times are the local time of this process, also where clocks change', () => {
  const at = (time: Date | number | string): string =>
    AgentRecordFormat.historyLine({ time, agent: 'Alice', message: '' }).slice(0, 19);
  process.env.TZ = 'Europe/Berlin';
  // The hour that comes twice, and the one that never is.
  expect(at(Date.UTC(2026, 9, 25, 0, 30))).toBe('2026-10-25 02:30:00');
  expect(at(Date.UTC(2026, 9, 25, 1, 30))).toBe('2026-10-25 02:30:00');
  expect(at(Date.UTC(2026, 2, 29, 0, 59, 59))).toBe('2026-03-29 01:59:59');
  expect(at(Date.UTC(2026, 2, 29, 1, 0, 0))).toBe('2026-03-29 03:00:00');
  process.env.TZ = 'Asia/Kathmandu';
  expect(at(new Date('2026-01-01T00:00:00.999Z'))).toBe('2026-01-01 05:45:00');
  expect(at('2026-01-01T00:00:00Z')).toBe('2026-01-01 05:45:00');
  // A local time is written as it is, wherever this runs.
  expect(at('2026-03-29 02:30:00')).toBe('2026-03-29 02:30:00');
  expect(at('2026-03-29T02:30:00')).toBe('2026-03-29 02:30:00');
});

test('RUN-5: what is no time is invalid_argument naming it', () => {
  for (const time of [Number.NaN, new Date('x'), '2026-02-30 00:00:00', 'now', 8.64e15, '2026-10-21', '']) {
    expect(() => AgentRecordFormat.historyLine({ time, agent: 'Alice', message: 'x' })).toThrow(
      expect.objectContaining({ code: 'invalid_argument', details: { field: 'time' } }),
    );
  }
});

test('RUN-7: a record ends with one line feed and holds no line at column 0 but its first', () => {
  fc.assert(
    fc.property(hostile, hostile, hostile, level, id, (message, thrown, cause, at, conversation) => {
      const error = new Error(thrown, { cause: new Error(cause) });
      const text = AgentRecordFormat.logLine({ time: TIME, agent: 'Alice', level: at, message, error, conversation });
      expect(text.endsWith('\n')).toBe(true);
      const [first, ...others] = linesOf(text);
      expect(first!.startsWith(`${TIME} ${at}`)).toBe(true);
      expect(others.every((line) => line.startsWith('  '))).toBe(true);
      // By no reader's idea of a line end.
      expect(text.replaceAll('\n', '')).not.toMatch(/[\r\v\f\u0085\u2028\u2029]/);
    }),
    { numRuns: 500 },
  );
});

test('RUN-7: the stack follows the message, its causes too, each once', () => {
  const root = new Error('root');
  const error = new TypeError('top', { cause: root });
  root.cause = error;
  const lines = linesOf(history('failed', error));
  expect(lines[1]).toBe('  TypeError: top');
  expect(lines.filter((line) => line.includes('TypeError: top'))).toHaveLength(1);
  expect(lines.filter((line) => line === '  Caused by: Error: root')).toHaveLength(1);
});

test('RUN-7: whatever was thrown is shown, and never throws again', () => {
  const trap = {
    get stack(): string {
      throw new Error('trap');
    },
    get cause(): unknown {
      throw new Error('trap');
    },
    message: 'kept\nwhole',
    name: 'Odd',
  };
  expect(history('x', trap)).toBe(`${TIME} [-] [-] Alice x\n  Odd: kept\n  whole\n`);
  expect(history('x', 'just text')).toBe(`${TIME} [-] [-] Alice x\n  just text\n`);
  expect(history('x', { code: 7 })).toContain('\n  { code: 7 }\n');
  expect(history('x', null)).toBe(history('x'));
  expect(history('', new Error('e'))).toMatch(/Alice\n {2}Error: e\n/);
  expect(() =>
    history(
      'x',
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('no');
          },
        },
      ),
    ),
  ).not.toThrow();
});

test('RUN-8: a message comes back equal, with line ends as \\n and trailing spaces kept', () => {
  fc.assert(
    fc.property(hostile, id, id, level, (message, state, conversation, at) => {
      const fields = { time: TIME, agent: 'Alice', message, state, conversation };
      const header = { time: TIME.replace(' ', 'T'), state, conversation };
      for (const [text, expected] of [
        [AgentRecordFormat.historyLine(fields), header],
        [AgentRecordFormat.logLine({ ...fields, level: at }), { ...header, level: at }],
      ] as const) {
        const records = recordsOf(text);
        expect(records).toHaveLength(1);
        expect(records[0]).toMatchObject({ kind: 'record', text: plain(message), header: expected });
      }
    }),
    { numRuns: 1000 },
  );
  expect(messages(recordsOf(history('a  \n b \n\n')))).toEqual(['a  \n b \n\n']);
});

test('RUN-8: names with spaces and in any script', () => {
  for (const agent of ['Alice Smith', '愛麗絲', '🙂', 'a-b.c']) {
    const text = AgentRecordFormat.historyLine({ time: TIME, agent, message: 'a\n b' });
    expect(messages(recordsOf(text, agent))).toEqual(['a\n b']);
  }
});

test('RUN-8: records of any messages, one after the other, stay as many and as they were', () => {
  const record = fc.record({ message: hostile, conversation: id, thrown: fc.option(hostile, { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(record, { maxLength: 8 }), (given) => {
      const text = given.map(({ message, conversation, thrown }) =>
        AgentRecordFormat.logLine({ time: TIME, agent: 'Alice', level: 'INFO', message, conversation, error: thrown }),
      );
      const records = recordsOf(text.join(''));
      expect(records.map(({ header }) => header?.conversation)).toEqual(given.map(({ conversation }) => conversation));
      expect(records.every(({ kind, enclosing }) => kind === 'record' && enclosing === undefined)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('RUN-9: a field that no line can hold is invalid_argument naming field and value, never altered', () => {
  const unfit = ['', 'a b', 'a[b', 'a]b', 'a\nb', 'a\u2028b', 'a\u0007b', 'x'.repeat(201), '\ud83d', 7, null];
  for (const value of unfit) {
    for (const field of ['state', 'conversation'] as const) {
      const fields = { time: TIME, agent: 'Alice', message: 'x', [field]: value };
      const thrown = expect.objectContaining({
        code: 'invalid_argument',
        message: expect.stringContaining(`${field} ${JSON.stringify(value).slice(0, 90)}`),
        details: { field },
      });
      expect(() => AgentRecordFormat.historyLine(fields)).toThrow(thrown);
      expect(() => AgentRecordFormat.logLine({ ...fields, level: 'INFO' })).toThrow(thrown);
    }
  }
  expect(history('x')).toContain(' [-] [-] ');
  expect(
    AgentRecordFormat.historyLine({
      time: TIME,
      agent: 'Alice',
      message: 'x',
      state: undefined,
      conversation: undefined,
    }),
  ).toContain(' [-] [-] ');
});

test('RUN-16: a level that is none is invalid_argument', () => {
  const fields = { time: TIME, agent: 'Alice', message: 'x', level: 'info' as Level };
  expect(() => AgentRecordFormat.logLine(fields)).toThrow(
    expect.objectContaining({ code: 'invalid_argument', details: { field: 'level' } }),
  );
});
