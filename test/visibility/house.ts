// An open engine over a home of the cases: agents desk, home and lab, with the sessions of cases/visibility.md.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Caller, operator } from '../../src/access/caller.ts';
import type { VisibilityPolicy } from '../../src/access/policy.ts';
import type { CallScope } from '../../src/access/scope.ts';
import { type Backstory, openBackstory } from '../../src/engine/engine.ts';
import { isBackstoryError } from '../../src/model/errors.ts';
import type { StoreSet } from '../../src/store/contract.ts';
import { openSqliteStores } from '../../src/store/sqlite/store-set.ts';
import { plain } from '../../src/testing/store-steps.ts';
import { agentOfKey, type Planned, plant, START, sessionIdOf } from './places.ts';

export const X = 'agent:desk:main';
export const KID = 'agent:desk:subagent:kid';
export const GRANDKID = 'agent:desk:subagent:grandkid';
export const FAR = 'agent:lab:acp:far';
export const PEER = 'agent:desk:telegram:direct:7';
export const OTH = 'agent:home:main';
export const CRON = 'agent:lab:cron:c';
/** Reserved by name: planted in a store by other means, since ours never writes it there. */
export const INC = 'agent:desk:incognito:i';

export const SESSIONS: readonly Planned[] = [
  { key: X, kind: 'main' },
  { key: KID, kind: 'subagent', spawnedBy: X },
  { key: GRANDKID, kind: 'subagent', spawnedBy: KID },
  { key: FAR, kind: 'acp', spawnedBy: X },
  { key: PEER, kind: 'direct' },
  { key: OTH, kind: 'main' },
  { key: CRON, kind: 'cron', parent: X },
  { key: INC, kind: 'other' },
];

export const caller: Caller = { agentId: 'desk', sessionKey: X };

export interface House {
  readonly home: string;
  readonly stores: StoreSet;
  plant(...sessions: readonly Planned[]): Promise<void>;
  /** The engine over the home, with these settings. */
  open(visibility?: VisibilityPolicy): Promise<Backstory>;
  /** Keys that a caller sees, through every read alike: throws when two of them differ. */
  sees(caller: Caller, visibility?: VisibilityPolicy, scope?: CallScope): Promise<readonly string[]>;
  erase(...keys: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export async function makeHouse(sessions: readonly Planned[] = SESSIONS): Promise<House> {
  const home = mkdtempSync(join(tmpdir(), 'backstory-vis-'));
  const stores = openSqliteStores({ folder: join(home, 'agents'), catalogue: join(home, 'catalogue.db') });
  const known = new Map<string, Planned>();
  let engine: Backstory | undefined;

  const house: House = {
    home,
    stores,
    async plant(...more) {
      await plant(stores, more, known.size);
      for (const one of more) known.set(one.key, one);
    },
    async open(visibility = {}) {
      engine?.setVisibility(visibility);
      engine ??= await openBackstory({
        home,
        visibility,
        sessions: { index: { extra: ['thinking'] } },
        clock: { now: () => START + 86_400_000, elapsed: () => performance.now() },
        host: { env: {}, home, platform: process.platform },
      });
      return engine;
    },
    async sees(who, visibility = {}, scope) {
      return seenAlike(await house.open(visibility), who, [...known.keys()], scope);
    },
    async erase(...keys) {
      for (const key of keys) {
        const store = (await stores.open(agentOfKey(key)))!;
        await store.write(async (writing) => {
          const record = await writing.session(key);
          if (record) await writing.deleteSessions([record.no], plain);
        });
      }
    },
    async close() {
      await engine?.close();
      await stores.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
  await house.plant(...sessions);
  return house;
}

/** What a caller gets of a session, or the code of the error. */
async function outcome(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'seen';
  } catch (error) {
    if (isBackstoryError(error)) return error.code;
    throw error;
  }
}

/**
 * The keys seen by list, once search, history by key and by id, describe, search within the session, stats and explain
 * have said the same of every session there is.
 */
export async function seenAlike(
  { sessions }: Backstory,
  who: Caller,
  keys: readonly string[],
  call?: CallScope,
): Promise<readonly string[]> {
  const scope = call === undefined ? {} : { scope: call };
  const listed = (await sessions.list(who, { limit: 200, ...scope })).sessions.map((row) => row.sessionKey).sort();
  const found = (await sessions.search(who, { query: 'lease', limit: 500, ...scope })).hits.map(
    (hit) => hit.sessionKey,
  );
  const differ: string[] = [];
  const check = (what: string, key: string, sees: boolean): void => {
    if (sees !== listed.includes(key)) differ.push(`${what} ${sees ? 'shows' : 'hides'} ${key}, list does not`);
  };
  for (const key of keys) {
    check('search', key, found.includes(key));
    for (const session of [key, sessionIdOf(key)]) {
      check('history', key, (await outcome(sessions.history(who, { session, ...scope }))) === 'seen');
    }
    check('describe', key, (await outcome(sessions.describe(who, { session: key, ...scope }))) === 'seen');
    const within = outcome(sessions.search(who, { query: 'lease', session: sessionIdOf(key), ...scope }));
    check('search within', key, (await within) === 'seen');
    check('explain', key, (await sessions.explain(operator(), { caller: who, session: key, ...scope })).visible);
  }
  const stats = await sessions.stats(who, scope);
  if (stats.total.sessions !== listed.length) differ.push(`stats counts ${stats.total.sessions} of ${listed.length}`);
  if (found.length !== listed.length) differ.push(`search finds ${found.length} of ${listed.length}`);
  if (differ.length > 0) throw new Error(differ.join('\n'));
  return listed;
}
