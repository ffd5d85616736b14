// cases/sessions.md, deletion: rows, index and bytes; what may come back; selectors (SES-170 … SES-176).
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { operator } from '../../../src/access/caller.ts';
import { Masker } from '../../../src/redact/masker.ts';
import { preparerOf } from '../../../src/sessions/prepare.ts';
import { openSqliteStores } from '../../../src/store/sqlite/store-set.ts';
import { claude, removeWorlds } from '../../steps/world.ts';
import { bytesOf, FACES, makeDesk } from './steps.ts';

afterEach(removeWorlds);

const user = (content: string, more: object = {}) => ({ role: 'user', content, ...more }) as const;
const PHRASE = 'the thylacine sleeps below the eucalyptus';

describe.each(FACES)('deleting a session, by the %s', (face) => {
  it('S-111, SES-170, SES-172, SES-173: nothing of it is answered, nor stands in the bytes of the files', async () => {
    const { host, key, world, found, search } = await makeDesk(face);
    await host.append({ key: 'agent:main:kept', message: user('a wombat digs') });
    const image = { type: 'image', data: `${'QUJD'.repeat(20_000)}VGh5bGFjaW5l` };
    for (let n = 0; n < 50; n++) await host.append({ key, message: user(`${PHRASE} ${n}`, { id: `m${n}` }) });
    await host.append({ key, message: { role: 'user', content: [image] } });
    await host.rewind({ key, to: 'm40' });
    const receipt = await host.delete(operator(), { key });
    expect(receipt).toEqual({
      deleted: {
        sessions: 1,
        entries: 52,
        records: 0,
        candidates: 0,
        derived: 0,
        parked: 0,
        indexRows: 41,
        runIndexes: 0,
        bytes: expect.any(Number),
      },
      kept: [],
      revived: 0,
      verified: { rows: 0, index: 0, file: 'absent' },
      dryRun: false,
    });
    expect(receipt.deleted.bytes).toBeGreaterThan(50 * PHRASE.length);
    expect(await found('thylacine')).toEqual([]);
    expect(await found('wombat')).toHaveLength(1);
    expect((await search('thylacine')).indexing).toBe(false);
    await expect(host.current(key)).rejects.toMatchObject({ code: 'session_not_found' });
    const { sessions } = world.backstory;
    await expect(sessions.history(operator(), { session: key })).rejects.toMatchObject({ code: 'session_not_found' });
    expect((await sessions.list(operator())).sessions.map(({ sessionKey }) => sessionKey)).toEqual(['agent:main:kept']);
    const bytes = bytesOf(join(world.home, 'agents'));
    for (const gone of ['thylacine', 'eucalyptus', 'VGh5bGFjaW5l', key]) expect(bytes).not.toContain(gone);
    expect(bytes).toContain('wombat');
  });

  it('S-112: while a reader holds a snapshot the bytes are pending; one more write after it finishes', async () => {
    const { host, key, world } = await makeDesk(face);
    await host.append({ key: 'agent:main:kept', message: user('a wombat digs') });
    await host.append({ key, message: user(PHRASE) });
    const path = join(world.home, 'agents', 'main.sqlite');
    const reader = new Database(path, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM entry').get();
    const { verified } = await host.delete(operator(), { key });
    expect(verified.file).toBe('pending');
    reader.exec('COMMIT');
    reader.close();
    await host.append({ key: 'agent:main:kept', message: user('and digs') });
    expect(bytesOf(join(world.home, 'agents'))).not.toContain('thylacine');
  });

  it('S-113, SES-174: a late writer with the old id is told; one without begins a new session', async () => {
    const { host, key } = await makeDesk(face, { clock: { now: () => clock, elapsed: () => performance.now() } });
    clock = Date.UTC(2026, 0, 1);
    const { sessionId } = await host.append({ key, message: user('x') });
    await host.delete(operator(), { key });
    await expect(host.append({ key, message: user('late'), sessionId })).rejects.toMatchObject({
      code: 'session_gone',
    });
    const anew = await host.append({ key, message: user('new') });
    expect(anew.sessionId).not.toBe(sessionId);
    await expect(host.append({ key, message: user('late'), sessionId })).rejects.toMatchObject({
      code: 'session_gone',
    });
    clock += 31 * 86_400_000;
    await expect(host.append({ key, message: user('late'), sessionId })).rejects.toMatchObject({
      code: 'window_not_current',
    });
  });

  it('S-129, SES-175: what it spawned stays, with its link; with descendants it goes, of whatever agent', async () => {
    const { host, key, world } = await makeDesk(face);
    const spawn = async (): Promise<void> => {
      await host.append({ key, message: user('parent') });
      await host.append({ key: 'agent:main:subagent:1', message: user('one'), session: { spawnedBy: key } });
      await host.append({ key: 'agent:other:subagent:2', message: user('two'), session: { spawnedBy: key } });
      const spawnedBy = 'agent:other:subagent:2';
      await host.append({ key: 'agent:main:subagent:3', message: user('three'), session: { spawnedBy } });
    };
    const keys = async (): Promise<string[]> =>
      (await world.backstory.sessions.list(operator())).sessions.map(({ sessionKey }) => sessionKey).sort();
    await spawn();
    await host.delete(operator(), { key });
    expect(await keys()).toEqual(['agent:main:subagent:1', 'agent:main:subagent:3', 'agent:other:subagent:2']);
    await host.append({ key, message: user('parent again') });
    const receipt = await host.delete(operator(), { key, descendants: true });
    expect(receipt.deleted.sessions).toBe(4);
    expect(await keys()).toEqual([]);
  });

  it('SES-173: a dry run gives the same counts and changes nothing', async () => {
    const { host, key, found } = await makeDesk(face);
    await host.appendMany({ key, messages: [user(PHRASE), user('and more of it'), { role: 'tool', content: 'out' }] });
    const dry = await host.delete(operator(), { key, dryRun: true });
    expect(await found('thylacine')).toHaveLength(1);
    const real = await host.delete(operator(), { key });
    expect(dry.deleted).toEqual(real.deleted);
    expect([dry.dryRun, real.dryRun]).toEqual([true, false]);
  });

  it('COM-50: whoever is no operator is refused', async () => {
    const { host, key } = await makeDesk(face);
    await host.append({ key, message: user('x') });
    const caller = { agentId: 'main', sessionKey: key };
    if (face === 'library') {
      await expect(host.delete(caller, { key })).rejects.toMatchObject({ code: 'operator_required' });
      await expect(host.erase(caller, { session: key })).rejects.toMatchObject({ code: 'operator_required' });
    }
    expect((await host.current(key)).entries).toHaveLength(1);
  });
});

let clock = 0;

describe('selectors', () => {
  it('SES-171: of a person: sessions of that person alone; shared ones are named; authored takes messages in them', async () => {
    const { host, world, found } = await makeDesk();
    const p = { people: ['p1'] };
    await host.append({ key: 'agent:main:direct:1', message: user('alpaca one'), session: p });
    const shared = 'agent:main:group:2';
    await host.append({
      key: shared,
      message: user(PHRASE, { author: { id: 'p1' }, id: 'by-p1' }),
      session: { people: ['p1', 'p2'] },
    });
    await host.append({ key: shared, message: user('alpaca three', { author: { id: 'p2' }, id: 'by-p2' }) });
    const receipt = await host.erase(operator(), { person: 'p1', authored: true });
    expect(receipt).toMatchObject({
      deleted: { sessions: 1, entries: 2 },
      kept: [shared],
      verified: { file: 'absent' },
    });
    expect(await found('alpaca')).toEqual(['by-p2']);
    expect(await found('thylacine')).toEqual([]);
    const page = await world.backstory.sessions.history(operator(), { session: shared });
    expect(page.entries.map(({ type }) => type)).toEqual(['erased', 'message']);
    expect(page.entries[0]).not.toHaveProperty('author');
    expect(bytesOf(join(world.home, 'agents'))).not.toContain('thylacine');
  });

  it('SES-171, SES-104: one message leaves an erased entry; the rest of the session stays; a retry does not bring it back', async () => {
    const { host, key, world, found, shown, history } = await makeDesk();
    await host.append({ key, message: user('before', { id: 'm1' }) });
    const sent = { key, message: user(PHRASE), idempotencyKey: 'k' };
    const { messageId, sessionId } = await host.append(sent);
    await host.append({ key, message: user('after', { id: 'm3' }) });
    const receipt = await host.erase(operator(), { message: { session: key, sessionId, messageId } });
    expect(receipt).toMatchObject({ deleted: { sessions: 0, entries: 1, indexRows: 1 }, verified: { file: 'absent' } });
    expect(await shown()).toEqual(['m1', 'erased', 'm3']);
    expect(await found('thylacine')).toEqual([]);
    expect(await history({ messageId })).toMatchObject({ entries: [], anchor: { found: false } });
    expect((await host.current(key)).entries.map(({ type }) => type)).toEqual(['message', 'erased', 'message']);
    expect(await host.append(sent)).toMatchObject({ appended: false, messageId });
    expect((await world.backstory.sessions.stats(operator())).total).toMatchObject({ messages: 2, texts: 2 });
  });

  it('SES-171, SES-56: abandoned takes what is off the branch, and nothing else', async () => {
    const { host, key, world, found, shown } = await makeDesk();
    await host.append({ key, message: user('red', { id: 'm1' }) });
    await host.append({ key, message: user(PHRASE, { id: 'm2' }) });
    await host.rewind({ key, to: 'm1' });
    await host.append({ key, message: user('blue', { id: 'm3' }) });
    const receipt = await host.erase(operator(), { abandoned: true, agent: 'main' });
    expect(receipt).toMatchObject({ deleted: { sessions: 0, entries: 1 }, verified: { rows: 0, file: 'absent' } });
    await expect(host.switchTo({ key, to: 'm2' })).rejects.toMatchObject({ code: 'target_not_on_branch' });
    expect(await shown()).toEqual(['m1', 'rewind', 'm3']);
    expect(await found('red OR blue')).toHaveLength(2);
    expect(bytesOf(join(world.home, 'agents'))).not.toContain('thylacine');
  });

  it('SES-171: before a time, and of an agent', async () => {
    const { host, world } = await makeDesk();
    await host.append({ key: 'agent:main:old', message: user('x', { at: '2020-01-01T00:00:00Z' }) });
    await host.append({ key: 'agent:main:new', message: user('x') });
    await host.append({ key: 'agent:other:new', message: user('x') });
    const keys = async (): Promise<string[]> =>
      (await world.backstory.sessions.list(operator())).sessions.map(({ sessionKey }) => sessionKey).sort();
    expect((await host.erase(operator(), { before: '2021-01-01' })).deleted.sessions).toBe(1);
    expect(await keys()).toEqual(['agent:main:new', 'agent:other:new']);
    await host.erase(operator(), { agent: 'other' });
    expect(await keys()).toEqual(['agent:main:new']);
  });

  it('SES-171: exactly one selector, and a time that can be read', async () => {
    const { host } = await makeDesk();
    for (const selector of [
      {},
      { session: 'agent:a:b', person: 'p' },
      { descendants: true },
      { sesion: 'x' },
    ] as object[]) {
      await expect(host.erase(operator(), selector)).rejects.toMatchObject({ code: 'invalid_argument' });
    }
    await expect(host.erase(operator(), { before: 'soon' })).rejects.toMatchObject({ code: 'time_invalid' });
  });
});

describe('imported sessions', () => {
  it('S-114, SES-174: a deleted transcript stays away, also when it grows or moves; again brings it back', async () => {
    const { world, host, found } = await makeDesk();
    const id = '0199aaaa-0000-4000-8000-000000000001';
    const lines = [claude.user('u-1', `${PHRASE} here`, null, { sessionId: id })];
    world.write(claude.path(id), lines);
    await world.sync();
    const [hit] = (await world.search('thylacine')).map(({ sessionKey }) => sessionKey);
    await host.delete(operator(), { key: hit! });
    const report = await world.sync();
    expect(report.files.skipped).toMatchObject([{ reason: 'erased_by_user' }]);
    expect(await found('thylacine')).toEqual([]);
    world.append(
      claude.path(id),
      `${JSON.stringify(claude.user('u-2', 'more thylacine', 'u-1', { sessionId: id }))}\n`,
    );
    await world.sync();
    expect(await found('thylacine')).toEqual([]);
    world.write(claude.path(id, '-src-elsewhere'), lines);
    rmSync(join(world.user, claude.path(id)));
    await world.sync();
    expect(await found('thylacine')).toEqual([]);
    world.write(claude.path(id), lines);
    await world.backstory.sources.sync({ again: true });
    expect(await found('thylacine')).toHaveLength(1);
    await world.sync();
    expect(await found('thylacine')).toHaveLength(1);
  });

  it('SES-170, SRC-15: a copy in another session goes on when the original is deleted', async () => {
    const { world, host, found } = await makeDesk();
    const uuid = '00000000-0000-4000-8000-000000000001';
    for (const sessionId of ['A', 'B']) {
      world.write(claude.path(sessionId), [claude.user(uuid, PHRASE, null, { sessionId })]);
      await world.sync();
    }
    const [hit] = await world.search('thylacine');
    expect(hit?.alsoIn?.count).toBe(1);
    const receipt = await host.delete(operator(), { key: hit!.sessionKey });
    // What a kept message holds is not left of the deleted one (SES-173).
    expect(receipt.verified).toEqual({ rows: 0, index: 0, file: 'absent' });
    expect(await found('thylacine')).toHaveLength(1);
  });
});

describe('large deletions', () => {
  it('SES-170, SES-176: beyond 20 000 messages the rows follow in steps, and freed pages are given back', async () => {
    const { host, key, world, found } = await makeDesk();
    await host.append({ key: 'agent:main:kept', message: user('a wombat digs') });
    for (let part = 0; part < 3; part++) {
      const messages = Array.from({ length: 7_000 }, (_, n) => user(`thylacine ${part} ${n}`));
      await host.appendMany({ key, messages, index: 'later' });
    }
    const path = join(world.home, 'agents', 'main.sqlite');
    const deleting = host.delete(operator(), { key });
    const late = host.append({ key: 'agent:main:kept', message: user('and digs') });
    const { deleted, verified } = await deleting;
    expect(await late).toMatchObject({ appended: true });
    expect(deleted.entries).toBe(21_000);
    expect(verified).toEqual({ rows: 0, index: 0, file: 'absent' });
    expect(await found('wombat OR digs')).toHaveLength(2);
    const db = new Database(path, { readonly: true });
    expect(db.pragma('freelist_count', { simple: true })).toBe(0);
    expect(db.pragma('page_count', { simple: true })).toBeLessThan(100);
    db.close();
  });
});

describe('two who delete', () => {
  it('SES-170: a number that is another session’s by now deletes nothing of it', async () => {
    const { host, key, world } = await makeDesk();
    await host.append({ key, message: user('wombat') });
    const stores = openSqliteStores({ folder: join(world.home, 'agents') });
    const store = (await stores.open('main'))!;
    const { no } = (await store.read((reading) => reading.hostSession(key)))!;
    await store.write(async (writing) => {
      await writing.beginDelete(no, 'agent:main:before', 0);
      expect((await writing.deleteRows(no, 100, preparerOf(Masker.off))).entries).toBe(0);
    });
    await stores.close();
    expect((await host.current(key)).entries).toHaveLength(1);
  });

  it('SES-170: both at once: one finds it, the other finds it or not, and nothing is left', async () => {
    const { host, key, world, found } = await makeDesk();
    const other = await world.reopen();
    await host.appendMany({ key, messages: Array.from({ length: 500 }, (_, n) => user(`wombat ${n}`)) });
    const both = await Promise.allSettled([
      host.delete(operator(), { key }),
      other.sessions.delete(operator(), { key }),
      host.append({ key: 'agent:main:new', message: user('wombat new', { id: 'new' }) }),
    ]);
    expect(both.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(2);
    expect(await found('wombat')).toEqual(['new']);
  });
});
