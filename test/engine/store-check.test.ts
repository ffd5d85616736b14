// A large store's health is looked at on a thread, with the same finding (SUR-70).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { EngineCore } from '../../src/engine/core.ts';
import { storeCheck } from '../../src/engine/store-check.ts';
import { type BuiltWorker, builtWorker } from '../steps/worker.ts';
import { makeWorld, removeWorlds } from '../steps/world.ts';

let worker: BuiltWorker;
beforeAll(async () => {
  worker = await builtWorker('check-worker');
});
afterAll(() => worker.remove());
afterEach(removeWorlds);

test('SUR-70: a large store is checked on a thread while the event loop turns, and told as it is here', async () => {
  const world = await makeWorld();
  const messages = Array.from({ length: 400 }, (_, n) => ({ role: 'user', content: `zebra ${n}` }) as const);
  await world.backstory.sessions.appendMany({ key: 'agent:main:main', messages });
  await world.backstory.close();
  const db = new Database(join(world.home, 'agents', 'main.sqlite'));
  db.exec('DELETE FROM doc WHERE id = 7');
  db.close();
  const core = new EngineCore({ home: world.home, host: { env: {}, home: world.user, platform: process.platform } });
  const store = (await core.stores.open('main'))!;
  const here = await store.check();
  expect(here.missing).toBe(1);
  const order: string[] = [];
  const checked = storeCheck(core, store, worker.file, 1).then((check) => {
    order.push('checked');
    return check;
  });
  setTimeout(() => order.push('turned'), 1);
  const { bytes, ...apart } = await checked;
  expect({ bytes: expect.any(Number), ...apart }).toEqual(here);
  expect(bytes).toBeGreaterThan(0);
  expect(order).toEqual(['turned', 'checked']);

  const broken = join(worker.folder, 'broken.mjs');
  writeFileSync(broken, 'throw new Error("no");');
  expect(await storeCheck(core, store, broken, 1)).toMatchObject({ missing: 1 });
  // A small one needs no thread: starting this one would fail.
  expect(await storeCheck(core, store, join(worker.folder, 'nowhere.mjs'))).toEqual(here);
  await core.stores.close();
});
