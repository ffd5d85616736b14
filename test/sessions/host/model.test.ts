// SES-159: whatever a host does, in whatever order, the index equals one built anew from the rows, and what is found and
// shown equals what a plain model of the session says.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { operator } from '../../../src/access/caller.ts';
import type { Backstory } from '../../../src/engine/engine.ts';
import { Masker } from '../../../src/redact/masker.ts';
import { preparerOf } from '../../../src/sessions/prepare.ts';
import { openSqliteStores } from '../../../src/store/sqlite/store-set.ts';
import { makeWorld, removeWorlds } from '../../steps/world.ts';

afterEach(removeWorlds);

type Step =
  | { readonly do: 'append'; readonly later: boolean; readonly assistant: boolean }
  | { readonly do: 'aside' }
  | { readonly do: 'batch'; readonly count: number; readonly later: boolean }
  | { readonly do: 'branch' | 'rewind' | 'switch'; readonly at: number; readonly window: boolean }
  | { readonly do: 'reset'; readonly keep: number; readonly window: boolean }
  | { readonly do: 'compact' | 'delete' | 'search' | 'reopen' | 'abandoned' };

/** One of a few sessions for each step. */
const steps = fc.array(
  fc.tuple(
    fc.nat(2),
    fc.oneof(
      { weight: 8, arbitrary: fc.record({ do: fc.constant('append'), later: fc.boolean(), assistant: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('aside') }) },
      {
        weight: 2,
        arbitrary: fc.record({ do: fc.constant('batch'), count: fc.integer({ min: 1, max: 5 }), later: fc.boolean() }),
      },
      {
        weight: 5,
        arbitrary: fc.record({
          do: fc.constantFrom('branch', 'rewind', 'switch'),
          at: fc.nat(30),
          window: fc.boolean(),
        }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('reset'), keep: fc.nat(3), window: fc.boolean() }) },
      {
        weight: 3,
        arbitrary: fc.record({ do: fc.constantFrom('compact', 'delete', 'search', 'reopen', 'abandoned') }),
      },
    ) as fc.Arbitrary<Step>,
  ),
  { minLength: 1, maxLength: 30 },
);

interface Node {
  readonly id: string;
  readonly word?: string;
  readonly role?: 'user' | 'assistant';
  readonly parent: Node | undefined;
  readonly isReset: boolean;
  readonly order: number;
}

/** A session as a tree of plain objects. */
class Plain {
  readonly all: Node[] = [];
  leaf: Node | undefined;
  kept: readonly Node[] = [];

  add(id: string, more: Partial<Node> = {}, parent: Node | undefined = this.leaf): void {
    this.leaf = { id, isReset: false, order: this.all.length, ...more, parent };
    this.all.push(this.leaf);
  }
  path(): Node[] {
    const path: Node[] = [];
    for (let at = this.leaf; at !== undefined; at = at.parent) path.unshift(at);
    return path;
  }
  reset(): Node | undefined {
    return this.path().findLast((node) => node.isReset);
  }
  view(): Node[] {
    const reset = this.reset();
    if (reset === undefined) return this.path();
    return [...this.kept, ...this.path().filter((node) => node.order >= reset.order)];
  }
  after(): Node[] {
    const reset = this.reset();
    return this.all.filter((node) => reset === undefined || node.order >= reset.order);
  }
}

describe('SES-159, S-116: random appends, resets, rewinds, switches, deletions, searches', () => {
  it('leave an index that equals one built anew, and answers that equal a plain model', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const world = await makeWorld();
        let engine = world.backstory;
        const plain = new Map<string, Plain>();
        let count = 0;
        for (const [which, step] of list) {
          const key = `agent:main:s${which}`;
          if (step.do === 'reopen') {
            await engine.close();
            engine = await world.reopen();
          } else count = await apply(engine, key, plain, step, count);
        }
        await expectSame(engine, plain);
        await engine.close();
        await expectIndexAnew(join(world.home, 'agents'));
        await removeWorlds();
      }),
      { numRuns: 30 },
    );
  });
});

async function apply(
  { sessions }: Backstory,
  key: string,
  plain: Map<string, Plain>,
  step: Exclude<Step, { readonly do: 'reopen' }> | Step,
  before: number,
): Promise<number> {
  let count = before;
  const next = (role: 'user' | 'assistant' = 'user') => {
    count++;
    const word = `word${count}x`;
    return { word, role, message: { id: `m${count}`, role, content: `${word} common text` } as const };
  };
  const known = plain.get(key);
  const session = known ?? new Plain();
  if (step.do === 'append' || step.do === 'batch') {
    const made = Array.from({ length: step.do === 'batch' ? step.count : 1 }, () =>
      next(step.do === 'append' && step.assistant ? 'assistant' : 'user'),
    );
    await sessions.appendMany({
      key,
      messages: made.map(({ message }) => message),
      index: step.later ? 'later' : 'now',
    });
    for (const { message, word, role } of made) session.add(message.id, { word, role });
    plain.set(key, session);
  } else if (known === undefined) return count;
  else if (step.do === 'aside') await sessions.append({ key, message: next().message, aside: true });
  else if (step.do === 'reset') {
    const messages = known.view().filter(({ role }) => role !== undefined);
    const tail = step.keep === 0 ? [] : messages.slice(-step.keep);
    const first = tail.findIndex(({ role }) => role === 'user');
    const { entryId, kept } = await sessions.reset({ key, keep: step.keep, window: step.window ? 'new' : 'same' });
    known.kept = first < 0 ? [] : tail.slice(first);
    expect(kept.map(({ messageId }) => messageId)).toEqual(known.kept.map(({ id }) => id));
    known.add(entryId, { isReset: true });
  } else if (step.do === 'compact') known.add((await sessions.compact({ key, summary: 'common sum' })).entryId);
  else if (step.do === 'branch' || step.do === 'switch' || step.do === 'rewind') {
    const path = new Set(known.path());
    const targets = known.after().filter((node) => step.do !== 'rewind' || path.has(node));
    const target = targets[step.at % Math.max(1, targets.length)];
    if (target === undefined) return count;
    if (step.do === 'branch') {
      const { message, word, role } = next();
      await sessions.append({ key, message, parentId: target.id, onStaleParent: 'branch' });
      known.add(message.id, { word, role }, target);
    } else {
      const to = target.id;
      const window = step.window ? 'new' : 'same';
      const { entryId } =
        step.do === 'rewind' ? await sessions.rewind({ key, to, window }) : await sessions.switchTo({ key, to });
      if (target !== known.leaf) known.add(entryId, {}, target);
    }
  } else if (step.do === 'delete') {
    expect((await sessions.delete(operator(), { key })).verified).toEqual({ rows: 0, index: 0, file: 'absent' });
    plain.delete(key);
  } else if (step.do === 'abandoned') {
    await sessions.erase(operator(), { abandoned: true });
    for (const one of plain.values()) {
      const path = new Set(one.path());
      one.all.splice(0, one.all.length, ...one.all.filter((node) => path.has(node)));
    }
  } else if (step.do === 'search') await expectFound({ sessions }, plain);
  return count;
}

async function expectFound(
  { sessions }: Pick<Backstory, 'sessions'>,
  plain: ReadonlyMap<string, Plain>,
): Promise<void> {
  const { hits, indexing } = await sessions.search(operator(), {
    query: 'common',
    limit: 500,
    sort: 'oldest',
    waitMs: 30_000,
  });
  expect(indexing).toBe(false);
  const expected = [...plain].flatMap(([key, one]) =>
    one.path().flatMap(({ id, word }) => (word === undefined ? [] : [`${key} ${id}`])),
  );
  expect(hits.map((hit) => `${hit.sessionKey} ${hit.messageId}`).sort()).toEqual(expected.sort());
}

async function expectSame(engine: Backstory, plain: ReadonlyMap<string, Plain>): Promise<void> {
  await expectFound(engine, plain);
  for (const [key, one] of plain) {
    const view = one.view().map(({ id }) => id);
    expect((await engine.sessions.current(key)).entries.map(({ messageId }) => messageId)).toEqual(view);
    const page = await engine.sessions.history(operator(), { session: key, limit: 1_000 });
    expect(page.entries.map(({ messageId }) => messageId)).toEqual(view);
  }
}

/** Rows of the index, by the entries they stand for, and the counters that go with them. */
function dump(path: string): unknown {
  const db = new Database(path);
  db.exec("CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'fts', 'instance')");
  const rows = (sql: string): unknown[] => db.prepare(sql).raw().all();
  const found = {
    docs: rows('SELECT entry, session, role, at, length, flags FROM doc ORDER BY entry, id'),
    words: rows(
      'SELECT d.entry, w.term, w.col, w.offset FROM words w LEFT JOIN doc d ON d.id = w.doc ORDER BY 1, 2, 3, 4',
    ),
    sessions: rows('SELECT no, messages, texts, characters, dirty_from FROM session ORDER BY no'),
    counted: rows('SELECT id FROM entry WHERE flags & 32 ORDER BY id'),
  };
  db.close();
  return found;
}

async function expectIndexAnew(folder: string): Promise<void> {
  const anew = mkdtempSync(join(tmpdir(), 'backstory-anew-'));
  try {
    try {
      cpSync(folder, anew, { recursive: true });
    } catch {
      return;
    }
    const path = join(anew, 'main.sqlite');
    const db = new Database(path);
    if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'doc'").get() === undefined) return;
    db.exec(`DELETE FROM fts WHERE rowid IN (SELECT id FROM doc); DELETE FROM doc;
      UPDATE entry SET flags = flags & ~32; UPDATE session SET texts = 0, characters = 0`);
    db.close();
    const stores = openSqliteStores({ folder: anew });
    const store = (await stores.open('main'))!;
    await store.write(async (writing) => {
      await writing.index(await writing.textEntries(0, 100_000), preparerOf(Masker.credentials()));
    });
    await stores.close();
    expect(dump(join(folder, 'main.sqlite'))).toEqual(dump(path));
  } finally {
    rmSync(anew, { recursive: true, force: true });
  }
}
