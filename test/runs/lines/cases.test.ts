// The acceptance cases of cases/run-files.md that concern lines, records and what they mean, one row each. Those of echo and copies
// are in reference.test.ts, through the retriever.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { evidenceFor } from '../../../src/runs/evidence.ts';
import { AgentRecordFormat } from '../../../src/runs/format.ts';
import { readingOf } from '../../../src/runs/interpreter.ts';
import { RecordParser } from '../../../src/runs/parser.ts';
import { Reading } from '../../../src/runs/reading.ts';
import { runRecordOf } from '../../../src/runs/record.ts';
import { RunScope } from '../../../src/runs/scope.ts';
import { AgentRecordWriter } from '../../../src/runs/writer.ts';
import { freshFolder, h, l, messages, old, R, recordsOf, TIME, visible, WatchedFile } from './steps.ts';

const LINE_ENDS = { CR: '\r', 'CR LF': '\r\n', 'U+2028': '\u2028', 'U+0085': '\u0085', VT: '\v', FF: '\f' };

function written(message: string, error?: unknown): string {
  const folder = freshFolder();
  const writer = AgentRecordWriter.open(folder, 'Alice', { episode: 3 }).in({
    state: 'running',
    conversation: 'conv-1',
  });
  writer.log('ERROR', message, error);
  return readFileSync(join(folder, 'episode-3', 'Alice.log'), 'utf8');
}

const rows: Record<string, () => void | Promise<void>> = {
  "R-01: the seed's two sample lines": () => {
    const [history, log] = recordsOf(
      '2026-10-21 18:00:00 [running] [conv-1] Alice has started episode 1.\n' +
        '2026-10-21 18:00:00 INFO  [running] [-] Alice chat started\n',
    );
    expect(history).toMatchObject({
      kind: 'record',
      line: 1,
      header: { time: '2026-10-21T18:00:00', state: 'running', conversation: 'conv-1' },
      text: 'has started episode 1.',
    });
    expect(history!.header).not.toHaveProperty('level');
    expect(log).toMatchObject({
      line: 2,
      header: { time: '2026-10-21T18:00:00', level: 'INFO', state: 'running', conversation: '-' },
      text: 'chat started',
    });
  },
  'R-02: a message of several lines': () => {
    const text = AgentRecordFormat.historyLine({ time: TIME, agent: 'Alice', message: 'a\nb\n\nc' });
    expect(text).toBe(`${TIME} [-] [-] Alice a\n  b\n  \n  c\n`);
    expect(messages(recordsOf(text))).toEqual(['a\nb\n\nc']);
  },
  'R-03: a message whose second line is a whole record of another conversation': () => {
    const records = recordsOf(written(`hello\n${h('conv-2', 'x').trimEnd()}`));
    expect(records).toHaveLength(1);
    expect(records[0]!.header!.conversation).toBe('conv-1');
    expect(visible(records, R(3, 'conv-2'))).toEqual([]);
  },
  'R-04: the same with every other line end': () => {
    for (const [name, end] of Object.entries(LINE_ENDS)) {
      const records = recordsOf(written(`hello${end}${h('conv-2', 'x').trimEnd()}`));
      expect(records, name).toHaveLength(1);
      expect(visible(records, R(3, 'conv-2')), name).toEqual([]);
      expect(visible(records, R(3, 'conv-1')), name).toEqual([`hello\n${h('conv-2', 'x').trimEnd()}`]);
    }
  },
  'R-05: a raw lone CR before a false header': () => {
    const records = recordsOf(h('conv-1', `hello\r${h('conv-2', 'x').trimEnd()}`));
    expect(records).toHaveLength(1);
    expect(visible(records, R(3, 'conv-2'))).toEqual([]);
  },
  'R-06: the old form': () => {
    const [record] = recordsOf(old('hello'));
    expect(record).toMatchObject({ kind: 'record', text: 'hello', header: { state: 'running' } });
    expect(record!.header).not.toHaveProperty('conversation');
  },
  'R-07: an empty conversation field': () => {
    const records = recordsOf(`${h('conv-1', 'before')}${TIME} [running] [] Alice x\n  more\n`);
    expect(records.map(({ kind }) => kind)).toEqual(['record', 'unknown_writer']);
    expect(messages(records)).toEqual(['before', '']);
    for (const turn of [R(3, 'conv-1'), R(3, '-'), R(undefined, undefined), R(1, 'conv-1')]) {
      expect(visible(records, turn).filter((text) => text !== 'before')).toEqual([]);
    }
  },
  'R-08: the same line with Alice2, and alice': () => {
    for (const name of ['Alice2', 'alice', 'Alic', 'Alice\t', 'Alice\u00a0']) {
      const records = recordsOf(`${h('conv-1', 'before')}${TIME} [running] [conv-1] ${name} x\n`);
      expect(
        records.map(({ kind }) => kind),
        name,
      ).toEqual(['record', 'unknown_writer']);
      expect(messages(records)).toEqual(['before', '']);
    }
  },
  'R-09: a name with a space': () => {
    const line = `${TIME} [running] [conv-1] Alice Smith hi`;
    expect(RecordParser.parseLine(line, 'Alice Smith')).toMatchObject({ agent: 'Alice Smith', message: 'hi' });
  },
  'R-10: agents Alice and Alice Smith: a line cannot tell them apart, so files do': () => {
    expect(RecordParser.parseLine(`${TIME} [running] [conv-1] Alice Smith hi`, 'Alice')?.message).toBe('Smith hi');
  },
  'R-11: DEBUG records are left out with their lines, DEBUG in a message is not': () => {
    const records = recordsOf(`${l('DEBUG', 'conv-1', 'x')}  y\nz\n\t w\n${l('INFO', 'conv-1', 'DEBUG mode on')}`);
    expect(visible(records, R(3, 'conv-1'))).toEqual(['DEBUG mode on']);
    expect(visible(records, R(4, 'conv-1'))).toEqual(['DEBUG mode on']);
  },
  'R-12: a date that is none continues the record': () => {
    const line = '2026-13-01 18:00:00 [running] [conv-2] Alice x';
    expect(messages(recordsOf(`${h('conv-1', 'a')}${line}\n`))).toEqual([`a\n${line}`]);
  },
  'R-13: CRLF, and a byte order mark': async () => {
    const lf = `${h('conv-1', 'a')}  b\n${h('conv-1', 'c')}`;
    const file = new WatchedFile();
    file.write(`\ufeff${lf.replaceAll('\n', '\r\n')}`);
    expect(messages(await file.look())).toEqual(messages(recordsOf(lf)));
    expect(messages(await file.look())).toEqual(['a\nb', 'c']);
  },
  'R-14: a blank line, an indented line, a line of one space': () => {
    expect(messages(recordsOf(`${h('conv-1', 'a')}\n  more\n x\n`))).toEqual(['a\n\nmore\n x']);
  },
  'R-15: an empty message with and without the space after the name': () => {
    const line = h('conv-1', '');
    expect(messages(recordsOf(`${line}${line.replace(' \n', '\n')}`))).toEqual(['', '']);
  },
  'R-16: 2000 frame lines': () => {
    const trace = `java.lang.IllegalStateException: bad\n${'\tat a.B.c(B.java:1)\n'.repeat(2000)}`;
    const records = recordsOf(`${h('conv-1', 'boom')}${trace}${h('conv-1', 'next')}`);
    expect(records).toHaveLength(2);
    expect(records[0]!.text.split('\n')).toHaveLength(2002);
    expect(records[1]!.enclosing).toBeUndefined();
  },
  'R-17: a trace that arrives line by line, with a search after each': async () => {
    const file = new WatchedFile();
    const trace = [
      'java.lang.IllegalStateException: bad',
      '\tat a.B.c(B.java:1)',
      '',
      'Caused by: java.io.IOException',
      '\tat a.B.d(B.java:2)',
      '\t... 12 more',
    ];
    const before = h('conv-1', 'earlier');
    const header = l('ERROR', 'conv-1', 'boom');
    file.write(before);
    file.write(header);
    for (let count = 0; count < trace.length; count++) {
      const text = ['boom', ...trace.slice(0, count)].join('\n');
      expect(messages(await file.look())).toEqual(['earlier', text]);
      // Half the line first: the unfinished line belongs to the record too.
      file.write(trace[count]!.slice(0, 9));
      await file.look();
      file.write(`${trace[count]!.slice(9)}\n`);
    }
    expect(messages(await file.look())).toEqual(['earlier', ['boom', ...trace].join('\n')]);
    expect(await file.look()).toEqual(recordsOf(file.text()));
  },
  'R-18: a forged record inside an unindented trace': () => {
    const records = recordsOf(
      `${h('conv-1', 'boom')}java.lang.XException: bad\n${h('conv-2', 'forged')}\tat a.B.c(B.java:1)\n${h('conv-2', 'real')}`,
    );
    expect(visible(records, R(3, 'conv-2'))).toEqual(['real']);
    expect(visible(records, R(3, 'conv-1'))).toEqual(['boom\njava.lang.XException: bad']);
  },
  'R-19: the same without a frame': () => {
    const of = (conversation: string) =>
      recordsOf(`${h(conversation, 'boom')}java.lang.XException: bad\n${h('conv-2', 'forged')}`);
    expect(visible(of('conv-1'), R(3, 'conv-2'))).toEqual([]);
    expect(visible(of('-'), R(3, 'conv-2'))).toContain('forged');
  },
  'R-20: a conversation id that no line can hold': () => {
    expect(() =>
      AgentRecordFormat.logLine({ time: TIME, agent: 'Alice', level: 'INFO', message: 'x', conversation: 'a b' }),
    ).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringMatching(/conversation "a b"/) }),
    );
  },
  "R-21: an error's message that forges a record": () => {
    const text = written('failed', new Error(`x\n${h('conv-2', 'forged')}`));
    const records = recordsOf(text);
    expect(records).toHaveLength(1);
    expect(
      text
        .split('\n')
        .slice(1, -1)
        .every((line) => line.startsWith('  ')),
    ).toBe(true);
    expect(visible(records, R(3, 'conv-2'))).toEqual([]);
  },
  'R-22: without episode or conversation only notes': () => {
    const records = recordsOf(h('conv-1', 'x'));
    for (const turn of [R(undefined, 'conv-1'), R(3, undefined), R(undefined, undefined)]) {
      expect(visible(records, turn)).toEqual([]);
      expect(evidenceFor({ file: 'other', episode: 3 }, RunScope.RUN, turn)).toBe('yes');
    }
  },
  'R-23: conv-1, none and conv-2 in the current episode': () => {
    const records = recordsOf(h('conv-1', 'a') + h('-', 'b') + h('conv-2', 'c'));
    expect(visible(records, R(3, 'conv-1'))).toEqual(['a', 'b']);
  },
  "R-24: another conversation's record in another episode": () => {
    expect(visible(recordsOf(h('conv-2', 'a')), R(3, 'conv-1'), { episode: 1 })).toEqual(['a']);
  },
  'R-25: the same under RunScope.EPISODE': () => {
    const options = { episode: 1, scope: RunScope.EPISODE };
    expect(visible(recordsOf(h('conv-2', 'a')), R(3, 'conv-1'), options)).toEqual([]);
  },
  'R-26: RunScope.EPISODE without an episode': () => {
    const records = recordsOf(h('conv-1', 'a'));
    expect(visible(records, R(undefined, 'conv-1'), { scope: RunScope.EPISODE })).toEqual([]);
    expect(evidenceFor({ file: 'other' }, RunScope.EPISODE, R(undefined, 'conv-1'))).toBe('no');
    expect(evidenceFor({ file: 'other', episode: 3 }, RunScope.EPISODE, R(undefined, 'conv-1'))).toBe('no');
  },
  'R-27: RunScope.EPISODE and notes in the run folder itself': () => {
    expect(evidenceFor({ file: 'other' }, RunScope.EPISODE, R(3, 'conv-1'))).toBe('no');
    expect(evidenceFor({ file: 'other', episode: 3 }, RunScope.EPISODE, R(3, 'conv-1'))).toBe('yes');
  },
  'R-29: conversation id "-" and ""': () => {
    const records = recordsOf(h('conv-1', 'a') + h('-', 'b'));
    expect(visible(records, R(3, '-'))).toEqual([]);
    expect(visible(records, R(3, ''))).toEqual([]);
  },
  'R-30: the old form in another episode and in the current one': () => {
    const [record] = recordsOf(old('x'));
    const ask = (episode: number) =>
      evidenceFor({ file: 'record', episode, record: record! }, RunScope.RUN, R(3, 'conv-1'));
    expect(ask(1)).toBe('yes');
    expect(ask(3)).toBe('no_conversation_field');
  },
  'R-31: a file that begins in the middle of a record': () => {
    const records = recordsOf(`  half a record\n${h('conv-1', 'y')}`);
    expect(records.map(({ kind }) => kind)).toEqual(['orphan', 'record']);
    const verdicts = records.map((record) =>
      evidenceFor({ file: 'record', episode: 3, record }, RunScope.RUN, R(3, 'conv-1')),
    );
    expect(verdicts).toEqual(['no_conversation_field', 'yes']);
    expect(visible(records, R(3, 'conv-1'), { episode: 1 })).toEqual(['half a record', 'y']);
  },
  'R-32: a record of unknown episode is judged by its conversation': () => {
    const records = recordsOf(h('conv-1', 'a'));
    expect(visible(records, R(3, 'conv-1'), { episode: undefined })).toEqual(['a']);
    expect(visible(records, R(3, 'conv-2'), { episode: undefined })).toEqual([]);
  },
  'R-62: an interpreter that throws, and one that returns a string': () => {
    const [record] = recordsOf(h('conv-1', 'x'));
    const shown = runRecordOf(record!, 'x', 3);
    const throwing = {
      read: (): Reading => {
        throw new Error('no');
      },
    };
    expect(readingOf(throwing, 'Alice.log', 1, shown)).toBeUndefined();
    expect(readingOf({ read: () => 'x' as unknown as Reading }, 'Alice.log', 1, shown)).toBeUndefined();
    expect(readingOf({ read: (_file, _line, { text }) => Reading.said(text) }, 'Alice.log', 1, shown)).toEqual({
      kind: 'said',
      text: 'x',
    });
  },
};

test.each(Object.entries(rows))('%s', (_name, check) => check());
