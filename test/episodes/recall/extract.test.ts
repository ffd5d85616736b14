import { describe, expect, test } from 'vitest';
import { type Extracted, insightsOf, outcomesOf, summaryOf, toolsOf } from '../../../src/episodes/extract.ts';

const WEEK = { since: Date.parse('2026-08-03T00:00:00.000Z'), until: Date.parse('2026-08-10T00:00:00.000Z') };
let minute = 0;
const run = (input: string, more: Record<string, string | readonly string[]> = {}): Extracted => {
  const at = new Date(WEEK.since + ++minute * 60_000).toISOString();
  return {
    kind: 'episodic',
    source: { type: 'run', id: 'r' },
    content: `run: ${input}`,
    data: { input, outcome: 'ok', toolsUsed: [], ...more },
    createdAt: at,
    effectiveAt: at,
  };
};
const failed = (input: string, message: string): Extracted =>
  run(input, { outcome: 'error', errorClass: 'TimeoutError', errorMessage: message, toolsUsed: ['deploy'] });
const event = (content: string): Extracted => ({
  ...run(''),
  source: { type: 'tool', id: 'remember' },
  content,
  data: {},
});

describe('extractive summaries', () => {
  test('EPI-146: counts, tools, inputs and errors, by count, then first seen', () => {
    const records = [
      run('build', { toolsUsed: ['make', 'readFile'] }),
      failed('deploy api', 'no answer'),
      failed('deploy api', 'no answer'),
      run('stop', { outcome: 'cancelled' }),
      run('deploy api', { toolsUsed: ['deploy'] }),
    ];
    expect(summaryOf(records, WEEK, 'UTC')).toBe(
      '5 runs 2026-08-03..2026-08-09: 2 ok, 2 error, 1 cancelled. Tools: deploy×3, make×1, readFile×1. ' +
        'Most frequent: "deploy api" ×3, "build" ×1, "stop" ×1. Errors: TimeoutError: "no answer" ×2.',
    );
    expect(outcomesOf(records)).toEqual({ ok: 2, error: 2, cancelled: 1 });
    expect(toolsOf(records)[0]).toEqual({ value: 'deploy', count: 3 });
  });

  test('EPI-146: authored events stand under Events, and days are those of the zone', () => {
    const berlin = { since: WEEK.since - 7_200_000, until: WEEK.until - 7_200_000 };
    expect(summaryOf([event('refunded T-1'), event('refunded T-1'), run('a')], berlin, 'Europe/Berlin')).toBe(
      '1 run 2026-08-03..2026-08-09: 1 ok, 0 error, 0 cancelled. Most frequent: "a" ×1. Events: "refunded T-1" ×2.',
    );
    expect(summaryOf([event('x')], WEEK, 'UTC')).toBe('1 event 2026-08-03..2026-08-09. Events: "x" ×1.');
  });

  test('EPI-140: the same records give the same text, at most 2 000 characters', () => {
    const records = Array.from({ length: 50 }, (_, index) =>
      failed(`${'long input '.repeat(40)}${index % 9}`, 'm'.repeat(300)),
    );
    const text = summaryOf(records, WEEK, 'UTC');
    expect(text.length).toBeLessThanOrEqual(2_000);
    expect(summaryOf(structuredClone(records), WEEK, 'UTC')).toBe(text);
  });

  test('E-193, EPI-148: an input that failed 5 of 7 runs gives an insight with the last error', () => {
    const records = [
      ...['a', 'b', 'c', 'd', 'last one'].map((message) => failed('deploy api', message)),
      run('deploy api'),
      run('deploy api'),
      run('fine'),
    ];
    expect(insightsOf(records)).toEqual([
      { content: '"deploy api": 5 of 7 runs failed, last TimeoutError: "last one".' },
      { content: 'Tool "deploy": 5 of 5 runs failed, last TimeoutError: "last one".' },
    ]);
  });

  test('EPI-148: fewer than three runs, or fewer than half failed, give none; at most five, most failures first', () => {
    expect(insightsOf([failed('x', 'm'), failed('x', 'm')])).toEqual([]);
    expect(insightsOf([failed('y', 'm'), run('y'), run('y')]).length).toBe(0);
    const many = Array.from({ length: 9 }, (_, index) =>
      [1, 2, 3, ...(index === 4 ? [4] : [])].map(() => failed(`i${index}`, 'm')),
    );
    const insights = insightsOf(many.flat());
    expect(insights).toHaveLength(5);
    expect(insights[0]!.content).toContain('Tool "deploy": 28 of 28');
    expect(insights[1]!.content).toContain('"i4": 4 of 4');
  });
});
