// Real logs of other programs, none in our format: the parser takes whatever comes. Skipped, with a reason, without them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AgentRecordFormat } from '../../../src/runs/format.ts';
import { RecordParser } from '../../../src/runs/parser.ts';
import { linesOf, R, recordsOf, TIME, visible } from './steps.ts';

const DATA = process.env.BACKSTORY_TEST_DATA ?? join(process.cwd(), '..', 'shared', 'data');
const logs = join(DATA, 'logs');
const there = existsSync(logs);
if (!there) console.log(`Skipped: there are no sample logs at ${logs}; BACKSTORY_TEST_DATA names their folder.`);

const MOST_CHARS = 300_000;
const files = there
  ? readdirSync(logs, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  : [];
const texts = files.map((file) => readFileSync(file, 'utf8').slice(0, MOST_CHARS));

test.skipIf(!there)('RUN-17: real logs are read without an error and without losing a line', () => {
  for (const [index, text] of texts.entries()) {
    const lines = linesOf(text);
    const records = recordsOf(text);
    const kept = records.map((record) => record.text.split('\n').length).reduce((sum, count) => sum + count, 0);
    const isNobodys = records.every(({ kind }) => kind !== 'record');
    expect([files[index], isNobodys]).toEqual([files[index], true]);
    if (records.every(({ kind }) => kind === 'orphan') && records.length > 0) expect(kept).toBe(lines.length);
  }
});

test.skipIf(!there)('RUN-8: real text, traces and escape codes too, comes back through a record as it was', () => {
  for (const text of texts) {
    const record = AgentRecordFormat.logLine({
      time: TIME,
      agent: 'Alice',
      level: 'INFO',
      message: text,
      conversation: 'c',
    });
    const next = AgentRecordFormat.historyLine({ time: TIME, agent: 'Alice', message: 'next', conversation: 'd' });
    const records = recordsOf(record + next);
    expect(records.map(({ header }) => header?.conversation)).toEqual(['c', 'd']);
    expect(records[0]!.text).toBe(text.replace(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, '\n'));
    expect(visible(records, R(3, 'd'))).toEqual(['next']);
  }
});

test.skipIf(!there)('RUN-13: real text read in parts is the same text', () => {
  for (const text of texts) {
    const lines = linesOf(text);
    const parser = new RecordParser('Alice');
    let parts = '';
    for (const [index, line] of lines.entries()) {
      for (const record of parser.push(line, index + 1)) parts += record.text;
      if (index % 7 === 0) parts += parser.drain()!.text;
    }
    parts += parser.end()?.text ?? '';
    expect(parts).toBe(
      recordsOf(text)
        .map((record) => record.text)
        .join(''),
    );
  }
});
