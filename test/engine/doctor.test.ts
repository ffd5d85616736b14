// The doctor: finds what is wrong, says what to do, mends what is derived, and touches nothing else (SUR-70).
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { execute } from '../../src/api/operation.ts';
import { doctor } from '../../src/api/operations.ts';
import { RESULTS } from '../../src/api/results.ts';
import { run } from '../../src/cli/run.ts';
import { keptIo } from '../cli/fake-io.ts';
import { claude, makeWorld, removeWorlds, type World } from '../steps/world.ts';

afterEach(removeWorlds);

async function kept(): Promise<World> {
  const world = await makeWorld();
  world.write(claude.path('s-1'), [
    claude.user('u-1', 'the orchard blooms'),
    claude.assistant('a-1', 'so does the harbour', 'u-1'),
  ]);
  await world.sync();
  return world;
}

const codesOf = (report: { findings: readonly { code: string; level: string }[] }): string[] =>
  report.findings.filter(({ level }) => level === 'error').map(({ code }) => code);

// What another program, or a broken disk, does to a store.
function damage(world: World, sql: string): void {
  const db = new Database(join(world.home, 'agents', 'claude-code.sqlite'));
  db.unsafeMode(true);
  db.exec(sql);
  db.close();
}

describe('SUR-70: a home that is sound', () => {
  test('is called so, and a trial of everything leaves nothing behind', async () => {
    const world = await kept();
    const before = readdirSync(world.home).sort();
    const report = await execute(doctor, world.backstory, operator(), {});
    RESULTS.doctor!.parse(report);
    expect(report).toMatchObject({ ok: true, checked: { stores: 1, trial: true } });
    expect(codesOf(report)).toEqual([]);
    expect(readdirSync(world.home).filter((name) => name !== 'memory')).toEqual(before);
    expect(await world.keys('trial')).toEqual([]);
  });

  test('VIS-63: a rule that widens is named; COM-50: nobody but an operator is told', async () => {
    const world = await makeWorld({ visibility: { visibility: 'self', agents: { 'desk-*': { visibility: 'all' } } } });
    const report = await world.backstory.doctor(operator());
    expect(report.findings.map(({ code }) => code)).toContain('override_widens');
    await expect(execute(doctor, world.backstory, { agentId: 'desk' }, {})).rejects.toMatchObject({
      code: 'operator_required',
    });
  });

  test('VIS-63: sessions of several persons under the default, and rules that name nobody, are named', async () => {
    const world = await makeWorld({ visibility: { agentToAgent: { allow: ['desk', 'dsek'] } } });
    const { sessions } = world.backstory;
    const message = { role: 'user', content: 'x' } as const;
    await sessions.append({ key: 'agent:desk:both', message, session: { kind: 'group', people: ['ann', 'bob'] } });
    await sessions.append({ key: 'agent:desk:one', message, session: { kind: 'group', people: ['ann'] } });
    const { findings, ok } = await world.backstory.doctor(operator());
    expect(findings.filter(({ code }) => code === 'shared_by_default')).toMatchObject([
      { level: 'note', message: expect.stringContaining('1 session has people of more than one person') },
    ]);
    expect(findings.filter(({ code }) => code === 'unknown_agent')).toMatchObject([
      { message: expect.stringContaining('"dsek"') },
    ]);
    expect(ok).toBe(true);
  });
});

describe('SUR-70: a home that is not', () => {
  test.each([
    ['rows that are gone from the index', "DELETE FROM doc; INSERT INTO fts (fts) VALUES ('delete-all')"],
    ['an index row without a text', 'DELETE FROM entry WHERE id = (SELECT min(entry) FROM doc)'],
    ['counters that are wrong', 'UPDATE session SET texts = 17'],
    ['an index that is damaged inside', "UPDATE fts_data SET block = x'0011' WHERE id > 10"],
  ])('%s: named, and mended with fix', async (_, sql) => {
    const world = await kept();
    const word = sql.includes('FROM entry') ? 'harbour' : 'orchard';
    await world.backstory.close();
    damage(world, sql);
    const engine = await world.reopen();
    const found = await engine.doctor(operator());
    expect([found.ok, codesOf(found)]).toEqual([false, ['index_damaged']]);
    const mended = await engine.doctor(operator(), { fix: true });
    expect([mended.ok, mended.findings.find(({ code }) => code === 'index_damaged')?.fixed]).toEqual([true, true]);
    expect((await engine.doctor(operator())).ok).toBe(true);
    expect((await engine.sessions.search(operator(), { query: word })).hits).toHaveLength(1);
  });

  test('a store that is no database at all; the others are looked at', async () => {
    const world = await kept();
    writeFileSync(join(world.home, 'agents', 'broken.sqlite'), 'no database at all, by far '.repeat(500));
    const report = await world.backstory.doctor(operator());
    expect([report.ok, report.checked.stores, codesOf(report)]).toEqual([false, 1, ['store_damaged']]);
  });

  test('a home that others may look into, and a server that is gone', async () => {
    const world = await kept();
    chmodSync(world.home, 0o755);
    // No process has this number: it is beyond what Linux gives.
    writeFileSync(join(world.home, 'serve.json'), JSON.stringify({ pid: 2 ** 30 }));
    const codes = (await world.backstory.doctor(operator())).findings.map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(['home_readable', 'serve_stale']));
  });

  test('SES-150: fix never touches a row', async () => {
    const world = await kept();
    const path = join(world.home, 'agents', 'claude-code.sqlite');
    const rows = (): unknown => {
      const db = new Database(path, { readonly: true });
      const all = ['entry', 'body', 'window', 'file'].map((table) => {
        const columns =
          table === 'entry' ? 'id, session, parent, kind, role, state, at, flags & ~32, native, blocks' : '*';
        return db.prepare(`SELECT ${columns} FROM ${table} ORDER BY 1`).all();
      });
      db.close();
      return all;
    };
    const before = rows();
    await world.backstory.close();
    damage(world, 'DELETE FROM doc');
    const engine = await world.reopen();
    await engine.doctor(operator(), { fix: true });
    expect(rows()).toEqual(before);
    expect(existsSync(path) && readFileSync(path).length > 0).toBe(true);
  });

  test('SUR-21: the command ends with 5, and says what to do', async () => {
    const world = await kept();
    await world.backstory.close();
    damage(world, 'UPDATE session SET texts = 17');
    const doctorOf = async (...flags: string[]): Promise<{ code: number; out: string }> => {
      const io = keptIo({ cwd: world.folder, env: { BACKSTORY_HOME: world.home }, userHome: world.user });
      const code = await run(['doctor', ...flags], io);
      return { code, out: io.kept.out };
    };
    const found = await doctorOf();
    expect([found.code, found.out]).toEqual([5, expect.stringContaining('backstory doctor --fix')]);
    expect((await doctorOf('--fix')).code).toBe(0);
    expect((await doctorOf()).code).toBe(0);
  });
});
