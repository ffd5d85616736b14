// What lies outside a caller's scope changes nothing of a ranked answer (TXT-41, SES-74).
import { describe, expect, test } from 'vitest';
import { scopeFor } from '../../src/access/scope.ts';
import type { SearchParams, SearchResult } from '../../src/sessions/search.ts';
import { makeDesk } from './search-steps.ts';

const CALLER = { agentId: 'a', sessionKey: 'agent:a:mine' };
const OWN = ['alpha beta', 'alpha and more', 'beta alpha beta gamma', 'the alphabet', 'gamma'];

async function answers(others: readonly string[]): Promise<readonly SearchResult[]> {
  const desk = await makeDesk({ scope: scopeFor(CALLER, {}, 'self') });
  await desk.say('other', ...others.slice(0, others.length / 2));
  await desk.say('mine', ...OWN.slice(0, 3));
  await desk.say('other', ...others.slice(others.length / 2));
  await desk.say('mine', ...OWN.slice(3));
  const asked: readonly [string, Omit<SearchParams, 'query'>?][] = [
    ['alpha beta'],
    ['alpha'],
    ['alpha beta delta'],
    ['alph* -gamma', { sort: 'oldest' }],
    ['alpha OR gamma', { group: 'session' }],
    ['alp.a b', { regex: true }],
    ['the alphabet', { regex: true }],
    ['zzz', { regex: true }],
  ];
  const found: SearchResult[] = [];
  for (const [query, params] of asked) found.push(await desk.search(query, { explain: true, ...params }));
  await desk.close();
  return found;
}

describe('scope and rank', () => {
  test('T-76 TXT-41: 10 000 texts with the word in another scope leave the answer as it is, byte for byte', async () => {
    const alone = await answers([]);
    expect(alone.map(({ hits }) => hits.length)).toEqual([2, 3, 2, 3, 1, 2, 1, 0]);
    expect(JSON.stringify(await answers(new Array<string>(10_000).fill('alpha alp a b')))).toBe(JSON.stringify(alone));
  });
});
