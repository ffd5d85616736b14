// Erasing obeys the same scope as reading, and is for operators (VIS-70); writing over surfaces is too (VIS-71).
import { afterEach, describe, expect, test } from 'vitest';
import { type Caller, operator } from '../../src/access/caller.ts';
import { execute } from '../../src/api/operation.ts';
import { OPERATIONS } from '../../src/api/operations.ts';
import { caller, type House, makeHouse } from './house.ts';

describe('erasing', () => {
  let house: House;
  afterEach(() => house.close());
  const build = async (): Promise<House> => {
    house = await makeHouse([
      { key: 'agent:desk:p', kind: 'other', people: ['P'] },
      { key: 'agent:desk:q', kind: 'other', people: ['Q'] },
      { key: 'agent:home:both', kind: 'other', people: ['P', 'Q'] },
    ]);
    return house;
  };

  test('V-29 VIS-70: an operator bound to P erases nothing of Q, and is told 0', async () => {
    const { sessions } = await (await build()).open();
    const receipt = await sessions.erase(operator({ person: 'P' }), { person: 'Q' });
    expect(receipt.deleted.sessions).toBe(0);
    expect((await sessions.list(operator())).sessions).toHaveLength(3);
  });

  test('VIS-70: within the scope of its person it erases', async () => {
    const { sessions } = await (await build()).open();
    const receipt = await sessions.erase(operator({ person: 'P' }), { person: 'P' });
    expect(receipt.deleted.sessions).toBe(1);
    const left = (await sessions.list(operator())).sessions.map((row) => row.sessionKey).sort();
    expect(left).toEqual(['agent:desk:q', 'agent:home:both']);
  });

  test('VIS-70: a session outside the scope is not found, as a key that nobody has', async () => {
    const { sessions } = await (await build()).open();
    const bound = operator({ person: 'P' });
    const errors = await Promise.all(
      ['agent:desk:q', 'agent:desk:never'].map((session) =>
        sessions.erase(bound, { session }).then(
          () => 'erased',
          (error: { code: string; hint: string; message: string }) =>
            [error.code, error.hint, error.message.replace(session, '…')].join('\n'),
        ),
      ),
    );
    expect(errors[0]).toBe(errors[1]);
    expect((await sessions.list(operator())).sessions).toHaveLength(3);
  });

  test('VIS-70: an operator bound to a person erases no memory, no run index and no whole agent', async () => {
    const backstory = await (await build()).open();
    const erase = OPERATIONS.find(({ name }) => name === 'erase')!;
    const bound = operator({ person: 'P' });
    const selectors = [
      { namespace: 'workspace=app' },
      { subject: { user: 'q' } },
      { thread: 't' },
      { run: 'r' },
      { runFolder: '/runs/1' },
      { agent: 'desk' },
    ];
    for (const selector of selectors) {
      const refused = execute(erase, backstory, bound, selector);
      await expect(refused).rejects.toMatchObject({ code: 'operator_required' });
    }
    expect((await backstory.sessions.list(operator())).sessions).toHaveLength(3);
    expect(await execute(erase, backstory, bound, { person: 'P' })).toMatchObject({ deleted: { sessions: 1 } });
  });

  test('SUR-73: nothing stands beside runFolder, and nothing is erased by half of what was asked', async () => {
    const backstory = await (await build()).open();
    const erase = OPERATIONS.find(({ name }) => name === 'erase')!;
    for (const more of [{ agent: 'desk' }, { withinPrefix: true }]) {
      const refused = execute(erase, backstory, operator(), { runFolder: '/runs/1', ...more });
      await expect(refused).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });

  test('VIS-70: it needs an operator', async () => {
    const { sessions } = await (await build()).open();
    const plain: Caller = { ...caller, person: 'P' };
    await expect(sessions.erase(plain, { person: 'P' })).rejects.toMatchObject({ code: 'operator_required' });
  });
});

test('VIS-71: every operation that writes sessions is for operators, and is refused to others before it reads', async () => {
  const writing = OPERATIONS.filter(({ name, readOnly }) => name.startsWith('sessions_') && !readOnly);
  expect(writing.length).toBeGreaterThan(5);
  for (const operation of writing) {
    expect([operation.name, operation.who]).toEqual([operation.name, 'operator']);
    await expect(execute(operation, undefined as never, caller, {})).rejects.toMatchObject({
      code: 'operator_required',
    });
  }
});
