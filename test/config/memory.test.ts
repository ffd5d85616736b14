// The memory part of the configuration: defaults of the seed, and every wrong value refused at once (EPI-20, EPI-21).
import { describe, expect, test } from 'vitest';
import { type BackstoryConfig, readConfig } from '../../src/config/index.ts';
import { BackstoryError } from '../../src/model/errors.ts';

function refused(memory: unknown): BackstoryError {
  try {
    readConfig({ options: { memory } });
  } catch (error) {
    if (error instanceof BackstoryError) return error;
  }
  throw new Error('nothing was refused');
}

describe('settings of memory', () => {
  test('EPI-20: nothing given is the defaults of the seed', () => {
    expect(readConfig({ options: {} }).memory).toEqual({
      writes: 'candidate',
      scope: ['workspace', 'route'],
      routesDir: 'src/app',
      episodes: {
        enabled: false,
        ttlMs: 30 * 24 * 60 * 60 * 1000,
        cap: 500,
        includeFailedRuns: true,
        includeCancelledRuns: true,
        embed: false,
        writeTimeoutMs: 250,
      },
      authored: { ttlMs: null, cap: null },
      recall: {
        limit: 8,
        collapse: false,
        recencyHalfLifeMs: 14 * 24 * 60 * 60 * 1000,
        recencyWeight: 0.25,
        confidenceWeight: 0.1,
      },
      distill: {
        minAgeMs: 604_800_000,
        minGroup: 5,
        maxGroup: 50,
        maxBatches: 5,
        sourceTtlMs: 604_800_000,
        summaryTtlMs: null,
        reflectMin: 10,
        reflectMax: 100,
      },
    });
  });

  test("EPI-20: the seed's file is typed by satisfies and comes through; null is no bound", () => {
    const config = {
      memory: {
        writes: 'auto',
        scope: ['user', 'workspace'],
        workspace: 'support-desk',
        episodes: { enabled: true, ttlMs: null, cap: null, includeFailedRuns: true },
      },
    } satisfies BackstoryConfig;
    const { memory } = readConfig({ file: config });
    expect(memory).toMatchObject({ writes: 'auto', scope: ['workspace', 'user'], workspace: 'support-desk' });
    expect(memory.episodes).toMatchObject({ enabled: true, ttlMs: null, cap: null });
  });

  const refusals: readonly [id: string, path: string, values: readonly unknown[]][] = [
    ['E-70', 'episodes.ttlMs', [Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 1.5, '30d', 3_155_760_000_001]],
    ['E-71', 'episodes.cap', [0, -5, 1.9, Number.POSITIVE_INFINITY, 10_000_001]],
    ['EPI-21', 'writes', ['on', true, null, 'AUTO']],
    ['EPI-21', 'scope', [[], ['tenant', 'tenant'], ['team'], 'route']],
    ['EPI-21', 'workspace', ['', ' ', 7]],
    ['EPI-21', 'routesDir', ['', 1]],
    ['EPI-21', 'resolveScope', ['x', {}, null]],
    ['EPI-21', 'onError', [true]],
    ['EPI-21', 'episodes.enabled', ['yes', 1]],
    ['EPI-21', 'episodes.includeFailedRuns', [0]],
    ['EPI-21', 'episodes.includeCancelledRuns', [null]],
    ['EPI-21', 'episodes.embed', ['on']],
    ['EPI-21', 'episodes.writeTimeoutMs', [-1, 10_001, 0.5]],
    ['EPI-21', 'authored.ttlMs', [0, -1, Number.NaN]],
    ['EPI-21', 'authored.cap', [0, 1.5]],
    ['EPI-21', 'recall.limit', [0, 101]],
    ['EPI-21', 'recall.recencyHalfLifeMs', [0]],
    ['EPI-21', 'recall.recencyWeight', [-0.1, 1.1, Number.NaN]],
    ['EPI-21', 'recall.confidenceWeight', [2, '0,1']],
    ['EPI-21', 'distill.minGroup', [0]],
    ['EPI-21', 'distill.maxBatches', [0]],
    ['EPI-21', 'distill.summarize', ['x']],
  ];
  test.each(refusals)(
    '%s: memory.%s is checked when the engine opens, and named with the value',
    (_id, path, values) => {
      for (const value of values) {
        const [first, second] = path.split('.');
        const error = refused(second === undefined ? { [first!]: value } : { [first!]: { [second]: value } });
        expect(error.code).toBe('config_invalid');
        expect(error.details?.path).toMatch(new RegExp(`^memory\\.${path.replace('.', '\\.')}(\\[\\d\\])?$`));
        expect(error.details?.allowed).toBeTruthy();
      }
    },
  );

  test('E-72: an unknown key names the nearest one', () => {
    const error = refused({ episode: { enabled: true } });
    expect(error.code).toBe('config_invalid');
    expect(error.details).toMatchObject({ path: 'memory.episode', nearest: 'episodes' });
    expect(error.hint).toContain('memory.episodes');
  });

  test('EPI-23: embed: true resolves to false', () => {
    expect(readConfig({ options: { memory: { episodes: { embed: true } } } }).memory.episodes.embed).toBe(false);
  });

  test('COM-42: a / in a password that is not escaped is refused, and nothing of the password is quoted', () => {
    const url = (password: string): string => ['postgres://desk', `${password}@db.test/desk`].join(':');
    for (const postgres of [url('12/hush'), url('12/hu#sh'), { connectionString: url('12/hush') }]) {
      const error = refused({ postgres });
      expect(error.code).toBe('config_invalid');
      expect(error.hint).toContain('%2F');
      expect(JSON.stringify(error)).not.toContain('hu');
    }
    for (const postgres of [url('12%2Fhush'), 'postgres://db.test/desk?user=me@tenant']) {
      expect(readConfig({ options: { memory: { postgres } } }).memory.postgres).toBe(postgres);
    }
  });
});
