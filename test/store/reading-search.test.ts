// The read side of SQLite: MATCH text, and plans of a search that give the same answer (search-engine.md).
import { describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { emptyScope, scopeFor } from '../../src/access/scope.ts';
import { applyMask } from '../../src/redact/masked.ts';
import { Masker } from '../../src/redact/masker.ts';
import type { AgentStore } from '../../src/store/contract.ts';
import type { MessageFilter, Reading, SessionFilter } from '../../src/store/reading.ts';
import { clauseMatch, ftsToken, queryMatch } from '../../src/store/sqlite/match.ts';
import { openSqliteStores } from '../../src/store/sqlite/store-set.ts';
import { GAP_TOKEN, parseQuery } from '../../src/text/index.ts';

const everything = scopeFor(operator());
const matchOf = (typed: string): string | undefined => {
  const query = parseQuery(typed);
  return queryMatch(
    query,
    query.clauses.map((_, index) => index),
  );
};

describe('MATCH text (TXT-20, TXT-24)', () => {
  test.each([
    ['hello', 'text : ("hello")'],
    ['hello world', 'text : ("hello" AND "world")'],
    ['"hello world"', 'text : ("hello world")'],
    ['hel*', 'text : ("hel" *)'],
    ['a OR b c', 'text : (("a" OR "b") AND "c")'],
    ['x -y -"z w"', 'text : (("x") NOT ("y" OR "z w"))'],
    ['NEAR(a b) ^c', 'text : ("near a" AND "b" AND "c")'],
    ['550e8400-e29b', 'text : (("550e8400" * AND "e29b"))'],
  ])('%s → %s', (typed, match) => {
    expect(matchOf(typed)).toBe(match);
  });

  test('TXT-20: tokens with other characters have private-use letters; words and the gap stay', () => {
    expect(ftsToken('c++')).toBe('c\ue02b\ue02b');
    expect(ftsToken('hidden:private-key')).toBe('hidden\ue03aprivate\ue02dkey');
    for (const token of ['snake_case', '认证', 'ελλάς', GAP_TOKEN]) expect(ftsToken(token)).toBe(token);
  });

  test('nothing required is no match at all, and never everything', () => {
    expect(queryMatch(parseQuery('hello'), [])).toBeUndefined();
    expect(clauseMatch(parseQuery('c#').clauses[0]!)).toBe('text : ("c\ue023")');
  });
});

/** 60 sessions of 4 texts; every third text is shared with the next session. */
async function filled(): Promise<{ store: AgentStore; close: () => Promise<void> }> {
  const stores = openSqliteStores();
  const store = (await stores.open('a', { create: true }))!;
  await store.write(async (writing) => {
    let shared: number | undefined;
    for (let s = 0; s < 60; s++) {
      const kind = s < 30 ? 'imported' : s < 33 ? 'cron' : 'direct';
      const made = { key: `agent:a:s${s}`, kind, sessionId: `s${s}`, reason: 'imported', createdAt: s * 10 } as const;
      const { no, window } = await writing.createSession(made);
      const ids: number[] = [];
      for (let n = 0; n < 4; n++) {
        const text = `zebra word${n} s${s}`;
        ids.push(
          await writing.insert({
            session: no,
            window,
            kind: 'message',
            role: n % 2 ? 'assistant' : 'user',
            state: 'active',
            at: s * 10 + n,
            messageId: `m${s}.${n}`,
            blocks: [{ type: 'text', text }],
            ...(n === 0 && shared !== undefined ? { copyOf: shared } : {}),
          }),
        );
      }
      shared = ids[3];
      await writing.index(ids, (text) => ({ masked: applyMask(Masker.off, text), clean: true }));
      await writing.updateSession(no, { lastAt: s * 10 + 3 });
    }
  });
  return { store, close: () => stores.close() };
}

async function drawn(reading: Reading, filter: SessionFilter & MessageFilter, typed = 'zebra'): Promise<number[]> {
  const query = parseQuery(typed);
  const { candidates } = await reading.draw(everything, filter, query, [0], 1_000);
  return candidates.map((candidate) => candidate.entry);
}

describe('plans (search-engine.md, 3)', () => {
  test('SES-73: tokens, join and no condition give the same texts, copies included', async () => {
    const { store, close } = await filled();
    await store.read(async (reading) => {
      const all = await drawn(reading, {});
      expect(all).toEqual([...all].sort((a, b) => b - a));
      const keys = (from: number, to: number): string[] =>
        Array.from({ length: to - from }, (_, n) => `agent:a:s${from + n}`);
      // 3 sessions: by tokens. 30: by join. Together with a filter that takes in all of them: by join as well.
      const few = await drawn(reading, { kinds: ['cron'] });
      const many = await drawn(reading, { kinds: ['imported'] });
      const most = await drawn(reading, { excludeKinds: ['cron'] });
      expect(few).toEqual(await drawn(reading, { keys: keys(30, 33) }));
      expect(many).toEqual(await drawn(reading, { keys: keys(0, 30) }));
      expect(await drawn(reading, { excludeKinds: ['main'] })).toEqual(all);
      // Each session has 3 texts of its own, and its 4th is the first of the next.
      expect([all.length, few.length, many.length, most.length]).toEqual([181, 10, 91, 173]);
      const apart: number[] = [];
      for (const key of keys(0, 30)) apart.push(...(await drawn(reading, { keys: [key] })));
      expect([...new Set(apart)].sort((a, b) => b - a)).toEqual(many);
    });
    await close();
  });

  test('SES-70: times and roles narrow under every plan', async () => {
    const { store, close } = await filled();
    await store.read(async (reading) => {
      expect(await drawn(reading, { since: 100, until: 103 })).toHaveLength(2);
      expect((await drawn(reading, { since: 100, until: 400 })).length).toBe(90);
      expect((await drawn(reading, { roles: ['assistant'] })).length).toBe(120);
      expect(await drawn(reading, { sessionId: 's5' })).toHaveLength(4);
      expect(await drawn(reading, { sessionId: 'ghost' })).toHaveLength(0);
      const first = (await drawn(reading, {})).at(-1)!;
      expect(await drawn(reading, { through: first })).toEqual([first]);
    });
    await close();
  });

  test('TXT-24: a word that looks like a scope token is looked for in the text only', async () => {
    const { store, close } = await filled();
    await store.read(async (reading) => {
      expect(await drawn(reading, {}, 's7')).toHaveLength(4 - 1);
      expect(await reading.frequency(everything, parseQuery('s7').clauses[0]!, 2_000)).toBe(3);
      expect(await drawn(reading, { keys: ['agent:a:s9'] }, 's7')).toHaveLength(0);
    });
    await close();
  });

  test('VIS-41: an empty scope selects nothing, in draws, counts and lists', async () => {
    const { store, close } = await filled();
    await store.read(async (reading) => {
      const nothing = emptyScope();
      const query = parseQuery('zebra');
      expect((await reading.draw(nothing, {}, query, [0], 10)).candidates).toEqual([]);
      expect(await reading.frequency(nothing, query.clauses[0]!, 10)).toBe(0);
      expect(await reading.totals(nothing)).toEqual({ texts: 0, characters: 0, sessions: 0 });
      expect(await reading.list(nothing, {}, 10)).toEqual([]);
      expect(await reading.session(nothing, 'agent:a:s1')).toBeUndefined();
      expect((await reading.locate(nothing, {}, [1])).size).toBe(0);
      expect((await reading.stats(nothing)).sessions).toBe(0);
    });
    await close();
  });

  test('TXT-41: frequency stops at its cap, and a draw says that there is more', async () => {
    const { store, close } = await filled();
    await store.read(async (reading) => {
      const query = parseQuery('zebra');
      expect(await reading.frequency(everything, query.clauses[0]!, 50)).toBe(50);
      const some = await reading.draw(everything, {}, query, [0], 50);
      expect([some.candidates.length, some.more]).toEqual([50, true]);
      const oldest = await reading.draw(everything, {}, query, [0], 3, 'oldest');
      expect(oldest.candidates.map((candidate) => candidate.at)).toEqual([0, 1, 2]);
    });
    await close();
  });
});
