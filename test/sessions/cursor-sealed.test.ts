// A cursor tells its reader nothing: it holds how far stores were written, by whomever (SES-80, VIS-51).
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { openCursor, signCursor } from '../../src/sessions/cursor.ts';
import { makeWorld, removeWorlds } from '../steps/world.ts';

afterEach(removeWorlds);

test('SES-80: what is sealed is opened by the same key alone, and unchanged alone', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), fc.string(), fc.nat(), (payload, key, other, at) => {
      const cursor = signCursor(payload, key);
      expect(openCursor(cursor, key)).toEqual(JSON.parse(JSON.stringify(payload)));
      expect(signCursor(payload, key)).toBe(cursor);
      if (other !== key) expect(() => openCursor(cursor, other)).toThrow(/not given by this home/);
      const index = at % cursor.length;
      const changed = `${cursor.slice(0, index)}${cursor[index] === 'A' ? 'B' : 'A'}${cursor.slice(index + 1)}`;
      for (const wrong of [changed, `${cursor}=`, `${cursor}.`, ` ${cursor}`, cursor.slice(1), '.', '']) {
        expect(() => openCursor(wrong, key)).toThrow(/not given by this home/);
      }
    }),
  );
});

test('VIS-51: a cursor does not tell how much sessions wrote that its reader does not see', async () => {
  const world = await makeWorld({ visibility: { visibility: 'self' } });
  const { sessions } = world.backstory;
  const message = { role: 'user', content: 'zebra' } as const;
  const hidden = (n: number): Promise<unknown> =>
    sessions.appendMany({ key: 'agent:main:hidden', messages: Array.from({ length: n }, () => message) });
  await hidden(7);
  await sessions.appendMany({ key: 'agent:main:main', messages: [message, message, message] });
  const caller = { agentId: 'main', sessionKey: 'agent:main:main' };
  const cursor = async (): Promise<string> =>
    (await sessions.search(caller, { query: 'zebra', limit: 1 })).coverage.cursor ?? '';
  const before = await cursor();
  await hidden(100);
  const after = await cursor();
  for (const one of [before, after]) {
    for (const part of one.split('.')) {
      expect(Buffer.from(part, 'base64url').toString('latin1')).not.toMatch(/through|main/);
    }
  }
  const next = await sessions.search(caller, { query: 'zebra', limit: 1, cursor: before });
  expect(next.hits).toHaveLength(1);
});
