// Rules of the host face that no case of the case file holds: faults, locks, codes, statistics, stores.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { operator } from '../../../src/access/caller.ts';
import { execute } from '../../../src/api/operation.ts';
import { OPERATIONS } from '../../../src/api/operations.ts';
import { run } from '../../../src/cli/run.ts';
import { ERROR_CODES } from '../../../src/model/errors.ts';
import { Masker } from '../../../src/redact/masker.ts';
import { append } from '../../../src/sessions/append.ts';
import { Incognito } from '../../../src/sessions/incognito.ts';
import { preparerOf } from '../../../src/sessions/prepare.ts';
import { openSqliteStores } from '../../../src/store/sqlite/store-set.ts';
import { keptIo } from '../../cli/fake-io.ts';
import { removeWorlds } from '../../steps/world.ts';
import { KEY, makeDesk } from './steps.ts';

afterEach(removeWorlds);

const user = (content: string, more: object = {}) => ({ role: 'user', content, ...more }) as const;

describe('writing', () => {
  it('S-2, SES-20: when the index cannot be written, the append rejects and nothing is there', async () => {
    const stores = openSqliteStores();
    let broken = true;
    const prepare = preparerOf(Masker.off);
    const context = {
      stores,
      incognito: new Incognito(openSqliteStores()),
      clock: { now: () => 1_000, elapsed: () => 0 },
      newId: () => `id-${Math.random()}`,
      masker: Masker.off,
      maskAtRest: false,
      fingerprint: 'x',
      extra: [],
      prepare: (text: string) => {
        if (broken) throw new Error('the index is broken');
        return prepare(text);
      },
    };
    await expect(append(context, { key: KEY, message: user('zebra') })).rejects.toThrow('the index is broken');
    const store = (await stores.open('main'))!;
    expect(await store.read((reading) => reading.hostSession(KEY))).toBeUndefined();
    broken = false;
    expect(await append(context, { key: KEY, message: user('zebra') })).toMatchObject({ appended: true, seq: 1 });
    await stores.close();
  });

  it('SES-1: each agent has one store; a write touches one', async () => {
    const { host, world } = await makeDesk();
    await host.append({ key: 'agent:one:a', message: user('x') });
    expect(existsSync(join(world.home, 'agents', 'one.sqlite'))).toBe(true);
    expect(existsSync(join(world.home, 'agents', 'two.sqlite'))).toBe(false);
  });

  it('SES-28: a store that another process holds is store_busy after the timeout, and nothing was written', async () => {
    const { host, key, world } = await makeDesk('library', { busyTimeoutMs: 50 });
    await host.append({ key, message: user('one') });
    const other = new Database(join(world.home, 'agents', 'main.sqlite'));
    other.exec('BEGIN IMMEDIATE');
    await expect(host.append({ key, message: user('two') })).rejects.toMatchObject({ code: 'store_busy' });
    other.exec('ROLLBACK');
    other.close();
    expect((await host.current(key)).entries).toHaveLength(1);
    expect(await host.append({ key, message: user('two') })).toMatchObject({ appended: true });
  });

  it('SES-28: calls that nobody waited for are written in their order, however long the first takes', async () => {
    let elapsed = 0;
    const clock = { now: () => 1_000, elapsed: () => (elapsed += 100) };
    const { host, key } = await makeDesk('library', { clock });
    const messages = [user('one', { id: 'a' }), user('two', { id: 'b' }), user('three', { id: 'c' })];
    await Promise.all([host.appendMany({ key, messages }), host.append({ key, message: user('four', { id: 'd' }) })]);
    const { entries } = await host.current(key);
    expect(entries.map((entry) => 'messageId' in entry && entry.messageId)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('SES-21: the first append begins the session and its first window', async () => {
    const { host, key, history } = await makeDesk();
    const { sessionId } = await host.append({ key, message: user('x'), sessionId: 'given' });
    expect(sessionId).toBe('given');
    expect((await history()).windows).toMatchObject([{ sessionId: 'given', reason: 'initial', entries: 1 }]);
  });

  it('SES-46, S-28: blocks of unknown types are counted by type in stats', async () => {
    const { host, key, world } = await makeDesk();
    const content = [{ type: 'hologram', text: 'axolotl' }, { type: 'text', text: 'x' }, { type: 'smell' }];
    await host.append({ key, message: { role: 'user', content } });
    await host.append({ key, message: { role: 'user', content: [{ type: 'hologram' }] } });
    const stats = async () => (await world.backstory.sessions.stats(operator())).unknownBlocks;
    expect(await stats()).toEqual({ hologram: 2, smell: 1 });
    await host.delete(operator(), { key });
    expect(await stats()).toBeUndefined();
  });

  it('SES-155: a session whose index cannot be made holds nothing else back', async () => {
    const { host, key, world, found } = await makeDesk();
    await host.append({ key, message: user('wallaby'), index: 'later' });
    await host.append({ key: 'agent:main:other', message: user('wallaby two', { id: 'o' }) });
    const db = new Database(join(world.home, 'agents', 'main.sqlite'));
    db.exec("CREATE TRIGGER broken BEFORE INSERT ON doc BEGIN SELECT raise(ABORT, 'broken'); END");
    expect(await found('wallaby')).toEqual(['o']);
    db.exec('DROP TRIGGER broken');
    db.close();
    const other = await world.reopen();
    const { hits } = await other.sessions.search(operator(), { query: 'wallaby', waitMs: 30_000 });
    expect(hits).toHaveLength(2);
  });
});

describe('codes and surfaces', () => {
  it('SES-190: each code has the status and the exit code of the table', () => {
    const expected = {
      idempotency_conflict: [409, 4],
      message_id_conflict: [409, 4],
      leaf_conflict: [409, 4],
      parent_stale: [409, 4],
      window_not_current: [409, 4],
      session_property_fixed: [409, 4],
      session_id_taken: [409, 4],
      parent_not_found: [409, 4],
      target_not_on_branch: [409, 4],
      target_before_reset: [409, 4],
      incognito_required: [409, 4],
      session_gone: [410, 4],
      message_too_large: [413, 2],
      batch_too_large: [413, 2],
      erase_incomplete: [500, 5],
    } as const;
    for (const [code, [http, exit]] of Object.entries(expected)) {
      expect([code, ERROR_CODES[code as keyof typeof expected]]).toEqual([code, { http, exit }]);
    }
  });

  it('COM-50: the host face is for operators, whoever else asks', async () => {
    const { world } = await makeDesk();
    const names = ['append', 'reset', 'rewind', 'switch', 'compact', 'archive', 'delete', 'current'];
    for (const name of names.map((one) => `sessions_${one}`)) {
      const operation = OPERATIONS.find((one) => one.name === name)!;
      await expect(
        execute(operation, world.backstory, { agentId: 'main' }, { key: KEY, to: 'x', summary: 'x' }),
      ).rejects.toMatchObject({ code: 'operator_required' });
    }
  });

  it('SUR-20: on the command line: messages from standard input, then reset, rewind, current and delete', async () => {
    const { world } = await makeDesk();
    await world.backstory.close();
    const call = async (args: readonly string[], input = '') => {
      const io = keptIo({ userHome: world.user, cwd: world.folder, input: async () => input });
      const code = await run([...args, '--home', world.home], io);
      return { code, ...io.kept };
    };
    const lines = ['{"role":"user","content":"zebra","id":"m1"}', '{"role":"assistant","content":"two","id":"m2"}'];
    const appended = await call(['sessions', 'append', KEY], `${lines.join('\n')}\n`);
    expect(appended).toMatchObject({ code: 0, out: expect.stringContaining('Wrote 2 messages') });
    const bad = await call(['sessions', 'append', KEY], '{"role":"user"\n');
    expect(bad).toMatchObject({ code: 2, err: expect.stringContaining('line 1 is not JSON') });
    expect((await call(['sessions', 'rewind', KEY, '--to', 'm1'])).out).toContain('1 entry left the branch');
    const conflict = await call(['sessions', 'reset', KEY, '--expected-leaf', 'm2', '--json']);
    expect(conflict.code).toBe(4);
    expect(JSON.parse(conflict.err)).toMatchObject({ error: { code: 'leaf_conflict' } });
    const reset = await call(['sessions', 'reset', KEY, '--keep', '1', '--json']);
    expect(JSON.parse(reset.out).kept).toMatchObject([{ messageId: 'm1' }]);
    expect((await call(['sessions', 'current', KEY])).out).toContain('user: zebra');
    expect((await call(['sessions', 'archive', KEY])).out).toContain('is archived');
    expect((await call(['sessions', 'delete', KEY, '--dry-run'])).out).toContain('Would erase 1 session, 4 entries');
    expect(await call(['sessions', 'delete', KEY])).toMatchObject({
      code: 0,
      out: expect.stringContaining('nothing is left in rows, index or files'),
    });
    expect((await call(['sessions', 'current', KEY])).code).toBe(1);
    // SUR-21: an erasure that is still pending is not done.
    await call(['sessions', 'append', 'agent:main:other'], `${lines.join('\n')}\n`);
    expect((await call(['sessions', 'delete', 'agent:main:other', '--no-wait'])).code).toBe(3);
  });
});

describe('reconciliation', () => {
  it('SES-154, SES-152: a rebuild goes on where it stopped, over a restart, and appends meanwhile are found at once', async () => {
    const { host, key, world } = await makeDesk();
    const messages = Array.from({ length: 3_000 }, (_, n) => user(`bilby ${n}`));
    await host.appendMany({ key, messages, index: 'later' });
    const dirtyFrom = (): unknown => {
      const db = new Database(join(world.home, 'agents', 'main.sqlite'), { readonly: true });
      const from = db.prepare('SELECT dirty_from FROM session').pluck().get();
      db.close();
      return from;
    };
    expect(dirtyFrom()).toBe(1);
    // It is started by a search that does not wait, and stopped by closing.
    await world.backstory.sessions.search(operator(), { query: 'bilby', waitMs: 0 });
    while (dirtyFrom() === 1) await new Promise((resolve) => setTimeout(resolve, 1));
    await world.backstory.close();
    const stopped = dirtyFrom();
    expect(stopped === null || Number(stopped) > 1).toBe(true);
    const other = await world.reopen();
    await other.sessions.append({ key, message: user('numbat', { id: 'now' }) });
    const early = await other.sessions.search(operator(), { query: 'numbat', waitMs: 0 });
    expect(early.hits.map(({ messageId }) => messageId)).toEqual(['now']);
    const late = await other.sessions.search(operator(), { query: 'bilby', waitMs: 30_000, limit: 500 });
    expect(late.indexing).toBe(false);
    expect(dirtyFrom()).toBeNull();
    expect((await other.sessions.stats(operator())).total.texts).toBe(3_001);
  });
});
