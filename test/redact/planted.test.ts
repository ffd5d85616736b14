// Secrets planted in files that agents write, read in two reads cut at every byte: neither answers nor the index hold
// anything of them (MASK-14, MASK-15, MASK-17).
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, test } from 'vitest';
import { Masker } from '../../src/redact/masker.ts';
import { claude, linesOf, makeWorld, removeWorlds, type World } from '../steps/world.ts';
import { fill } from './notation.ts';

afterAll(removeWorlds);

const SECRETS: readonly (readonly [name: string, text: string, secret: string])[] = [
  ['a token', 'x {S}, next', fill('ghp_{R36}')],
  ['a key id', 'key {S} of it', fill('AKIA{K16}')],
  ['a password', 'DB_PASSWORD="{S}" in .env', 'correct7horse7battery'],
  ['a URL', 'postgres://app:{S}@db.internal/x', 'pa55w0rd-of-app'],
  ['a header', 'Authorization: Bearer {S}', fill('{R40}')],
  ['a key block', fill('{D}BEGIN PRIVATE KEY{D}\n{S}\n{D}END PRIVATE KEY{D}'), fill('{R64}')],
];

/** Every text and every name in the index: its tables' bytes, and its terms as the index spells them out. */
function indexOf(world: World): string {
  const folder = join(world.home, 'agents');
  const parts: string[] = [];
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.sqlite'))) {
    const database = new Database(join(folder, name), { readonly: true });
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'fts%' AND rootpage > 0")
      .pluck()
      .all();
    expect(tables.length).toBeGreaterThan(2);
    for (const table of [...tables, 'doc']) {
      for (const row of database
        .prepare(`SELECT * FROM "${String(table)}"`)
        .raw()
        .all() as unknown[][]) {
        for (const value of row) parts.push(Buffer.isBuffer(value) ? value.toString('latin1') : String(value));
      }
    }
    database.exec("CREATE VIRTUAL TABLE temp.terms USING fts5vocab('main', 'fts', 'row')");
    parts.push(...(database.prepare('SELECT term FROM temp.terms').pluck().all() as string[]));
    database.close();
  }
  return parts.join('\n').toLowerCase();
}

function windowsOf(secret: string): string[] {
  const windows: string[] = [];
  for (let at = 0; at + 8 <= secret.length; at++) windows.push(secret.slice(at, at + 8));
  return windows;
}

describe('a secret in the file of an agent', () => {
  test.each(SECRETS)(
    'MASK-17 (M-124, M-125, M-126): %s, cut at every byte over two reads',
    async (_name, template, secret) => {
      const world = await makeWorld();
      const text = template.replace('{S}', secret);
      const bytesOf = (cut: number): Buffer => {
        const [first, second] = [
          claude.user(`u-${cut}`, 'a plain first line'),
          claude.user(`s-${cut}`, `planted ${text}`, `u-${cut}`),
        ];
        return Buffer.from(`${linesOf([first, second])}\n`);
      };
      const whole = bytesOf(0);
      const from = whole.indexOf('planted');
      const cuts = Array.from({ length: Buffer.byteLength(JSON.stringify(text)) + 10 }, (_, index) => from + index);
      for (const cut of cuts) {
        world.write(claude.path(`s${cut}`), [], { end: '' });
        world.truncateTo(claude.path(`s${cut}`), bytesOf(cut).subarray(0, cut));
      }
      await world.sync();
      for (const cut of cuts) world.truncateTo(claude.path(`s${cut}`), bytesOf(cut));
      await world.sync();

      const hits = await world.search('planted', { limit: 500 });
      expect(hits.length).toBe(cuts.length);
      const shown: string[] = [JSON.stringify(hits)];
      for (const hit of hits.slice(0, 5)) shown.push(JSON.stringify(await world.history(hit.sessionKey)));
      const index = indexOf(world);
      expect(index).toContain('planted');
      for (const window of windowsOf(secret)) {
        for (const answer of shown) expect(answer).not.toContain(window);
        expect(index).not.toContain(window.toLowerCase());
      }
      for (const query of [secret, `"${secret}"`, `${secret.slice(0, 8)}*`]) {
        expect(await world.search(query)).toEqual([]);
      }
      expect(shown[0]).toContain('[hidden:');
    },
  );

  test('MASK-13: a marker is found by its name', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [claude.user('u-1', fill('{D}BEGIN PRIVATE KEY{D}\n{B3}\n{D}END PRIVATE KEY{D}'))]);
    await world.sync();
    expect(await world.search('hidden:private-key')).toHaveLength(1);
    expect(await world.search('hidden:credential')).toEqual([]);
  });

  test('M-127 (MASK-16): other rules at the next open make the index anew, and what they cover is not found', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [claude.user('u-1', 'the ticket ACME-123456 is open')]);
    await world.sync();
    expect(await world.search('"ACME-123456"')).toHaveLength(1);
    const stricter = await world.reopen({ masking: { rules: [{ name: 'acme', pattern: /ACME-\d{6}/ }] } });
    await stricter.sources.sync();
    const { hits } = await stricter.sessions.search({ operator: true }, { query: '"ACME-123456"' });
    expect(hits).toEqual([]);
    const found = await stricter.sessions.search({ operator: true }, { query: 'ticket' });
    expect(found.hits[0]!.excerpt).toContain('[hidden:acme]');
  });

  test('SES-140 (MASK-18): an operator may ask for what was written, nobody else; the file is as it was', async () => {
    const world = await makeWorld();
    const secret = fill('ghp_{R36}');
    world.write(claude.path('s-1'), [claude.user('u-1', `x ${secret}`)]);
    await world.sync();
    const [hit] = await world.search('x');
    expect(JSON.stringify(await world.history(hit!.sessionKey))).not.toContain(secret);
    expect(JSON.stringify(await world.history(hit!.sessionKey, { raw: true }))).toContain(secret);
    const agent = { agentId: hit!.agentId };
    await expect(
      world.backstory.sessions.history(agent, { session: hit!.sessionKey, raw: true }),
    ).rejects.toMatchObject({ code: 'operator_required' });
  });
});

describe('a unit in two parts', () => {
  test.each(SECRETS)('MASK-17, MASK-24: %s, cut at every byte of its UTF-8', (_name, template, secret) => {
    const masker = Masker.hidingOutside('/data/runs/r1');
    const text = `ünïcödé before\n${template.replace('{S}', secret)}\nafter`;
    for (let at = 0; at <= text.length; at++) {
      const first = masker.maskPart!(text.slice(0, at), '', false);
      const rest = text.slice(at - first.held, at) + text.slice(at);
      const second = masker.maskPart!(rest, first.state, true);
      for (const window of windowsOf(secret)) expect(first.text + second.text).not.toContain(window);
    }
  });
});
