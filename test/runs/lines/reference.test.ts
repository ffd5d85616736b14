// The retriever against a plain reference: parse every file, ask the truth table, drop echoes, fold copies. The index says
// the same in SQL (RUN-37, RUN-65 – RUN-67); here nothing is indexed, so a difference is a fault of one of the two.
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Masker } from '../../../src/redact/masker.ts';
import { comparedText } from '../../../src/runs/echo.ts';
import { evidenceFor } from '../../../src/runs/evidence.ts';
import type { RecordInterpreter } from '../../../src/runs/interpreter.ts';
import { Reading } from '../../../src/runs/reading.ts';
import { RunScope } from '../../../src/runs/scope.ts';
import { R, World } from '../world.ts';
import { h, linesOf, recordsOf, TIME } from './steps.ts';

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.close());

const interpreter: RecordInterpreter = {
  version: '1',
  read: (_file, _line, { text }) => {
    const [, kind, rest] = /^(told|said): ([\s\S]*)$/.exec(text) ?? [];
    if (kind === undefined) return Reading.note(text);
    return kind === 'told' ? Reading.told(rest!) : Reading.said(rest!);
  },
};

interface Item {
  readonly kind: string;
  /** The line that holds the word. */
  readonly text: string;
  /** `file:line`, the given one first. */
  readonly places: readonly string[];
}

interface Request {
  readonly episode: number | undefined;
  readonly conversation: string | undefined;
  readonly turn: string | undefined;
  readonly scope: RunScope;
}

const RECORD_FILES = ['Alice.log', 'episode-1/Alice.history', 'episode-3/Alice.history', 'episode-3/Alice.log'];
const OTHER_FILES = ['Alice.md', 'episode-3/Alice.notes.md', 'episode-1/Alice.todo'];

function reference(files: ReadonlyMap<string, string>, request: Request): Item[] {
  const { episode, conversation, turn, scope } = request;
  const asked = {
    ...(episode === undefined ? {} : { episode }),
    ...(conversation === undefined ? {} : { conversation }),
  };
  const found: { kind: string; text: string; place: string; order: (string | number)[] }[] = [];
  for (const [file, content] of files) {
    const [, digits] = /^episode-(\d+)\//.exec(file) ?? [];
    const own = digits === undefined ? {} : { episode: Number(digits) };
    const isRecordFile = RECORD_FILES.includes(file);
    const records = isRecordFile
      ? recordsOf(content).map((record) => ({ record, line: record.line, text: record.text }))
      : linesOf(content).map((text, index) => ({ record: undefined, line: index + 1, text }));
    for (const { record, line, text } of records) {
      const placed = { file: isRecordFile ? 'record' : 'other', ...own, ...(record && { record }) } as const;
      // Only the first lines hold the word.
      if (!text.includes('w') || evidenceFor(placed, scope, asked) !== 'yes') continue;
      const reading = interpreter.read(file, line, { text });
      if (reading.kind === 'leftOut') continue;
      if (reading.kind === 'told' && turn !== undefined && comparedText(reading.text) === comparedText(turn)) continue;
      const order = [record?.header?.time ?? '', own.episode ?? -1, file, line];
      found.push({ kind: reading.kind, text: comparedText(reading.text), place: `${file}:${line}`, order });
    }
  }
  found.sort((a, b) => {
    const [timeA, episodeA, fileA, lineA] = a.order as [string, number, string, number];
    const [timeB, episodeB, fileB, lineB] = b.order as [string, number, string, number];
    if (timeA !== timeB) return timeA < timeB ? 1 : -1;
    if (episodeA !== episodeB) return episodeB - episodeA;
    return fileA === fileB ? lineA - lineB : fileA < fileB ? -1 : 1;
  });
  const items = new Map<string, Item>();
  for (const { kind, text, place } of found) {
    const key = `${kind}:${text}`;
    items.set(key, { kind, text: text.split('\n')[0]!, places: [...(items.get(key)?.places ?? []), place] });
  }
  return sorted([...items.values()]);
}

function sorted(items: Item[]): Item[] {
  return items.sort((a, b) => (`${a.kind}:${a.text}:${a.places}` < `${b.kind}:${b.text}:${b.places}` ? -1 : 1));
}

// Copies are of one length here: then their scores are equal, and RUN-61 alone says which is given.
const word = fc.constantFrom('w one', 'w two', 'w \u00e9');
const message = fc.tuple(fc.constantFrom('told: ', 'said: ', ''), word).map(([by, text]) => by + text);
const recordLine = fc
  .tuple(
    fc.constantFrom('conv-1', 'conv-2', '-', undefined, ''),
    fc.constantFrom('', 'INFO  ', 'DEBUG '),
    fc.nat(2),
    message,
  )
  .map(([conversation, level, second, text]) => {
    const field = conversation === undefined ? '' : `[${conversation}] `;
    return `${TIME.slice(0, -1)}${second} ${level}[running] ${field}Alice ${text}\n`;
  });
const recordText = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: recordLine },
    fc.constantFrom('col 0\n', 'a.BException: x\n', '\tat x.B\n', `${TIME} [r] [conv-1] Bob w\n`),
  ),
  { maxLength: 5 },
);
const request = fc.record({
  episode: fc.constantFrom(1, 3, 7, undefined),
  conversation: fc.constantFrom('conv-1', 'conv-2', '-', '', undefined),
  turn: fc.option(word, { nil: undefined }),
  scope: fc.constantFrom<RunScope>(RunScope.RUN, RunScope.EPISODE),
});

test('RUN-37, RUN-65, RUN-66, RUN-67: the retriever finds what the plain reference finds, copies and echoes alike', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(recordText, { minLength: 4, maxLength: 4 }),
      fc.array(fc.array(message, { maxLength: 3 }), { minLength: 3, maxLength: 3 }),
      fc.array(request, { minLength: 1, maxLength: 4 }),
      async (records, notes, requests) => {
        const here = new World();
        const files = new Map<string, string>();
        for (const [index, name] of RECORD_FILES.entries()) files.set(name, records[index]!.join(''));
        for (const [index, name] of OTHER_FILES.entries()) {
          files.set(name, notes[index]!.map((text) => `${text}\n`).join(''));
        }
        for (const [name, content] of files) here.write(name, content);
        for (const asked of requests) {
          const retriever = here.retriever({ interpreter, scope: asked.scope });
          const context = R(asked.episode, asked.conversation, { topK: 1000, ...(asked.turn && { turn: asked.turn }) });
          const { evidence } = await retriever.retrieve('w', context);
          const items = evidence.map(({ kind, text, file, line, copies, alsoAt }) => {
            const places = [{ file, line }, ...alsoAt].map((place) => `${place.file}:${place.line}`);
            expect(copies).toBe(places.length);
            return { kind, text: comparedText(text), places };
          });
          expect(sorted(items)).toEqual(reference(files, asked));
        }
        await here.close();
      },
    ),
    { numRuns: 20 },
  );
});

async function askedFor(query: string, context: ReturnType<typeof R>, options: Readonly<Record<string, unknown>> = {}) {
  const { evidence } = await world.retriever({ interpreter, ...options }).retrieve(query, context);
  return evidence.map(({ kind, file, copies }) => `${kind} ${file} ${copies}`).sort();
}

test('R-48: two notes files with equal lines; one is deleted', async () => {
  world.write('episode-3/Alice.md', 'same line\n');
  world.write('episode-3/Alice.todo', 'same line\n');
  expect(await askedFor('same', R())).toEqual(['note episode-3/Alice.md 2']);
  world.write('episode-3/Alice.md', '');
  expect(await askedFor('same', R())).toEqual(['note episode-3/Alice.todo 1']);
});

test('R-59: the turn message, told in .history and .log, is not returned; said with that text it is', async () => {
  world.write('episode-3/Alice.history', h('conv-1', 'told: deploy it') + h('conv-1', 'said: deploy it'));
  world.write('episode-3/Alice.log', h('conv-1', 'told: deploy it ') + h('conv-1', 'told: deploy it now'));
  expect(await askedFor('deploy', R(3, 'conv-1', { turn: 'deploy it\r\n' }))).toEqual([
    'said episode-3/Alice.history 1',
    'told episode-3/Alice.log 1',
  ]);
});

test('R-60: a turn message with a password is compared masked', async () => {
  const masker: Masker = { fingerprint: 'x', mask: (text) => text.replaceAll('hunter2', '***') };
  world.write('episode-3/Alice.history', h('conv-1', 'told: use hunter2 please'));
  expect(await askedFor('please', R(3, 'conv-1', { turn: 'use hunter2 please' }), { masker })).toEqual([]);
  expect(await askedFor('please', R(3, 'conv-1', { turn: 'use hunter3 please' }), { masker })).toHaveLength(1);
});

test('R-61: told in two files, in conv-1 and in conv-2: copies are counted among the visible', async () => {
  world.write('episode-3/Alice.history', h('conv-1', 'told: deploy it'));
  world.write('episode-3/Alice.log', h('conv-2', 'told: deploy it'));
  expect(await askedFor('deploy', R(3, 'conv-1'))).toEqual(['told episode-3/Alice.history 1']);
});

test('RUN-65: a turn of several lines is its own echo, with either line end', async () => {
  world.write('episode-3/Alice.history', h('conv-1', 'told: deploy\n  it'));
  expect(await askedFor('deploy', R(3, 'conv-1'))).toHaveLength(1);
  for (const end of ['\n', '\r\n', ' \n']) {
    expect(await askedFor('deploy', R(3, 'conv-1', { turn: `deploy${end}it` }))).toEqual([]);
  }
});
