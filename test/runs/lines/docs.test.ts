// The page of line formats says what the code does (RUN-78, RUN-79).
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AgentRecordFormat } from '../../../src/runs/format.ts';
import { RecordParser } from '../../../src/runs/parser.ts';
import { LEVELS } from '../../../src/runs/record.ts';
import { recordsOf } from './steps.ts';

const page = readFileSync('docs/run-lines.md', 'utf8');
const section = (title: string): string => page.split(/\n#{2,3} /).find((part) => part.startsWith(title)) ?? '';

test('RUN-78: the migration section shows lines before and after, and both are read by parseLine', () => {
  const migration = section('Migration');
  const [before, after] = ['before', 'after'].map((word) => new RegExp(`^${word} +(.+)$`, 'm').exec(migration)![1]!);
  expect(RecordParser.parseLine(before!, 'Alice')).not.toHaveProperty('conversation');
  expect(RecordParser.parseLine(after!, 'Alice')).toMatchObject({ conversation: 'conv-1' });
  expect(migration).toContain('RecordParser.parseLine(line, agent)');
  expect(migration).toMatch(/tail view, has to skip the conversation field/);
  expect(migration).toMatch(
    /wholly in the old form has its other episodes searched and its current episode's records not/,
  );
});

test('RUN-21, RUN-79: the limit of 64 KiB is stated', () => {
  expect(section('Stack traces')).toMatch(/more than 64 KiB between class line and frames/);
});

test('RUN-38: the first paragraph on scope says which host uses which', () => {
  const [, first] = section('Who may see').split('\n\n');
  expect(first).toMatch(/`RunScope.RUN`, the default.*one user.*several users sets `RunScope.EPISODE`/s);
});

test('RUN-11: the logback pattern on the page is the one that is exported', () => {
  expect(page).toContain(`<pattern>${AgentRecordFormat.logbackLogPattern('Alice')}</pattern>`);
});

test('RUN-2: the sample records are read as the page says', () => {
  const samples = [...section('One record').matchAll(/```\n([\s\S]+?)```/g)].map((match) => recordsOf(match[1]!));
  expect(samples.map((records) => records.map(({ kind }) => kind))).toEqual([['record', 'record'], ['record']]);
  expect(samples[1]![0]!.text).toBe('fetch failed\nError: no route\n    at connect (net.js:7:1)');
  for (const level of LEVELS) expect(page).toContain(`\`${level}\``);
});
