import { expect, test } from 'vitest';
import { isClassLine, isFrameLine } from '../../../src/runs/trace.ts';
import { h, l, old, R, recordsOf, TIME, visible } from './steps.ts';

const suspects = (text: string): string[] =>
  recordsOf(text)
    .filter((record) => record.enclosing !== undefined)
    .map((record) => record.text);

test('RUN-18: what a class line is', () => {
  const are = [
    'java.lang.IllegalStateException',
    'java.lang.IllegalStateException: bad',
    'Caused by: java.io.IOException: x',
    'Suppressed: a.b.CError',
    'Error: plain',
    'TypeError:',
    'Exception',
    'a.B$CException: x',
    'my_module.MyError',
    'java.lang.Throwable: y',
    'Ошибка.МойException: x',
  ];
  const areNot = [
    ' java.lang.IllegalStateException: indented',
    '\tSuppressed: java.lang.Exception',
    'java.lang.IllegalStateException bad',
    'java.lang.IllegalStateExceptions: bad',
    'an Error: with a space before',
    'Caused by:java.io.IOException',
    'at a.B.c(B.java:1)',
    '',
    ':',
    'Caused by: ',
    'java.lang.exception: lower case',
  ];
  for (const line of are) expect(isClassLine(line), line).toBe(true);
  for (const line of areNot) expect(isClassLine(line), line).toBe(false);
});

test('RUN-18: what a frame line is', () => {
  const are = [
    '\tat a.B.c(B.java:1)',
    '\t\tat x',
    '    at Object.<anonymous> (a.js:1:1)',
    '\t... 12 more',
    '    ... 1 x',
  ];
  const areNot = [
    'at x',
    '  at x',
    '   at x',
    '     at x',
    '\t at x',
    '\tatx',
    '\t... more',
    '... 12 more',
    '\t... 12',
    '',
  ];
  for (const line of are) expect(isFrameLine(line), line).toBe(true);
  for (const line of areNot) expect(isFrameLine(line), line).toBe(false);
});

test('RUN-19: headers between class line and frame are suspects, those before and after are not', () => {
  const text = `${h('conv-1', 'boom')}a.BException: x\n${h('conv-2', 'one')}${l('INFO', 'conv-3', 'two')}\tat a.B\n${h('conv-2', 'after')}`;
  expect(suspects(text)).toEqual(['one', 'two\n\tat a.B']);
  expect(recordsOf(text)[1]!.enclosing).toEqual({ conversation: 'conv-1' });
});

test('RUN-19: a suspect ends to be one 64 KiB after the class line', () => {
  const with64KiB = (filler: number): string =>
    `${h('conv-1', 'boom')}a.BException: x\n${'é'.repeat((filler - 2) / 2)} \n${h('conv-2', 'late')}`;
  expect(suspects(with64KiB(65_536))).toEqual(['late']);
  expect(suspects(with64KiB(65_538))).toEqual([]);
});

test('RUN-19: a class line in a suspect does not make the rest of the file suspect', () => {
  const chain = Array.from({ length: 2000 }, (_, n) => `${h('conv-2', `r${n}`)}a.BException: x\n`).join('');
  const records = recordsOf(`${h('conv-1', 'boom')}a.BException: x\n${chain}`);
  const hidden = records.length - visible(records, R(3, 'conv-2')).length;
  expect(hidden).toBeGreaterThan(500);
  expect(hidden).toBeLessThan(1200);
});

test('RUN-19: a message that the trace repeats after Caused by: forges nothing either', () => {
  const forged = h('conv-2', 'forged');
  const text = `${h('conv-1', 'boom')}a.BException: x\n${forged}\tat a.B\nCaused by: a.CException: x\n${forged}\tat a.C\n${h('conv-2', 'real')}`;
  expect(visible(recordsOf(text), R(3, 'conv-2'))).toEqual(['real']);
  expect(recordsOf(text)[2]!.enclosing).toEqual({ conversation: 'conv-1' });
});

test('RUN-20: a suspect stays a record of its own with the lines that continue it', () => {
  const records = recordsOf(`${h('conv-1', 'boom')}a.BException: x\n${h('conv-2', 'forged')}  more\n\tat a.B\n`);
  expect(records.map(({ text }) => text)).toEqual(['boom\na.BException: x', 'forged\nmore\n\tat a.B']);
});

test('RUN-21: a suspect is evidence only for who may see both conversations', () => {
  const trace = (around: string, inside: string): string => `${around}a.BException: x\n${inside}\tat a.B\n`;
  const sees = (text: string, conversation: string): boolean =>
    visible(recordsOf(text), R(3, conversation)).some((found) => found.startsWith('inner'));
  expect(sees(trace(h('conv-1', 'o'), h('conv-1', 'inner')), 'conv-1')).toBe(true);
  expect(sees(trace(h('-', 'o'), h('conv-1', 'inner')), 'conv-1')).toBe(true);
  expect(sees(trace(h('conv-1', 'o'), h('-', 'inner')), 'conv-1')).toBe(true);
  expect(sees(trace(h('conv-1', 'o'), h('-', 'inner')), 'conv-2')).toBe(false);
  expect(sees(trace(h('conv-1', 'o'), h('conv-2', 'inner')), 'conv-1')).toBe(false);
  expect(sees(trace(old('o'), h('conv-1', 'inner')), 'conv-1')).toBe(false);
  expect(sees(trace('orphan\n', h('conv-1', 'inner')), 'conv-1')).toBe(false);
  expect(sees(trace(`${TIME} [r] [conv-1] Bob x\n`, h('conv-1', 'inner')), 'conv-1')).toBe(false);
});

test('RUN-21: in another episode a suspect is judged as any record, but one of an unknown writer is nobody’s', () => {
  const inner = `a.BException: x\n${h('conv-2', 'inner')}`;
  expect(visible(recordsOf(h('conv-1', 'o') + inner), R(4, 'conv-1'))).toContain('inner');
  expect(visible(recordsOf(`${TIME} [r] [conv-1] Bob x\n${inner}`), R(4, 'conv-1'))).not.toContain('inner');
});
