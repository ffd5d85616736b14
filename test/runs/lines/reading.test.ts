// What records mean (RUN-22 – RUN-25), and the text by which two of them are the same (RUN-65).
import { expect, test } from 'vitest';
import { comparedText } from '../../../src/runs/echo.ts';
import { evidenceFor } from '../../../src/runs/evidence.ts';
import { type RecordInterpreter, readingOf } from '../../../src/runs/interpreter.ts';
import { Reading } from '../../../src/runs/reading.ts';
import { type RunRecord, runRecordOf } from '../../../src/runs/record.ts';
import { RunScope } from '../../../src/runs/scope.ts';
import { h, l, old, R, recordsOf } from './steps.ts';

const shown: RunRecord = { text: 'x', conversation: 'conv-1' };
const answering = (answer: unknown): RecordInterpreter => ({ read: () => answer as Reading });
const read = (interpreter?: RecordInterpreter): Reading | undefined => readingOf(interpreter, 'Alice.log', 1, shown);

test('RUN-22: the four readings; without an interpreter a note of the text', () => {
  expect([Reading.note('a'), Reading.told('b'), Reading.said('c'), Reading.leftOut]).toEqual([
    { kind: 'note', text: 'a' },
    { kind: 'told', text: 'b' },
    { kind: 'said', text: 'c' },
    { kind: 'leftOut' },
  ]);
  for (const reading of [Reading.note('a'), Reading.told(''), Reading.said('c'), Reading.leftOut]) {
    expect(read(answering(reading))).toEqual(reading);
    expect(Object.isFrozen(reading)).toBe(true);
  }
  expect(read()).toEqual(Reading.note('x'));
});

test('RUN-23: an interpreter is shown the masked message, the header and the episode, the file and the first line', () => {
  const seen: unknown[] = [];
  const interpreter: RecordInterpreter = {
    read: (...given) => {
      seen.push(given);
      return Reading.leftOut;
    },
  };
  const [log, , bare] = recordsOf(l('WARN', 'conv-1', 'a') + old('b') + h('-', 'c'));
  readingOf(interpreter, 'episode-3/Alice.log', log!.line, runRecordOf(log!, 'masked', 3));
  readingOf(interpreter, 'episode-3/Alice.log', 2, runRecordOf(recordsOf(old('b'))[0]!, 'b', undefined, true));
  readingOf(interpreter, 'notes.md', 3, runRecordOf({}, 'c', undefined));
  expect(bare!.header!.conversation).toBe('-');
  expect(seen).toEqual([
    [
      'episode-3/Alice.log',
      1,
      {
        text: 'masked',
        time: '2026-10-21T18:00:00',
        level: 'WARN',
        state: 'running',
        conversation: 'conv-1',
        episode: 3,
      },
    ],
    ['episode-3/Alice.log', 2, { text: 'b', time: '2026-10-21T18:00:00', state: 'running', partial: true }],
    ['notes.md', 3, { text: 'c' }],
  ]);
});

test('RUN-24: one that throws, returns a promise or anything else gives no reading', async () => {
  const throwing: RecordInterpreter = {
    read: () => {
      throw new Error('no');
    },
  };
  expect(read(throwing)).toBeUndefined();
  const others = [
    undefined,
    null,
    'x',
    7,
    {},
    [],
    { kind: 'note' },
    { kind: 'note', text: 7 },
    { kind: 'x', text: '' },
  ];
  for (const answer of others) expect(read(answering(answer)), JSON.stringify(answer)).toBeUndefined();
  expect(read(answering(Promise.resolve(Reading.note('x'))))).toBeUndefined();
  const trap = new Proxy(
    {},
    {
      get: () => {
        throw new Error('trap');
      },
    },
  );
  expect(read(answering(trap))).toBeUndefined();
});

test('RUN-24: a promise that is rejected later ends no process', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  expect(read(answering(Promise.reject(new Error('late'))))).toBeUndefined();
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

test('RUN-25: what an interpreter says changes nothing about who may see the record', () => {
  const [record] = recordsOf(h('conv-2', 'x'));
  const asked = { file: 'record', episode: 3, record: record! } as const;
  const lying = { kind: 'note', text: 'x', conversation: 'conv-1', episode: 1 };
  expect(read(answering(lying))).toBeDefined();
  expect(evidenceFor(asked, RunScope.RUN, R(3, 'conv-1'))).toBe('no');
});

test('RUN-65: compared text: line ends, white space at line ends and at both ends, NFC', () => {
  expect(comparedText('a\r\nb')).toBe(comparedText('a\nb'));
  expect(comparedText('  a \t\nb\u00a0\n\n')).toBe('a\nb');
  expect(comparedText('e\u0301')).toBe('\u00e9');
  expect(comparedText('a\n  b')).not.toBe(comparedText('a\nb'));
  expect(comparedText('A')).not.toBe(comparedText('a'));
  // Our writer turns these into line feeds: a turn that holds them is still its own echo.
  for (const end of ['\r', '\v', '\f', '\u0085', '\u2028', '\u2029']) {
    expect(comparedText(`a${end}b`)).toBe(comparedText('a\nb'));
  }
  expect(comparedText(`${' '.repeat(1_000_000)}x`)).toBe('x');
});
