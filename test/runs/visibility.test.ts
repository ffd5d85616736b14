// R-22 … … R-19 where requests decide: who finds which record.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ChatRetrievalContext } from '../../src/model/retrieval.ts';
import { evidenceFor } from '../../src/runs/evidence.ts';
import { Reading } from '../../src/runs/reading.ts';
import type { RawRecord } from '../../src/runs/record.ts';
import { RunScope } from '../../src/runs/scope.ts';
import { AGENT, h, l, old, R, texts, World } from './world.ts';

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.close());

const LOG = 'episode-3/Alice.log';

async function found(query: string, request: ChatRetrievalContext, options = {}): Promise<string[]> {
  return texts(await world.retriever(options).retrieve(query, request)).sort();
}

describe('which records a request finds', () => {
  test.each([
    ['\n', '\n'],
    ['\r', '\n'],
    ['\r\n', '\n'],
  ])('R-03, R-04: a header inside a message starts no record (%j)', async (end) => {
    const indented = `one${end}${h('conv-2', 'forged')}`.replace(/\r\n|\r|\n(?!$)/g, '\n  ');
    world.write(LOG, h('conv-1', indented.trimEnd()));
    expect(await found('forged', R(3, 'conv-2'))).toEqual([]);
    expect(await found('forged', R(3, 'conv-1'))).toHaveLength(1);
  });

  test('R-05, RUN-12: a lone CR before a false header, by another logger, ends no line', async () => {
    world.write(LOG, h('conv-1', `one\r${h('conv-2', 'forged').trimEnd()}`));
    expect(await found('forged', R(3, 'conv-2'))).toEqual([]);
    expect(await found('one', R(3, 'conv-1'))).toHaveLength(1);
  });

  test.each([
    ['R-07: an empty conversation field', `2026-10-21 18:00:00 [running] [] ${AGENT} lost\n`],
    ['R-08: another agent’s name', '2026-10-21 18:00:00 [running] [conv-1] Alice2 lost\n'],
    ['R-08: another letter case', '2026-10-21 18:00:00 [running] [conv-1] alice lost\n'],
  ])('%s: a record of unknown writer, found by nobody, warned of once', async (_, line) => {
    world.write(LOG, h('conv-1', 'kept') + line + h('conv-1', 'after'));
    const retriever = world.retriever();
    for (const request of [R(3, 'conv-1'), R(3, 'conv-2'), R(1, 'conv-1')]) {
      expect((await retriever.retrieve('lost', request)).evidence).toEqual([]);
    }
    expect(texts(await retriever.retrieve('kept after', R(3, 'conv-1'))).sort()).toEqual(['after', 'kept']);
    expect(world.codes()).toEqual(['unreadable_header']);
  });

  test('R-11, RUN-16: DEBUG and TRACE are left out with their lines; only the level in header position counts', async () => {
    world.write(LOG, `${l('DEBUG', 'conv-1', 'x')}  more\n  lines\nhere\n${l('INFO', 'conv-1', 'DEBUG mode on')}`);
    expect(await found('x more lines here mode', R(3, 'conv-1'))).toEqual(['DEBUG mode on']);
    expect(await found('x more lines here mode', R(1, 'conv-9'))).toEqual(['DEBUG mode on']);
  });

  test('R-17: a trace, a search after every line: one record at the end, nothing of it elsewhere', async () => {
    const lines = [
      h('conv-1', 'boom'),
      'java.lang.XException: bad\n',
      '\tat a.B.c(B.java:1)\n',
      '\n',
      'Caused by: java.lang.YException: worse\n',
      '\tat a.B.d(B.java:2)\n',
      '\t... 12 more\n',
    ];
    const retriever = world.retriever();
    for (const line of lines) {
      world.append(LOG, line);
      expect((await retriever.retrieve('boom bad worse more', R(3, 'conv-2'))).evidence).toEqual([]);
    }
    const { evidence } = await retriever.retrieve('boom', R(3, 'conv-1'));
    expect(evidence).toMatchObject([{ text: 'boom', line: 1, copies: 1 }]);
    const all = await retriever.retrieve('bad worse more', R(3, 'conv-1', { topK: 50 }));
    expect(new Set(all.evidence.map(({ line }) => line))).toEqual(new Set([2, 5, 7]));
    expect(all.evidence.every(({ conversation }) => conversation === 'conv-1')).toBe(true);
  });

  test('R-18, RUN-21: a header inside an unindented trace is found by neither conversation, a real one after it is', async () => {
    const trace = 'java.lang.XException: bad\n';
    world.write(
      LOG,
      `${h('conv-1', 'boom')}${trace}${h('conv-2', 'forged')}\tat a.B.c(B.java:1)\n${h('conv-2', 'real')}`,
    );
    const retriever = world.retriever();
    for (const conversation of ['conv-1', 'conv-2']) {
      expect(texts(await retriever.retrieve('forged', R(3, conversation)))).toEqual([]);
    }
    expect(texts(await retriever.retrieve('real', R(3, 'conv-2')))).toEqual(['real']);
    expect(world.codes()).toEqual(['unindented_trace']);
  });

  test('R-19: without the frame neither; inside a record of no conversation it is found', async () => {
    world.write(LOG, `${h('conv-1', 'boom')}java.lang.XException: bad\n${h('conv-2', 'forged')}`);
    expect(await found('forged', R(3, 'conv-2'))).toEqual([]);
    world.write(LOG, `${h('-', 'boom')}java.lang.XException: bad\n${h('conv-2', 'forged')}`);
    expect(await found('forged', R(3, 'conv-2'))).toEqual(['forged']);
    expect(await found('forged', R(3, 'conv-1'))).toEqual([]);
  });

  test('R-22, RUN-64: without episode or conversation only notes are found, and coverage says why', async () => {
    world.write(LOG, l('INFO', 'conv-1', 'deploy in a record'));
    world.write('Alice.md', 'deploy in a note\n');
    for (const request of [R(undefined, 'conv-1'), R(3), R()]) {
      const { evidence, coverage } = await world.retriever().retrieve('deploy', request);
      expect(evidence.map(({ text }) => text)).toEqual(['deploy in a note']);
      expect(coverage).toMatchObject({ complete: false, reasons: ['needs_episode_and_conversation'], files: 2 });
    }
    const { coverage } = await world.retriever().retrieve('deploy', R(3, 'conv-1'));
    expect(coverage).toMatchObject({ complete: true, reasons: [], skipped: [] });
  });

  test('R-23: of the current episode, the own conversation and what is outside any', async () => {
    world.write(LOG, h('conv-1', 'word own') + h('-', 'word none') + h('conv-2', 'word other'));
    expect(await found('word', R(3, 'conv-1'))).toEqual(['word none', 'word own']);
  });

  test('R-24, R-25, RUN-38: another episode is found in scope RUN, whatever its conversation, not in scope EPISODE', async () => {
    world.write('episode-1/Alice.log', h('conv-2', 'word') + old('word old'));
    expect(await found('word', R(3, 'conv-1'))).toEqual(['word', 'word old']);
    expect(await found('word', R(3, 'conv-1'), { scope: RunScope.EPISODE })).toEqual([]);
  });

  test('R-26: EPISODE without an episode finds nothing, notes neither, and says needs_episode', async () => {
    world.write('Alice.md', 'word\n');
    world.write('episode-3/Alice.md', 'word\n');
    const { evidence, coverage } = await world
      .retriever({ scope: RunScope.EPISODE })
      .retrieve('word', R(undefined, 'conv-1'));
    expect(evidence).toEqual([]);
    expect(coverage).toMatchObject({ complete: false, reasons: ['needs_episode'] });
  });

  test('R-27: EPISODE finds notes of the current episode only', async () => {
    world.write('Alice.md', 'word outside\n');
    world.write('episode-3/Alice.md', 'word inside\n');
    for (const request of [R(3, 'conv-1'), R(3)]) {
      expect(await found('word', request, { scope: RunScope.EPISODE })).toEqual(['word inside']);
    }
  });

  test.each([
    'episode-x',
    'episode-',
    'Episode-3',
    'episode-3 ',
    'episode-３',
    'episode-3.0',
    'episode--3',
    '3',
    ['episode-3'],
    null,
    'episode-03',
    3,
    'episode-3\n',
    'episode-1234567890',
  ])('R-28: the episode filter %j is episode_invalid, naming the value and the form', async (value) => {
    const context = new ChatRetrievalContext({
      ownerId: AGENT,
      conversationId: 'conv-1',
      metadataFilters: { [ChatRetrievalContext.CURRENT_EPISODE_FILTER]: value, other: { ignored: true } },
    });
    await expect(world.retriever().retrieve('word', context)).rejects.toMatchObject({
      code: 'episode_invalid',
      status: 400,
      exitCode: 2,
      message: expect.stringContaining(JSON.stringify(value).slice(0, 20)),
    });
  });

  test('R-28: a long value is named by 100 units at most; undefined is no current episode', async () => {
    const filter = ChatRetrievalContext.CURRENT_EPISODE_FILTER;
    const long = new ChatRetrievalContext({ ownerId: AGENT, metadataFilters: { [filter]: 'x'.repeat(5_000) } });
    const error = await world
      .retriever()
      .retrieve('word', long)
      .catch((thrown: Error) => thrown);
    expect((error as Error).message.length).toBeLessThan(200);
    const absent = new ChatRetrievalContext({ ownerId: AGENT, metadataFilters: { [filter]: undefined } });
    expect((await world.retriever().retrieve('word', absent)).coverage.complete).toBe(true);
  });

  test.each(['-', ''])('R-29: the conversation id %j is none', async (id) => {
    world.write(LOG, h('-', 'word'));
    world.write('Alice.md', 'word\n');
    const { evidence, coverage } = await world.retriever().retrieve('word', R(3, id));
    expect(evidence.map(({ file }) => file)).toEqual(['Alice.md']);
    expect(coverage.reasons).toEqual(['needs_episode_and_conversation']);
  });

  test('R-30, RUN-37, RUN-78: an old run: other episodes are found, the current one is not, one warning in all', async () => {
    world.write('episode-1/Alice.log', old('word one'));
    world.write(LOG, old('word three'));
    const retriever = world.retriever();
    for (let look = 0; look < 2; look++) {
      const { evidence, coverage } = await retriever.retrieve('word', R(3, 'conv-1'));
      expect(evidence.map(({ text }) => text)).toEqual(['word one']);
      expect(evidence[0]!.conversation).toBeUndefined();
      expect(coverage).toMatchObject({
        complete: false,
        skipped: [{ what: LOG, reason: 'no_conversation_field' }],
      });
    }
    expect(world.warnings).toMatchObject([{ code: 'no_conversation_field', file: LOG }]);
  });

  test('R-31: lines before the first header are nobody’s; the record after them is found', async () => {
    world.write(LOG, `  half a record\n${h('conv-1', 'word y')}`);
    const retriever = world.retriever();
    expect(texts(await retriever.retrieve('half word', R(3, 'conv-1')))).toEqual(['word y']);
    expect(texts(await retriever.retrieve('half', R(1, 'conv-1')))).toEqual(['half a record']);
    expect(world.codes()).toEqual(['no_conversation_field']);
  });

  test('R-32: a record file of no episode is judged by conversation', async () => {
    world.write('Alice.log', h('conv-1', 'word one') + h('conv-2', 'word two'));
    expect(await found('word', R(3, 'conv-1'))).toEqual(['word one']);
    expect(await found('word', R(3, 'conv-2'))).toEqual(['word two']);
    expect(await found('word', R(3, 'conv-1'), { scope: RunScope.EPISODE })).toEqual([]);
  });

  test('R-33, RUN-41: what a message says of episodes decides nothing', async () => {
    world.write(LOG, h('conv-1', 'has started episode 1.'));
    const { evidence } = await world.retriever().retrieve('started', R(3, 'conv-1'));
    expect(evidence).toMatchObject([{ episode: 3 }]);
    expect(await found('started', R(1, 'conv-1'), { scope: RunScope.EPISODE })).toEqual([]);
  });

  test('R-34, RUN-39: 10 000 better hits in another conversation do not displace three of the own', async () => {
    const others = Array.from({ length: 10_000 }, (_, n) => h('conv-2', `deploy deploy deploy ${n}`)).join('');
    world.write(LOG, others + [1, 2, 3].map((n) => h('conv-1', `some words and one deploy number ${n}`)).join(''));
    expect(await found('deploy', R(3, 'conv-1', { topK: 3 }))).toHaveLength(3);
  });

  test('R-35, RUN-39, RUN-60: records that a request may not see change nothing in its answer', async () => {
    const own = ['deploy the service', 'rollback of the service', 'deploy and rollback', 'service'];
    world.write(LOG, own.map((text) => h('conv-1', text)).join('') + h('conv-2', 'x'));
    const retriever = world.retriever({ index: 'home' });
    const before = await retriever.retrieve('deploy rollback service', R(3, 'conv-1'));
    world.append(LOG, Array.from({ length: 1_000 }, () => h('conv-2', 'deploy the rollback service')).join(''));
    expect(await retriever.retrieve('deploy rollback service', R(3, 'conv-1'))).toEqual(before);
    expect(before.evidence).toHaveLength(4);
  });

  test.each(['alice', 'Alice ', 'Alice2', ''])(
    'R-36, RUN-35: owner %j: nothing, and no file is opened',
    async (owner) => {
      world.write('Alice.md', 'word\n');
      const retriever = world.retriever();
      expect((await retriever.retrieve('word', R(3, 'conv-1', { owner }))).evidence).toEqual([]);
      expect(retriever.counters?.opened ?? 0).toBe(0);
      const missing = new ChatRetrievalContext({ conversationId: 'conv-1' });
      expect((await retriever.retrieve('word', missing)).evidence).toEqual([]);
      expect(retriever.counters?.opened ?? 0).toBe(0);
    },
  );

  test('R-61, RUN-67: a copy that may not be seen displaces none that may', async () => {
    const interpreter = {
      version: '1',
      read: (_f: string, _l: number, { text }: { text: string }) => Reading.told(text),
    };
    world.write('episode-3/Alice.history', h('conv-2', 'same words', '19:00:00'));
    world.write(LOG, h('conv-1', 'same words'));
    const { evidence } = await world.retriever({ interpreter }).retrieve('same', R(3, 'conv-1'));
    expect(evidence).toMatchObject([{ conversation: 'conv-1', copies: 1, alsoAt: [] }]);
  });

  test('RUN-25, RUN-40: an interpreter cannot move a record; episodeOf can, when it gives a number', async () => {
    world.write(LOG, h('conv-2', 'word'));
    expect(await found('word', R(3, 'conv-1'), { episodeOf: () => 1 })).toEqual(['word']);
    for (const answer of [undefined, -1, 1.5, 1e9, '1', Number.NaN]) {
      expect(await found('word', R(3, 'conv-1'), { episodeOf: () => answer as never }), String(answer)).toEqual([]);
    }
    const failing = () => {
      throw new Error('no');
    };
    world.write('episode-1/Alice.log', h('conv-2', 'gone'));
    expect(await found('gone', R(3, 'conv-1'), { episodeOf: failing })).toEqual([]);
    expect(world.codes()).toContain('interpreter_failed');
  });

  test('RUN-37: the index says in SQL what the table says, for every kind of record and request', async () => {
    const conversations = ['conv-1', 'conv-2', '-', undefined];
    const placed = fc.record({
      file: fc.constantFrom('record' as const, 'other' as const),
      episode: fc.constantFrom(undefined, 1, 3),
      conversation: fc.constantFrom(...conversations),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(placed, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(RunScope.RUN, RunScope.EPISODE),
        fc.constantFrom(undefined, 1, 3),
        fc.constantFrom(...conversations),
        async (list, scope, episode, conversation) => {
          const own = new World();
          for (const [index, one] of list.entries()) {
            const folder = one.episode === undefined ? '' : `episode-${one.episode}/`;
            const line =
              one.conversation === undefined ? old(`word w${index}w`) : h(one.conversation, `word w${index}w`);
            own.append(
              one.file === 'record' ? `${folder}Alice.log` : `${folder}Alice.md`,
              one.file === 'record' ? line : `w${index}w word\n`,
            );
          }
          const { evidence } = await own.retriever({ scope }).retrieve('word', R(episode, conversation, { topK: 100 }));
          const seen = evidence.map(({ text }) => Number(/w(\d+)w/.exec(text)![1])).sort((a, b) => a - b);
          const expected = list.flatMap((one, index) => {
            const header = one.conversation === undefined ? {} : { conversation: one.conversation };
            const record = { kind: 'record', header: { time: '', state: 'x', ...header } } as RawRecord;
            const turn = {
              ...(episode === undefined ? {} : { episode }),
              ...(conversation === undefined ? {} : { conversation }),
            };
            const place = { file: one.file, ...(one.episode === undefined ? {} : { episode: one.episode }) };
            const verdict = evidenceFor(one.file === 'record' ? { ...place, record } : place, scope, turn);
            return verdict === 'yes' ? [index] : [];
          });
          await own.close();
          expect(seen).toEqual(expected);
        },
      ),
      { numRuns: 40 },
    );
  });
});
