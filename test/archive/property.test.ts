// Random histories of a host, with every move it has: raw archives bring them back as they were (SUR-72).
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import type { Backstory } from '../../src/engine/engine.ts';
import { isBackstoryError } from '../../src/model/errors.ts';
import { makeWorld, removeWorlds } from '../steps/world.ts';
import { answersOf, exported, saved } from './steps.ts';

afterAll(removeWorlds);

const caller = operator();
const KEYS = ['agent:main:main', 'agent:main:subagent:s', 'agent:main:direct:ann', 'agent:main:group:g'] as const;
const WORDS = ['orchard', 'harbour', 'zebra'];
const text = fc.oneof(
  fc.constantFrom(...WORDS, 'the orchard and the harbour', 'line\nfeed', ''),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const content = fc.oneof(
  text,
  fc.array(
    fc.oneof(
      text.map((one) => ({ type: 'text', text: one })),
      text.map((one) => ({ type: 'text', text: one, cache: true })),
      text.map((one) => ({ type: 'reasoning', text: one })),
      text.map((one) => ({ type: 'tool_call', id: 't', name: 'shell', input: { one } })),
      text.map((one) => ({ type: 'tool_result', id: 't', content: one })),
      fc.constant({ type: 'tool_result', id: 't', content: 'x'.repeat(33_000) }),
      fc.constant({ type: 'image', mediaType: 'image/png', data: 'AAAA' }),
      fc.constant({ type: 'hologram', depth: 3 }),
    ),
    { minLength: 1, maxLength: 3 },
  ),
);
const move = fc.record({
  key: fc.constantFrom(...KEYS),
  move: fc.constantFrom(
    'append',
    'append',
    'append',
    'append',
    'custom',
    'reset',
    'rewind',
    'switch',
    'compact',
    'archive',
    'aside',
  ),
  content,
  role: fc.constantFrom('user', 'assistant', 'system', 'tool'),
  pick: fc.nat(30),
  at: fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 }),
  author: fc.boolean(),
  keyed: fc.boolean(),
});
type Move = typeof move extends fc.Arbitrary<infer T> ? T : never;

/** Moves that a session refuses are no moves. */
async function play(backstory: Backstory, moves: readonly Move[]): Promise<void> {
  const { sessions } = backstory;
  const ids = new Map<string, string[]>();
  for (const [index, one] of moves.entries()) {
    const { key } = one;
    const known = ids.get(key) ?? [];
    const picked = known[one.pick % Math.max(1, known.length)];
    const message = {
      role: one.role,
      content: one.content,
      at: one.at,
      ...(one.author ? { author: { id: 'ann', name: 'Ann' } } : {}),
    };
    const session =
      known.length > 0
        ? {}
        : {
            session: {
              title: `of ${key}`,
              ...(key.includes('direct') ? { people: ['ann'] } : {}),
              ...(key.includes('subagent') ? { spawnedBy: 'agent:main:main', parent: 'agent:other:main' } : {}),
            },
          };
    const work: Record<Move['move'], () => Promise<unknown>> = {
      append: () =>
        sessions.append({ key, ...session, message, ...(one.keyed ? { idempotencyKey: `k-${index}` } : {}) } as never),
      custom: () => sessions.append({ key, custom: { data: { one: one.content }, display: one.author } } as never),
      aside: () => sessions.append({ key, message, aside: true } as never),
      reset: () =>
        sessions.reset({ key, reason: 'new', keep: one.pick % 4, window: one.author ? 'new' : 'same' } as never),
      rewind: () => sessions.rewind({ key, to: picked } as never),
      switch: () => sessions.switchTo({ key, to: picked } as never),
      compact: () => sessions.compact({ key, summary: 'in short: zebra' } as never),
      archive: () => sessions.archive({ key, archived: one.author } as never),
    };
    try {
      const done = (await work[one.move]()) as { messageId?: string; entryId?: string };
      const id = done.messageId ?? done.entryId;
      if (id !== undefined) ids.set(key, [...known, id]);
      played.set(one.move, (played.get(one.move) ?? 0) + 1);
    } catch (error) {
      if (!isBackstoryError(error)) throw error;
    }
  }
}

const played = new Map<string, number>();

test('SUR-72: whatever a host wrote, a raw archive brings all of it back, and leaves again as the same bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 12, maxLength: 30 }), async (moves) => {
      const [one, other] = [await makeWorld(), await makeWorld()];
      try {
        await play(one.backstory, moves);
        const archive = await exported(one.backstory).catch(() => undefined);
        if (archive === undefined) return;
        await other.backstory.importArchive(caller, { file: saved(other.folder, archive) });
        expect(await exported(other.backstory)).toBe(archive);
        expect(await answersOf(other.backstory, WORDS)).toEqual(await answersOf(one.backstory, WORDS));
        const { findings } = await other.backstory.doctor(caller);
        expect(findings.filter(({ level }) => level === 'error')).toEqual([]);
        const stats = [await one.backstory.sessions.stats(caller), await other.backstory.sessions.stats(caller)];
        const [before, after] = stats.map(({ total: { bytes: _, ...total } }) => total);
        expect(after).toEqual(before);
      } finally {
        await removeWorlds();
      }
    }),
    { numRuns: 15, seed: 72 },
  );
  // Each move was made, and not only refused.
  expect([...played.keys()].sort()).toEqual([
    'append',
    'archive',
    'aside',
    'compact',
    'custom',
    'reset',
    'rewind',
    'switch',
  ]);
}, 60_000);
