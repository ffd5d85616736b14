import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { preparerOf } from '../../src/sessions/prepare.ts';
import { claude, codex, makeWorld, removeWorlds } from '../steps/world.ts';

afterEach(removeWorlds);

describe('what an answer says it did not look at', () => {
  test('COM-30: the coverage of a search holds every field, and counts what the caller may see', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [claude.user('u-1', 'one zebra'), claude.assistant('a-1', 'two zebra', 'u-1')]);
    await world.sync();
    const { coverage } = await world.backstory.sessions.search(operator(), { query: 'zebra —', since: '-365d' });
    expect(coverage).toMatchObject({
      complete: true,
      truncated: false,
      ranked: { considered: 2, complete: true },
      query: { dropped: ['—'], relaxed: false },
      window: { since: expect.stringMatching(/^\d{4}-.*Z$/) },
      indexing: { done: 2, total: 2 },
      skipped: [],
      skippedTotal: 0,
      sessions: { searched: 1 },
    });
  });

  test('COM-31: files left unread make an answer incomplete; a bound by limit does not', async () => {
    const world = await makeWorld();
    for (let n = 0; n < 40; n++) {
      world.write(claude.path(`s-${n}`), [claude.user(`u-${n}`, 'zebra', null, { sessionId: `s-${n}` })]);
    }
    const report = await world.backstory.sources.sync({ budgetMs: 0 });
    expect(report.left).toBeGreaterThan(0);
    const partial = await world.backstory.sessions.search(operator(), { query: 'zebra', limit: 1 });
    expect(partial.coverage).toMatchObject({ complete: false, notImported: report.left });
    await world.sync();
    const whole = await world.backstory.sessions.search(operator(), { query: 'zebra', limit: 1 });
    expect(whole.coverage).toMatchObject({ complete: true, truncated: 'limit', notImported: 0 });
  });

  test('COM-32 SES-75: a damaged store is named with its code, and the rest answers', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [claude.user('u-1', 'zebra')]);
    world.write(codex.path('c-1'), [codex.meta('c-1'), codex.item('user', 'zebra')]);
    await world.sync();
    await world.backstory.close();
    writeFileSync(join(world.home, 'agents', 'codex.sqlite'), 'this is no database, and never was one'.repeat(100));
    const engine = await world.reopen();
    const { hits, coverage } = await engine.sessions.search(operator(), { query: 'zebra' });
    expect(hits.map((hit) => hit.agentId)).toEqual(['claude-code']);
    expect(coverage).toMatchObject({
      complete: false,
      skipped: [{ what: 'codex', reason: 'store_damaged' }],
      skippedTotal: 1,
    });
  });

  test('COM-32: each file that is passed over has one reason of the list', async () => {
    const world = await makeWorld();
    world.write(claude.path('utf16'), [Buffer.from('\ufeffabc', 'utf16le').toString('latin1')], { end: '' });
    writeFileSync(join(world.user, claude.path('utf16')), Buffer.from('\ufeffsome text', 'utf16le'));
    writeFileSync(join(world.user, claude.path('binary')), Buffer.alloc(9_000));
    const { files } = await world.sync();
    expect(files.skipped.map((one) => one.reason).sort()).toEqual(['binary', 'utf16']);
  });

  test('SUR-71: stats count sessions, messages, texts and bytes by agent, and their sum', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [claude.user('u-1', 'abc'), claude.assistant('a-1', 'defgh', 'u-1')]);
    world.write(codex.path('c-1'), [codex.meta('c-1'), codex.item('user', 'xy')]);
    await world.sync();
    const stats = await world.backstory.sessions.stats(operator());
    expect(stats.total).toMatchObject({ sessions: 2, messages: 3, texts: 3, characters: 10 });
    expect(stats.agents.map((agent) => [agent.agentId, agent.messages])).toEqual([
      ['claude-code', 2],
      ['codex', 1],
    ]);
    expect(stats.total.bytes).toBe(stats.agents.reduce((sum, agent) => sum + (agent.bytes ?? 0), 0));
  });

  test('TXT-2: mask, sanitize, and mask again where that changed anything', () => {
    // Only without the escape is it a secret; and masking comes first, so that a cut cannot come between.
    const seen: string[] = [];
    const masker = {
      fingerprint: 'test',
      mask(text: string): string {
        seen.push(text);
        return text.replaceAll('hunter2', '[hidden:value]');
      },
    };
    expect(preparerOf(masker)('hun\u200bter2 hunter2')).toEqual({
      masked: '[hidden:value] [hidden:value]',
      clean: false,
    });
    expect(seen).toEqual(['hun\u200bter2 hunter2', 'hunter2 [hidden:value]']);
    expect(preparerOf(masker)('plain')).toEqual({ masked: 'plain', clean: true });
  });
});
