import { expect, test } from 'vitest';
import { RecordParser } from '../../../src/runs/parser.ts';
import { messages, recordsOf, TIME } from './steps.ts';

const parse = (line: string) => RecordParser.parseLine(line, 'Alice');

test('RUN-2: the conversation field stands before the name, and - is none', () => {
  expect(parse(`${TIME} [running] [conv-1] Alice hi`)).toEqual({
    time: '2026-10-21T18:00:00',
    state: 'running',
    conversation: 'conv-1',
    agent: 'Alice',
    message: 'hi',
  });
  expect(parse(`${TIME} [-] [-] Alice hi`)).toMatchObject({ state: '-', conversation: '-' });
  expect(parse(`${TIME} WARN  [running] [-] Alice`)).toMatchObject({ level: 'WARN', message: '' });
});

test('RUN-2: state and conversation have 1 to 200 units without brackets, white space or control characters', () => {
  const longest = 'x'.repeat(200);
  expect(parse(`${TIME} [${longest}] [${longest}] Alice hi`)).toMatchObject({ state: longest, conversation: longest });
  for (const field of ['', 'x'.repeat(201), 'a b', 'a\tb', 'a[b', 'a\u00a0b', 'a\u0085b', 'a\u0007b', 'a\u2028b']) {
    expect(parse(`${TIME} [running] [${field}] Alice hi`), JSON.stringify(field)).toBeUndefined();
    expect(parse(`${TIME} [${field}] [conv-1] Alice hi`), JSON.stringify(field)).toBeUndefined();
  }
});

test('RUN-4: a line without the conversation field is read, its conversation unknown', () => {
  expect(parse(`${TIME} [running] Alice hi`)).toEqual({
    time: '2026-10-21T18:00:00',
    state: 'running',
    agent: 'Alice',
    message: 'hi',
  });
  expect(parse(`${TIME} INFO  [running] Alice [conv-2] Alice hi`)?.message).toBe('[conv-2] Alice hi');
});

test('RUN-4: after the state a [ always begins the conversation field', () => {
  const lines = [`${TIME} [running] [Alice hi`, `${TIME} [running] [conv-1]Alice hi`, `${TIME} [running] [] Alice hi`];
  for (const line of lines) expect(recordsOf(`${line}\n`)[0]!.kind).toBe('unknown_writer');
});

test('RUN-5: a date and a time are of the calendar and the clock, and are kept as they are', () => {
  const good = ['2024-02-29 00:00:00', '2000-02-29 23:59:59', '0001-01-01 12:00:00', '9999-12-31 12:30:59'];
  const bad = [
    '2026-02-30 18:00:00',
    '2026-02-29 18:00:00',
    '1900-02-29 18:00:00',
    '2026-04-31 18:00:00',
    '2026-00-10 18:00:00',
    '2026-13-01 18:00:00',
    '2026-10-00 18:00:00',
    '0000-10-10 18:00:00',
    '2026-10-21 24:00:00',
    '2026-10-21 18:60:00',
    '2026-10-21 18:00:60',
    '2026-10-21T18:00:00',
    '2026-10-21 8:00:00',
    '٢٠٢٦-10-21 18:00:00',
    '2026-10-21 18:00:00,123',
  ];
  for (const time of good) expect(parse(`${time} [r] [c] Alice hi`)?.time).toBe(time.replace(' ', 'T'));
  for (const time of bad) {
    const line = `${time} [r] [c] Alice hi`;
    expect(parse(line), time).toBeUndefined();
    expect(messages(recordsOf(`${TIME} [r] [c] Alice a\n${line}\n`)), time).toEqual([`a\n${line}`]);
  }
});

test('RUN-5: both forms are read side by side', () => {
  const text = `${TIME} [r] [c] Alice a\n${TIME} INFO  [r] [c] Alice b\n${TIME} [r] Alice c\n${TIME} INFO  [r] Alice d\n`;
  expect(messages(recordsOf(text))).toEqual(['a', 'b', 'c', 'd']);
});

test('RUN-5: times that run backwards or repeat, as at a clock change, are read in the order of the lines', () => {
  const text = ['02:59:59', '02:00:00', '02:00:00'].map((time) => `2026-10-25 ${time} [r] [c] Alice x\n`).join('');
  expect(recordsOf(text).map((record) => record.header!.time)).toEqual([
    '2026-10-25T02:59:59',
    '2026-10-25T02:00:00',
    '2026-10-25T02:00:00',
  ]);
});

test('RUN-6: the name is followed by one space or the end of the line; the rest is the message', () => {
  expect(parse(`${TIME} [r] [c] Alice   indented`)?.message).toBe('  indented');
  expect(parse(`${TIME} [r] [c] Alice2 hi`)).toBeUndefined();
  expect(parse(`${TIME} [r] [c] Alice: hi`)).toBeUndefined();
  expect(RecordParser.parseLine(`${TIME} [r] [c] Alice Smith hi`, 'Alice Smith')?.message).toBe('hi');
});

test('RUN-15: what begins like a header and is none is a record of unknown writer', () => {
  const lines = [
    `${TIME} [running] [conv-2] Bob hi`,
    `${TIME} [running] [conv-2]`,
    `${TIME} [running`,
    `${TIME} [`,
    `${TIME} INFO [`,
    `${TIME} INFO      [running] [conv-2] Alice six spaces after the level`,
    `${TIME}\t[running] [conv-2] Alice a tab before the state`,
    `${TIME} INFO\t[running] [conv-2] Alice a tab after the level`,
    `${TIME}  [running] [conv-2] Alice two spaces before the state`,
    `${TIME} [running]  [conv-2] Alice two spaces before the conversation`,
  ];
  for (const line of lines) {
    const records = recordsOf(`${TIME} [r] [c] Alice a\n${line}\n  more\nand more\n${TIME} [r] [c] Alice b\n`);
    expect(
      records.map(({ kind }) => kind),
      line,
    ).toEqual(['record', 'unknown_writer', 'record']);
    expect(messages(records), line).toEqual(['a', '', 'b']);
  }
});

test('RUN-15: a column-0 line that does not begin like one continues the record', () => {
  const lines = [
    `${TIME}`,
    `${TIME} done`,
    `${TIME}[running]`,
    `${TIME} INFO no bracket`,
    `${TIME} NOTICE [x]`,
    `x ${TIME} [`,
  ];
  for (const line of lines) expect(messages(recordsOf(`${TIME} [r] [c] Alice a\n${line}\n`))).toEqual([`a\n${line}`]);
});

test('RUN-16: the six levels are read in header position, and no other word', () => {
  for (const level of ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL']) {
    for (const spaces of [1, 2, 5]) {
      expect(parse(`${TIME} ${level}${' '.repeat(spaces)}[r] [c] Alice hi`)?.level).toBe(level);
    }
  }
  expect(parse(`${TIME} info  [r] [c] Alice hi`)).toBeUndefined();
  expect(parse(`${TIME} [r] [c] Alice DEBUG hi`)?.level).toBeUndefined();
});

test('RUN-78: parseLine is for tail views: both forms, a line end at its end, undefined for what is no header', () => {
  expect(parse(`${TIME} [r] [c] Alice hi\r\n`)?.message).toBe('hi');
  expect(parse(`${TIME} [r] [c] Alice hi\n`)?.message).toBe('hi');
  expect(parse('  continuing')).toBeUndefined();
  expect(parse('')).toBeUndefined();
});
