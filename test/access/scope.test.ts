// Who asks, and what they may see, as far as it is built: the operator's row.
import { describe, expect, test } from 'vitest';
import { type Caller, checkedCaller, operator } from '../../src/access/caller.ts';
import { emptyScope, scopeFor } from '../../src/access/scope.ts';
import { isBackstoryError } from '../../src/model/errors.ts';

function errorOf(work: () => unknown): { code: string; message: string; status: number } {
  try {
    work();
  } catch (error) {
    if (isBackstoryError(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('the caller', () => {
  test('VIS-2: operator() needs no agent, and may be bound to a person', () => {
    expect(checkedCaller(operator())).toEqual({ operator: true });
    expect(operator({ person: 'ann' })).toEqual({ operator: true, person: 'ann' });
  });

  test('VIS-3: a session key that does not exist yet is fine', () => {
    const caller = { agentId: 'desk', sessionKey: 'agent:desk:not-yet' };
    expect(checkedCaller(caller)).toBe(caller);
  });

  test.each<[string, unknown, string]>([
    ['a session key of another agent', { agentId: 'desk', sessionKey: 'agent:home:main' }, '"agent:home:main"'],
    ['a session key that breaks the grammar', { agentId: 'desk', sessionKey: 'desk:main' }, '"desk:main"'],
    ['an operator with a broken session key', { operator: true, sessionKey: 'x' }, '"x"'],
    ['an agent id that breaks the grammar', { agentId: 'Desk!' }, '"Desk!"'],
    ['no agent', {}, 'agentId'],
    ['operator: false and no agent', { operator: false }, 'agentId'],
    ['a blank person', { agentId: 'desk', person: ' ' }, 'person'],
    ['a wrong type', { agentId: 'desk', sandboxed: 'yes' }, '"yes"'],
    ['an operator that is not a boolean', { agentId: 'desk', operator: 'true' }, '"true"'],
    ['a field nobody knows', { agentId: 'desk', operater: true }, '"operater"'],
    ['no object', null, 'null'],
  ])('VIS-3: %s is caller_invalid (400) and named', (_what, caller, named) => {
    const error = errorOf(() => checkedCaller(caller as Caller));
    expect(error.code).toBe('caller_invalid');
    expect(error.status).toBe(400);
    expect(error.message).toContain(named);
  });
});

describe('the scope', () => {
  test('VIS-30: an operator without a person sees everything (row 3), in every agent', () => {
    expect(scopeFor(operator())).toEqual({ condition: { kind: 'everything' }, agents: 'all' });
  });

  test.each<[string, Caller]>([
    ['a plain caller', { agentId: 'desk', sessionKey: 'agent:desk:main' }],
    ['an operator bound to a person (row 5 comes before 6)', operator({ person: 'ann' })],
  ])('VIS-30: %s is refused until the whole table stands, not answered by a part of it', (_what, caller) => {
    const error = errorOf(() => scopeFor(caller));
    expect(error.code).toBe('operator_required');
    expect(error.status).toBe(403);
  });

  test('VIS-3: an invalid caller is named as such before anything is decided', () => {
    expect(errorOf(() => scopeFor({ agentId: '' })).code).toBe('caller_invalid');
  });

  test('VIS-41: an empty scope selects nothing and opens no store', () => {
    expect(emptyScope()).toEqual({ condition: { kind: 'nothing' }, agents: [] });
  });

  test('VIS-40: nobody changes a scope after it was made', () => {
    const scope = scopeFor(operator()) as { agents: unknown };
    expect(() => {
      scope.agents = ['other'];
    }).toThrow(TypeError);
  });
});
