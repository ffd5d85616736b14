// RUN-37 row by row, and what must hold for every row.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evidenceFor, type Placed, type Verdict } from '../../../src/runs/evidence.ts';
import type { RawRecord } from '../../../src/runs/record.ts';
import { RunScope } from '../../../src/runs/scope.ts';
import { R } from './steps.ts';

type Shown = NonNullable<Placed['record']>;
const header = { time: '2026-10-21T18:00:00', state: 'running' };
const of = (conversation?: string): Shown => ({
  kind: 'record',
  header: conversation === undefined ? header : { ...header, conversation },
});
const orphan: Shown = { kind: 'orphan' };
const at = (level: 'DEBUG' | 'TRACE' | 'INFO'): Shown => ({
  kind: 'record',
  header: { ...header, level, conversation: 'conv-1' },
});
const suspect = (own: string, around: string): Shown => ({ ...of(own), enclosing: { conversation: around } });
const both = R(3, 'conv-1');

// what, episode, record (undefined: a line of an other file), RUN with both, EPISODE with both
const table: [string, number | undefined, Shown | undefined, Verdict, Verdict][] = [
  ['another episode, the same conversation', 1, of('conv-1'), 'yes', 'no'],
  ['another episode, another conversation', 1, of('conv-2'), 'yes', 'no'],
  ['another episode, the old form', 1, of(), 'yes', 'no'],
  ['another episode, an orphan', 1, orphan, 'yes', 'no'],
  ['current episode, its conversation', 3, of('conv-1'), 'yes', 'yes'],
  ['current episode, none', 3, of('-'), 'yes', 'yes'],
  ['current episode, another conversation', 3, of('conv-2'), 'no', 'no'],
  ['current episode, the old form', 3, of(), 'no_conversation_field', 'no_conversation_field'],
  ['current episode, an orphan', 3, orphan, 'no_conversation_field', 'no_conversation_field'],
  ['episode unknown, its conversation', undefined, of('conv-1'), 'yes', 'no'],
  ['episode unknown, none', undefined, of('-'), 'yes', 'no'],
  ['episode unknown, another conversation', undefined, of('conv-2'), 'no', 'no'],
  ['episode unknown, the old form', undefined, of(), 'no_conversation_field', 'no'],
  ['other file, current episode', 3, undefined, 'yes', 'yes'],
  ['other file, another episode', 1, undefined, 'yes', 'no'],
  ['other file, episode unknown', undefined, undefined, 'yes', 'no'],
  ['suspect, both pass', 3, suspect('conv-1', '-'), 'yes', 'yes'],
  ['suspect, the enclosing does not', 3, suspect('conv-1', 'conv-2'), 'no', 'no'],
  ['suspect, its own does not', 3, suspect('conv-2', 'conv-1'), 'no', 'no'],
  ['DEBUG', 3, at('DEBUG'), 'no', 'no'],
  ['TRACE', 1, at('TRACE'), 'no', 'no'],
  ['INFO', 3, at('INFO'), 'yes', 'yes'],
  ['unknown writer', 3, { kind: 'unknown_writer' }, 'no', 'no'],
  ['unknown writer in another episode', 1, { kind: 'unknown_writer' }, 'no', 'no'],
];

function placed(episode: number | undefined, record: Shown | undefined): Placed {
  return {
    file: record === undefined ? 'other' : 'record',
    ...(episode === undefined ? {} : { episode }),
    ...(record === undefined ? {} : { record }),
  };
}

test.each(table)('RUN-37: %s', (_what, episode, record, run, inEpisode) => {
  expect(evidenceFor(placed(episode, record), RunScope.RUN, both)).toBe(run);
  expect(evidenceFor(placed(episode, record), RunScope.EPISODE, both)).toBe(inEpisode);
});

test.each(table)('RUN-37: %s, for a request that lacks one or both', (_what, episode, record) => {
  for (const turn of [R(3, undefined), R(undefined, 'conv-1'), R(undefined, undefined), R(3, '-'), R(3, '')]) {
    const isOther = record === undefined;
    expect(evidenceFor(placed(episode, record), RunScope.RUN, turn)).toBe(isOther ? 'yes' : 'no');
    const inCurrent = isOther && turn.episode === 3 && episode === 3;
    expect(evidenceFor(placed(episode, record), RunScope.EPISODE, turn)).toBe(inCurrent ? 'yes' : 'no');
  }
});

const record = fc.record(
  {
    kind: fc.constantFrom<RawRecord['kind']>('record', 'orphan', 'unknown_writer'),
    header: fc.record(
      {
        time: fc.constant(header.time),
        state: fc.constant('-'),
        level: fc.constantFrom('DEBUG', 'INFO'),
        conversation: fc.constantFrom('-', 'conv-1', 'conv-2'),
      },
      { requiredKeys: ['time', 'state'] },
    ),
    enclosing: fc.record({ conversation: fc.constantFrom('-', 'conv-1', 'conv-2') }, { requiredKeys: [] }),
  },
  { requiredKeys: ['kind'] },
) as fc.Arbitrary<Shown>;

test('RUN-38: what RunScope.EPISODE finds, RunScope.RUN, the default, finds too', () => {
  expect(RunScope).toEqual({ RUN: 'run', EPISODE: 'episode' });
  const episodes = fc.option(fc.constantFrom(1, 3), { nil: undefined });
  const conversations = fc.constantFrom(undefined, '', '-', 'conv-1', 'conv-2');
  fc.assert(
    fc.property(
      episodes,
      fc.option(record, { nil: undefined }),
      episodes,
      conversations,
      (lies, shown, episode, conv) => {
        const turn = R(episode, conv);
        const inEpisode = evidenceFor(placed(lies, shown), RunScope.EPISODE, turn);
        if (inEpisode === 'yes') expect(evidenceFor(placed(lies, shown), RunScope.RUN, turn)).toBe('yes');
        // Whatever the record: in the current episode nobody sees another conversation, and episode scope sees no other one.
        if (inEpisode === 'yes') expect([episode, lies === episode]).toEqual([episode, episode !== undefined]);
        const isOthers = shown?.header?.conversation === (conv === 'conv-1' ? 'conv-2' : 'conv-1');
        if (isOthers && shown.kind === 'record' && lies === episode) {
          expect(evidenceFor(placed(lies, shown), RunScope.RUN, turn)).not.toBe('yes');
        }
      },
    ),
  );
});

test('RUN-41: what a message says of an episode changes nothing', () => {
  expect(evidenceFor(placed(3, of('conv-2')), RunScope.RUN, both)).toBe('no');
  // The function is never given the text.
  expect(Object.keys(placed(3, of('conv-2')).record!)).not.toContain('text');
});
