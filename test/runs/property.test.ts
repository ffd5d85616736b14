// RUN-71, above all others: whatever is done to the files and whenever a search falls between, an index that grew answers
// exactly as a fresh one does – kept in a file, in memory, reopened, with and without a masker.
import { closeSync, openSync, readFileSync, renameSync, rmSync, truncateSync, writeSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { RetrievalResult } from '../../src/model/retrieval.ts';
import { Masker } from '../../src/redact/masker.ts';
import type { RetrieverOptions } from '../../src/runs/options.ts';
import { Reading } from '../../src/runs/reading.ts';
import { RunScope } from '../../src/runs/scope.ts';
import { h, l, old, R, World } from './world.ts';

const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const FILES = [
  'episode-3/Alice.history',
  'episode-3/Alice.log',
  'episode-1/Alice.log',
  'Alice.md',
  'Alice.txt',
  'episode-3/Alice.notes.md',
] as const;

const KEY = `-----BEGIN PRIVATE ${'KEY'}-----`;
const END = `-----END PRIVATE ${'KEY'}-----`;
const TOKEN = `ghp_${'A1b2C3d4E5f6G7h8I9'}${'j0K1l2M3n4O5p6Q7r8'}`;

const word = fc.constantFrom('alpha', 'beta', 'gamma', 'deploy', 'Café', '部署', 'getUserById', 'delta');
const words = fc.array(word, { minLength: 1, maxLength: 5 }).map((list) => list.join(' '));
const conversation = fc.constantFrom('conv-1', 'conv-2', '-');

// What trouble is made of, as text that is appended: whole records, halves, traces, line ends, long lines, secrets.
const chunk = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(conversation, words).map(([c, m]) => h(c, m)) },
  { weight: 3, arbitrary: fc.tuple(conversation, words).map(([c, m]) => l('INFO', c, m)) },
  { weight: 1, arbitrary: words.map((m) => l('DEBUG', 'conv-1', m)) },
  { weight: 2, arbitrary: words.map((m) => old(m)) },
  { weight: 3, arbitrary: words.map((m) => `  ${m}\n`) },
  { weight: 3, arbitrary: words.map((m) => `${m}\n`) },
  { weight: 3, arbitrary: words },
  { weight: 2, arbitrary: fc.constantFrom('\n', '\r\n', '\r', ' ', '  ', 'é', '🙂') },
  { weight: 1, arbitrary: words.map((m) => h('conv-1', m).slice(0, -1)) },
  { weight: 1, arbitrary: words.map((m) => h('conv-2', m).slice(0, 36)) },
  { weight: 1, arbitrary: fc.constantFrom('java.lang.XException: bad\n', '\tat a.B.c(B.java:1)\n', '... 12 more\n') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '2026-10-21 18:00:00 [running] [] Alice x beta\n',
      '2026-10-21 18:00:00 [running] [-] Alice2 beta\n',
    ),
  },
  { weight: 1, arbitrary: words.map((m) => `${'x'.repeat(1_990)} ${m} ${'y'.repeat(1_200)} ${m}\n`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(KEY, `${KEY}\n`, `  ${'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo'}\n`, `${END}\n`),
  },
  { weight: 1, arbitrary: fc.nat(TOKEN.length).map((at) => `token ${TOKEN.slice(0, at)}`) },
  { weight: 1, arbitrary: fc.constant(`${TOKEN.slice(20)} alpha\n`) },
  { weight: 1, arbitrary: fc.constant('a\0b gamma\n') },
);
// Halves of characters too.
const bytes = fc.oneof(
  { weight: 12, arbitrary: chunk.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.constantFrom([0xf0, 0x9f], [0x99, 0x82, 0x0a], [0xc3]).map((list) => Buffer.from(list)) },
);

type Change =
  | {
      readonly do: 'append' | 'rewrite' | 'replace' | 'recreate' | 'inPlace';
      readonly file: string;
      readonly data: readonly Buffer[];
      readonly share: number;
    }
  | { readonly do: 'truncate'; readonly file: string; readonly share: number }
  | { readonly do: 'delete'; readonly file: string }
  | { readonly do: 'rename'; readonly file: string; readonly to: string };
type Op = Change | { readonly do: 'search' | 'wait' | 'reopen' };

const file = fc.constantFrom(...FILES);
const data = fc.array(bytes, { minLength: 1, maxLength: 6 });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ do: fc.constant('append' as const), file, data, share }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('rewrite' as const, 'replace' as const, 'recreate' as const, 'inPlace' as const),
      file,
      data,
      share,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('truncate' as const), file, share }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), file }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rename' as const), file, to: file }) },
  { weight: 8, arbitrary: fc.constant({ do: 'search' as const }) },
  { weight: 2, arbitrary: fc.constantFrom({ do: 'wait' as const }, { do: 'reopen' as const }) },
);

function apply(world: World, step: Change): void {
  const path = world.path(step.file);
  const before = contentOf(path);
  const bytes = 'data' in step ? Buffer.concat(step.data) : Buffer.alloc(0);
  if (step.do === 'append') world.append(step.file, bytes);
  else if (step.do === 'rewrite') world.write(step.file, bytes);
  else if (step.do === 'replace') {
    world.write('.new', bytes);
    world.append(step.file, '');
    renameSync(world.path('.new'), path);
  } else if (step.do === 'recreate') {
    // The same inode is usually given again at once.
    rmSync(path, { force: true });
    world.write(step.file, bytes);
  } else if (before === undefined) return;
  else if (step.do === 'inPlace') {
    const handle = openSync(path, 'r+');
    writeSync(handle, bytes, 0, undefined, Math.floor(step.share * before.length));
    closeSync(handle);
  } else if (step.do === 'truncate') truncateSync(path, Math.floor(step.share * before.length));
  else if (step.do === 'delete') rmSync(path);
  else if ('to' in step) {
    world.append(step.to, '');
    renameSync(path, world.path(step.to));
  }
}

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

const QUERIES = ['alpha beta', 'deploy', 'getUserById "alpha beta" 部署', 'x y token delta gamma bad'];
const REQUESTS = [
  R(3, 'conv-1'),
  R(1, 'conv-2', { turn: 'alpha beta' }),
  R(undefined, 'conv-1'),
  R(3, 'conv-2', { topK: 2 }),
];

async function answers(ask: { retrieve: ReturnType<World['retriever']>['retrieve'] }): Promise<RetrievalResult[]> {
  const results: RetrievalResult[] = [];
  for (const query of QUERIES) for (const request of REQUESTS) results.push(await ask.retrieve(query, request));
  return results;
}

const kinds: readonly [string, (world: World) => RetrieverOptions][] = [
  ['no masker', () => ({})],
  ['hidingOutside', (world) => ({ masker: Masker.hidingOutside(world.folder) })],
  [
    'a masker of the host and an interpreter',
    () => ({
      masker: { fingerprint: 'upper', mask: (text) => text.replaceAll('gamma', '[hidden:value]') },
      interpreter: {
        version: '1',
        read: (_file, _line, { text }) =>
          text.startsWith('delta')
            ? Reading.leftOut
            : text.startsWith('alpha')
              ? Reading.told(text)
              : text.startsWith('beta')
                ? Reading.said(`${text}\nand more`)
                : Reading.note(text),
      },
    }),
  ],
  ['EPISODE', () => ({ scope: RunScope.EPISODE })],
];

describe('RUN-71, R-68: incremental equals fresh', () => {
  test.each(kinds)(
    'for any order of writes and searches, kept and in memory, reopened or not: %s',
    async (_, optionsOf) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(op, { minLength: 3, maxLength: 16 }),
          fc.constantFrom({}, { wholeChars: 120, follower: { commitBytes: 64 } }),
          async (ops, limits) => {
            const world = new World();
            worlds.push(world);
            world.frozen = Date.now();
            const options = optionsOf(world);
            const memory = world.retriever(options, { limits });
            let kept = world.retriever({ ...options, index: 'home' }, { limits });
            for (const step of [...ops, { do: 'search' as const }]) {
              if (step.do === 'wait') world.ahead += 3_000;
              else if (step.do === 'reopen') {
                await kept.close();
                kept = world.retriever({ ...options, index: 'home' }, { limits });
              } else if (step.do === 'search') {
                const fresh = world.retriever(options, { limits });
                const expected = await answers(fresh);
                await fresh.close();
                expect(await answers(memory)).toEqual(expected);
                expect(await answers(kept)).toEqual(expected);
              } else {
                // Once the clock says that a file is old, two writes must not fall into one tick of the file system's.
                if (world.ahead > 0) await new Promise((resolve) => setTimeout(resolve, 12));
                apply(world, step as Change);
              }
            }
            await world.close();
          },
        ),
        { numRuns: Number(process.env.RUNS ?? 8), endOnFailure: false },
      );
    },
  );
});
