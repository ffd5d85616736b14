// R-59 … R-69: what a turn is read as, what an answer holds, and in which order.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ChatRetrievalContext } from '../../src/model/retrieval.ts';
import { Masker } from '../../src/redact/masker.ts';
import { AgentRecordFormat } from '../../src/runs/format.ts';
import { Reading } from '../../src/runs/reading.ts';
import type { RunRecord } from '../../src/runs/record.ts';
import { MAX_PIECE_CHARS, piecesOf } from '../../src/text/index.ts';
import { AGENT, h, l, old, R, texts, World } from './world.ts';

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.close());

const CURRENT = R(3, 'conv-1');
const LOG = 'episode-3/Alice.log';
const HISTORY = 'episode-3/Alice.history';

const byFirstWord = (version = '1') => ({
  version,
  read: (_file: string, _line: number, { text }: RunRecord) =>
    text.startsWith('said:')
      ? Reading.said(text.slice(6))
      : text.startsWith('note:')
        ? Reading.note(text.slice(6))
        : Reading.told(text),
});

describe('echo and readings', () => {
  test('R-59, RUN-65: the turn message told in any file is no evidence; said or noted it is', async () => {
    world.write(HISTORY, h('conv-1', 'deploy it') + h('conv-1', 'said: deploy it') + h('conv-1', 'note: deploy it'));
    world.write(
      'episode-1/Alice.log',
      l('INFO', 'conv-9', 'deploy it  ') + l('INFO', 'conv-9', 'please deploy it now'),
    );
    const interpreter = byFirstWord();
    const { evidence } = await world
      .retriever({ interpreter })
      .retrieve('deploy it', R(3, 'conv-1', { turn: 'deploy it\n' }));
    expect(evidence.map(({ kind, text }) => `${kind} ${text}`).sort()).toEqual([
      'note deploy it',
      'said deploy it',
      'told please deploy it now',
    ]);
    const without = await world.retriever().retrieve('deploy it', R(3, 'conv-1', { turn: 'deploy it' }));
    expect(texts(without)).toContain('deploy it');
  });

  test('RUN-65, RUN-7: a turn with any line end is its own echo, as our writer records it and as it stands in a file', async () => {
    const ends = ['\r', '\v', '\f', '\u0085', '\u2028', '\u2029', '\r\n', '\n'];
    for (const [index, end] of ends.entries()) {
      const turn = `deploy${end}it ${index}`;
      const asWritten = AgentRecordFormat.historyLine({
        time: 0,
        agent: AGENT,
        message: turn,
        state: 'running',
        conversation: 'conv-1',
      });
      world.write(HISTORY, asWritten + h('conv-1', turn.replaceAll('\n', '\n  ')));
      const answer = await world.retriever({ interpreter: byFirstWord() }).retrieve('deploy', R(3, 'conv-1', { turn }));
      expect([JSON.stringify(end), ...texts(answer)]).toEqual([JSON.stringify(end)]);
      const other = await world
        .retriever({ interpreter: byFirstWord() })
        .retrieve('deploy', R(3, 'conv-1', { turn: `${turn} now` }));
      expect(texts(other).length).toBeGreaterThan(0);
    }
  });

  test('R-60: a turn message with a password, masked in the record, is its echo all the same', async () => {
    const secret = `my password is hunter${'2'.repeat(6)}!`;
    world.write(HISTORY, h('conv-1', secret) + h('conv-1', 'my password was changed'));
    const retriever = world.retriever({ masker: Masker.credentials(), interpreter: byFirstWord() });
    const answer = await retriever.retrieve(secret, R(3, 'conv-1', { turn: secret }));
    expect(texts(answer)).toEqual(['my password was changed']);
  });

  test('R-62, RUN-24, RUN-69: an interpreter that throws or returns no reading loses that record, with one warning', async () => {
    world.write(
      HISTORY,
      ['word throws', 'word string', 'word promise', 'word kept'].map((text) => h('conv-1', text)).join(''),
    );
    const interpreter = {
      version: '1',
      read: (_f: string, _l: number, { text }: RunRecord) => {
        if (text.endsWith('throws')) throw new Error('word of a record');
        if (text.endsWith('string')) return text as never;
        if (text.endsWith('promise')) return Promise.reject(new Error('late')) as never;
        return Reading.note(text);
      },
    };
    const { evidence } = await world.retriever({ interpreter }).retrieve('word', CURRENT);
    expect(evidence.map(({ text }) => text)).toEqual(['word kept']);
    expect(world.warnings).toMatchObject([{ code: 'interpreter_failed', file: HISTORY }]);
    expect(world.warnings[0]!.message).not.toContain('word');
  });

  test('RUN-22, RUN-23: what an interpreter is shown of records and of lines', async () => {
    world.write(LOG, l('WARN', 'conv-1', 'first\n  second') + old('third'));
    world.write('episode-2/Alice.md', 'one\n\ntwo\n');
    const seen: unknown[] = [];
    const interpreter = {
      version: '1',
      read: (file: string, line: number, record: RunRecord) => {
        seen.push([file, line, record]);
        return Reading.note(record.text);
      },
    };
    await world.retriever({ interpreter }).retrieve('first', CURRENT);
    const time = '2026-10-21T18:00:00';
    expect(seen).toEqual([
      ['episode-2/Alice.md', 1, { text: 'one', episode: 2 }],
      ['episode-2/Alice.md', 3, { text: 'two', episode: 2 }],
      [LOG, 1, { text: 'first\nsecond', time, level: 'WARN', state: 'running', conversation: 'conv-1', episode: 3 }],
      [LOG, 3, { text: 'third', time, state: 'running', episode: 3 }],
    ]);
  });

  test('RUN-66: messages of several files are given once, with all their places in order, whatever their headers say', async () => {
    world.write(HISTORY, h('conv-1', 'same words', '18:00:01') + h('-', 'same words', '18:00:03'));
    world.write('episode-1/Alice.log', l('WARN', 'conv-7', 'same words'));
    world.write('Alice.md', 'same words\n');
    const { evidence } = await world.retriever().retrieve('same', CURRENT);
    expect(evidence).toEqual([
      {
        text: 'same words',
        kind: 'note',
        file: HISTORY,
        line: 2,
        column: expect.any(Number),
        episode: 3,
        conversation: '-',
        time: '2026-10-21T18:00:03',
        state: 'running',
        copies: 4,
        alsoAt: [
          { file: HISTORY, line: 1, episode: 3, conversation: 'conv-1', time: '2026-10-21T18:00:01' },
          { file: 'episode-1/Alice.log', line: 1, episode: 1, conversation: 'conv-7', time: '2026-10-21T18:00:00' },
          { file: 'Alice.md', line: 1 },
        ],
      },
    ]);
    world.append('Alice.md', 'same words\n'.repeat(30));
    const [item] = (await world.retriever().retrieve('same', CURRENT)).evidence;
    expect([item!.copies, item!.alsoAt.length]).toEqual([34, 20]);
  });
});

describe('pieces, words and order', () => {
  test('R-63, RUN-63: topK counts items after copies', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) world.write(`Alice.${name}.md`, 'deploy today\n');
    world.write('Alice.other.md', 'deploy today or never, who knows\n');
    const one = (await world.retriever().retrieve('deploy today', R(undefined, undefined, { topK: 1 }))).evidence;
    expect(one).toMatchObject([{ file: 'Alice.a.md', copies: 5 }]);
    const two = await world.retriever().retrieve('deploy today', R(undefined, undefined, { topK: 2 }));
    expect(two.evidence.map(({ copies }) => copies)).toEqual([5, 1]);
  });

  test('R-64, RUN-56, RUN-57: a line of 2001 units is two pieces; an emoji stays whole; joined they are the line', () => {
    for (const line of ['x'.repeat(2_001), `${'x'.repeat(1_999)}🙂${'y'.repeat(20)}`, `${'word '.repeat(500)}end`]) {
      const pieces = piecesOf(line);
      expect(pieces.map(({ text }) => text).join('')).toBe(line);
      expect(pieces.every(({ text }) => text.length <= MAX_PIECE_CHARS && text.isWellFormed())).toBe(true);
      expect(pieces.length).toBeGreaterThan(1);
    }
  });

  test('R-64: both pieces of such a line are kept, each found by its own words', async () => {
    world.write('Alice.md', `begin ${'word '.repeat(396)}middle ${'🙂'.repeat(20)} end\n`);
    const retriever = world.retriever();
    const [first] = (await retriever.retrieve('begin', R())).evidence;
    const [last] = (await retriever.retrieve('end', R())).evidence;
    expect([first!.column, last!.column]).toEqual([1, first!.text.length + 1]);
    expect((first!.text + last!.text).length).toBe(6 + 396 * 5 + 7 + 41 + 3);
    expect(first!.text.isWellFormed() && last!.text.isWellFormed()).toBe(true);
    // A line gives its best piece only (RUN-62).
    expect((await retriever.retrieve('begin end', R())).evidence).toHaveLength(1);
  });

  test.each([
    ['R-65, RUN-58: a word across the cut', `${'x'.repeat(1_990)}-acrossthecut and more`, 'acrossthecut', 1],
    [
      'R-65, RUN-58: a quoted phrase across it',
      `${'a '.repeat(880)}${'b'.repeat(230)} across ${'c'.repeat(3)} cut`,
      '"bbb across"',
      0,
    ],
    [
      'RUN-58: a phrase that begins before the cut',
      `${'ab '.repeat(660)}the rollback plan of today`,
      '"rollback plan of"',
      1,
    ],
    ['RUN-58: the second half of a word is none', `${'x'.repeat(1_990)}-acrossthecut`, 'ecut', 0],
    ['RUN-58: in a script without spaces', `${'x'.repeat(1_999)}认证系统部署`, '"认证系统"', 1],
  ])('%s', async (_, line, query, count) => {
    world.write('Alice.md', `${line}\n`);
    const { evidence } = await world.retriever().retrieve(query, R());
    expect(evidence).toHaveLength(count);
    if (count > 0) expect(evidence[0]!.column).toBe(1);
  });

  test.each(['{"compat', '[unclosed', 'a"b', 'conv:conv-2', 'NOT (a OR', 'word "', '%_', 'episode-3'])(
    'R-66, RUN-59: the turn %j is no error',
    async (query) => {
      world.write('Alice.md', 'compat unclosed a b word\n');
      await expect(world.retriever().retrieve(query, R())).resolves.toMatchObject({ coverage: { complete: true } });
    },
  );

  test.each(['\\', '*', '', '—', '🚀'])('R-66: the turn %j has no term, and finds nothing', async (query) => {
    world.write('Alice.md', 'word\n');
    expect((await world.retriever().retrieve(query, R())).evidence).toEqual([]);
  });

  test('R-66, RUN-59: 1 MB of words is cut at 100 000 units, and the rarest visible ones count', async () => {
    world.write('Alice.md', `rareword here\n${'common words\n'.repeat(100)}`);
    const many = Array.from({ length: 20_000 }, (_, n) => `absent${n}`).join(' ');
    const retriever = world.retriever();
    expect(texts(await retriever.retrieve(`rareword common ${many}`, R()))[0]).toBe('rareword here');
    expect(texts(await retriever.retrieve(`${'x '.repeat(600_000)}rareword`, R()))).toEqual([]);
  });

  test('RUN-59: a phrase that nobody wrote leaves the other words; conv:conv-2 is words and widens nothing', async () => {
    world.write(LOG, h('conv-1', 'deploy now') + h('conv-2', 'conv conv-2 hidden'));
    expect(texts(await world.retriever().retrieve('"nobody wrote this" deploy', CURRENT))).toEqual(['deploy now']);
    expect(texts(await world.retriever().retrieve('conv:conv-2', CURRENT))).toEqual([]);
  });

  test.each([[-1], [1.5], [1_001], [Number.NaN]])('R-67, RUN-63: topK %s is invalid_argument', async (topK) => {
    expect(() => new ChatRetrievalContext({ topK })).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    expect(() => world.retriever({ topK })).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    const bare = { ...CURRENT, topK } as ChatRetrievalContext;
    await expect(world.retriever().retrieve('x', bare)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  test('R-67, RUN-63: topK 0 gives nothing; without one the retriever’s holds, 5 by default', async () => {
    world.write('Alice.md', Array.from({ length: 12 }, (_, n) => `word ${n}\n`).join(''));
    expect((await world.retriever().retrieve('word', R(undefined, undefined, { topK: 0 }))).evidence).toEqual([]);
    const bare = new ChatRetrievalContext({ ownerId: 'Alice' });
    const answer = await world.retriever().retrieve('word', bare);
    expect([answer.evidence.length, answer.coverage.truncated]).toEqual([5, 'limit']);
    expect((await world.retriever({ topK: 7 }).retrieve('word', bare)).evidence).toHaveLength(7);
  });

  test('RUN-60, RUN-61: more, rarer and closer words rank higher; then newer, higher episode, file, line', async () => {
    world.write(
      HISTORY,
      h('conv-1', 'rollback') +
        h('conv-1', 'rollback plan') +
        h('conv-1', 'plan and much later a rollback') +
        h('conv-1', 'plan'),
    );
    expect(texts(await world.retriever().retrieve('rollback plan', CURRENT)).slice(0, 2)).toEqual([
      'rollback plan',
      'plan and much later a rollback',
    ]);
    world.write(
      HISTORY,
      h('conv-1', 'b word one', '18:00:00') + h('conv-1', 'c word two', '18:00:02') + h('-', 'a word six', '18:00:00'),
    );
    world.write('episode-4/Alice.history', h('conv-1', 'd word ten', '18:00:00'));
    world.write('Alice.md', 'e word and\n');
    world.write('Alice.a.md', 'f word and\n');
    expect(texts(await world.retriever().retrieve('word', CURRENT))).toEqual([
      'c word two',
      'd word ten',
      'b word one',
      'a word six',
      'f word and',
      'e word and',
    ]);
  });

  test('RUN-62: a record gives three items at most, unless fewer than topK remain', async () => {
    const lines = [1, 2, 3, 4, 5].map((n) => `word ${n}`).join('\n  ');
    world.write(HISTORY, h('conv-1', lines) + h('conv-1', 'another word of the text'));
    const lineNumbers = async (topK: number) =>
      (await world.retriever().retrieve('word', R(3, 'conv-1', { topK }))).evidence.map(({ line }) => line);
    expect(await lineNumbers(4)).toEqual([1, 2, 3, 6]);
    expect(await lineNumbers(6)).toEqual([1, 2, 3, 6, 4, 5]);
  });

  test('TXT-42, RUN-71: beyond 2 000 candidates an answer says so, and a fresh index gives the same one', async () => {
    const lines = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) =>
        h('conv-1', `common word ${from + n}`, `1${Math.floor((from + n) / 600)}:00:00`),
      ).join('');
    world.write(HISTORY, lines(0, 1_500));
    world.write(LOG, lines(1_500, 2_500));
    const retriever = world.retriever({ index: 'home' });
    await retriever.retrieve('common', CURRENT);
    world.append(HISTORY, lines(2_500, 5_000));
    const answer = await retriever.retrieve('common word', CURRENT);
    expect(answer.coverage).toMatchObject({ complete: true, ranked: { considered: 2_000, complete: false } });
    expect(await world.retriever().retrieve('common word', CURRENT)).toEqual(answer);
    expect(texts(await retriever.retrieve('common 7', CURRENT))[0]).toBe('common word 7');
  });
});
