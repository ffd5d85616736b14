import { expect, test } from 'vitest';
import { AgentRecordFormat } from '../../../src/runs/format.ts';
import { RecordParser } from '../../../src/runs/parser.ts';
import { AgentRecordWriter } from '../../../src/runs/writer.ts';

const FIT = ['A', 'Alice', 'Alice Smith', 'Алиса', '愛麗絲', '🙂', 'a.b', '...', 'x'.repeat(200), '100%', "O'Brien"];
const UNFIT = [
  '',
  'x'.repeat(201),
  'a\nb',
  'a\u200bb',
  'a\u202eb',
  'a[b',
  'a]b',
  'a/b',
  'a\\b',
  ' a',
  'a ',
  '.',
  '..',
  '\ud83d',
];

test('RUN-1: an agent name that a line and a file can hold is taken as it is', () => {
  for (const name of FIT) expect(() => new RecordParser(name)).not.toThrow();
});

test('RUN-1: any other is invalid_argument naming the value, wherever a name is given', () => {
  for (const name of UNFIT) {
    const shown = expect.objectContaining({
      code: 'invalid_argument',
      message: expect.stringContaining(JSON.stringify(name).slice(0, 90)),
    });
    expect(() => new RecordParser(name)).toThrow(shown);
    expect(() => AgentRecordWriter.open('run', name)).toThrow(shown);
    expect(() => AgentRecordFormat.logbackHistoryPattern(name)).toThrow(shown);
    expect(() => AgentRecordFormat.historyLine({ time: 0, agent: name, message: 'x' })).toThrow(shown);
  }
  expect(() => new RecordParser(undefined as unknown as string)).toThrow(
    expect.objectContaining({ code: 'invalid_argument' }),
  );
});
