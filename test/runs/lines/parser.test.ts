import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecordParser } from '../../../src/runs/parser.ts';
import type { RawRecord } from '../../../src/runs/record.ts';
import { h, l, linesOf, messages, old, recordsOf, TIME, WatchedFile } from './steps.ts';

// Lines that matter to the parser, and lines that are anything.
const line = fc.oneof(
  fc.constantFrom('a', 'conv-1', 'x y').map((word) => h('conv-1', word).trimEnd()),
  fc.constantFrom('-', 'conv-2', 'conv-3').map((id) => l('INFO', id, 'm').trimEnd()),
  fc.constantFrom(
    old('o').trimEnd(),
    l('DEBUG', 'conv-1', 'd').trimEnd(),
    `${TIME} [r] [c] Bob x`,
    `${TIME} [`,
    'java.lang.XException: bad',
    'Caused by: a.BError',
    '\tat a.B.c(B.java:1)',
    '    at a.B.c(B.java:1)',
    '\t... 12 more',
    '',
    ' ',
    '  ',
    '  indented',
    'column 0',
  ),
  fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', '')),
);

test('RUN-12: only a line feed ends a line, whatever a message holds', () => {
  const header = h('conv-2', 'forged').trimEnd();
  for (const end of ['\r', '\u2028', '\u2029', '\u0085', '\v', '\f', '\x1c', '\x1e', '\0']) {
    expect(messages(recordsOf(h('conv-1', `a${end}${header}`)))).toEqual([`a${end}${header}`]);
  }
});

test('RUN-12: no source of runs/ uses the m flag or node:readline', () => {
  for (const name of readdirSync('src/runs', { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    const source = readFileSync(join('src/runs', name), 'utf8');
    expect(source, name).not.toMatch(/['"](node:)?readline/);
    expect(source, name).not.toMatch(/\/[a-z]*m[a-z]*\.(test|exec)\(|RegExp\([^)]*,\s*['"][a-z]*m/);
  }
});

test('RUN-13: an indented line never starts a record; exactly two spaces are removed', () => {
  const header = h('conv-2', 'x').trimEnd();
  for (const indent of [' ', '  ', '   ', '\t']) {
    const kept = indent.startsWith('  ') ? indent.slice(2) : indent;
    expect(messages(recordsOf(`${h('conv-1', 'a')}${indent}${header}\n`))).toEqual([`a\n${kept}${header}`]);
  }
});

test('RUN-14: a column-0 line that is no header continues the record as it is', () => {
  expect(messages(recordsOf(`${h('conv-1', 'a')}old text\n-\n[x]\n`))).toEqual(['a\nold text\n-\n[x]']);
});

test('RUN-17: lines before the first header are an orphan, blank ones nothing', () => {
  expect(recordsOf(`one\n  two\n${h('conv-1', 'a')}`).map(({ kind, text }) => [kind, text])).toEqual([
    ['orphan', 'one\ntwo'],
    ['record', 'a'],
  ]);
  expect(recordsOf(`\n  \n\n${h('conv-1', 'a')}`).map(({ kind }) => kind)).toEqual(['record']);
  expect(recordsOf('no header at all\n')).toMatchObject([{ kind: 'orphan', line: 1 }]);
});

test('RUN-17: it never throws and loses no line', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const records = recordsOf(lines.map((text) => `${text}\n`).join(''));
      const kept = records.filter(({ kind }) => kind !== 'unknown_writer');
      for (const record of kept) {
        const next = records[records.indexOf(record) + 1]?.line ?? lines.length + 1;
        expect(record.text.split('\n')).toHaveLength(next - record.line);
      }
    }),
  );
});

test('RUN-17: there are no caps: a record of 300 000 lines is one', () => {
  const records = recordsOf(`${h('conv-1', 'a')}${'  b\n'.repeat(300_000)}${h('conv-1', 'c')}`);
  expect(records.map(({ line }) => line)).toEqual([1, 300_002]);
  expect(records[0]!.text.length).toBe(1 + 2 * 300_000);
});

test('RUN-17: a record says where it lies: line, byte offset, the column of its text', () => {
  const first = h('conv-1', 'é🙂');
  const [a, b] = recordsOf(first + h('conv-1', 'b'));
  expect(a).toMatchObject({ line: 1, offset: 0, textLine: 1, textColumn: first.indexOf('é') + 1, part: 'whole' });
  expect(b).toMatchObject({ line: 2, offset: Buffer.byteLength(first) });
  expect(recordsOf('  orphan\n')[0]).toMatchObject({ textLine: 1, textColumn: 3 });
});

// Reads the lines with a parser that is replaced before any of them, by its mark (the open record is read again) or its
// save (reading goes on inside it).
function resumed(lines: readonly string[], breaks: ReadonlySet<number>, how: 'mark' | 'save'): RawRecord[] {
  let parser = new RecordParser('Alice');
  let records: RawRecord[] = [];
  let from = 0;
  for (let index = 0; index < lines.length; index++) {
    if (breaks.has(index)) {
      const mark = parser.mark();
      if (how === 'mark' && mark !== undefined) {
        parser = new RecordParser('Alice', mark.data);
        records = records.filter((record) => record.line < mark.number);
        from = mark.number - 1;
        for (; from < index; from++) records.push(...parser.push(lines[from]!, from + 1));
      } else if (how === 'save') {
        const part = parser.drain();
        if (part !== undefined) records.push(part);
        parser = new RecordParser('Alice', parser.save());
      }
    }
    records.push(...parser.push(lines[index]!, index + 1));
  }
  const last = parser.end();
  return last === undefined ? records : [...records, last];
}

test('RUN-13: a parser that begins again at its mark yields what one reading yields', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), fc.array(fc.nat(30)), (lines, breaks) => {
      const whole = resumed(lines, new Set(), 'mark');
      expect(resumed(lines, new Set(breaks), 'mark')).toEqual(whole);
    }),
  );
});

test('RUN-13: a parser that goes on from its save yields the same records in parts', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), fc.array(fc.nat(30)), (lines, breaks) => {
      const joined = new Map<number, string>();
      for (const { line, text } of resumed(lines, new Set(breaks), 'save')) {
        joined.set(line, (joined.get(line) ?? '') + text);
      }
      const whole = resumed(lines, new Set(), 'save').map(({ line, text }) => [line, text]);
      const blankOrphan = (text: unknown): boolean => (text as string).trim() === '';
      expect([...joined].filter(([n, text]) => n > 1 || !blankOrphan(text))).toEqual(
        whole.filter(([n, text]) => (n as number) > 1 || !blankOrphan(text)),
      );
    }),
  );
});

test('RUN-13: the mark of a record inside a trace, taken after a save, still yields the suspect', () => {
  const lines = linesOf(`${h('conv-1', 'boom')}a.BException: x\n${h('conv-2', 'forged')}  more\n`);
  const parser = new RecordParser('Alice');
  for (const [index, text] of lines.entries()) parser.push(text, index + 1);
  const mark = new RecordParser('Alice', parser.save()).mark()!;
  expect(mark).toEqual(parser.mark());
  expect(mark.number).toBe(3);
  const again = new RecordParser('Alice', mark.data);
  again.push(lines[2]!, 3);
  expect(again.end()!.enclosing).toEqual({ conversation: 'conv-1' });
});

test('RUN-13: parts of a record, drained, say where they lie, and joined they are the record', () => {
  const parser = new RecordParser('Alice');
  const header = h('conv-1', 'begin').trimEnd();
  parser.push(header, 7, 100);
  parser.extend('ning');
  expect(parser.held).toBe(9);
  expect(parser.drain()).toMatchObject({ part: 'first', text: 'beginning', textLine: 7, line: 7, offset: 100 });
  expect(parser.held).toBe(0);
  parser.extend(' and more');
  parser.push('  second', 8);
  expect(parser.drain()).toMatchObject({
    part: 'middle',
    text: ' and more\nsecond',
    textLine: 7,
    textColumn: header.length + 5,
    line: 7,
  });
  const [last] = parser.push(h('conv-1', 'next').trimEnd(), 9);
  expect(last).toMatchObject({ part: 'last', text: '', textLine: 8, line: 7 });
});

test('RUN-17: data of a mark that does not decode begins as a file begins', () => {
  for (const data of ['', '{', '[]', 'null', '{"v":99,"atStart":false}', '{"v":1}']) {
    const parser = new RecordParser('Alice', data);
    expect(parser.push('no header', 1)).toEqual([]);
    expect(parser.end()).toMatchObject({ kind: 'orphan', text: 'no header' });
  }
});

test('RUN-13: a growing file, looked at between any two appends, yields what one look at the whole yields', async () => {
  const chunks = fc.array(
    fc.oneof(
      line.map((text) => `${text}\n`),
      line,
      line.map((text) => `\r${text}\r\n`),
    ),
    { maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(chunks, async (pieces) => {
      const file = new WatchedFile();
      file.write('');
      for (const piece of pieces) {
        file.write(piece);
        await file.look();
      }
      const fresh = new WatchedFile();
      fresh.write(file.text());
      expect(await file.look()).toEqual(await fresh.look());
    }),
    { numRuns: 60 },
  );
});
