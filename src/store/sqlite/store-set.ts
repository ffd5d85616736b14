// The agents' stores of one home: one file each, opened when first needed, and the catalogue beside them.
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type Descendants, type Entry, wholeScope } from '../../access/scope.ts';
import { isBackstoryError } from '../../model/errors.ts';
import { isAgentId } from '../../model/ids.ts';
import type { StoreSet } from '../contract.ts';
import { assertOpen, SqliteStore } from './agent-store.ts';
import { Catalogue } from './catalogue.ts';
import { makeFolder, translated } from './database.ts';
import { reachOf } from './scope-reach.ts';

export interface SqliteOptions {
  /** Folder of the stores; absent: everything in memory, gone with the process. */
  readonly folder?: string;
  /** File of the catalogue (SES-211); default: `catalogue.db` among the stores. */
  readonly catalogue?: string;
  /** How long a write waits for another process, 0–60 000 ms. */
  readonly busyTimeoutMs?: number;
}

const EXTENSION = '.sqlite';

/** Engines of one process on one home share a store: each would wait for the other's lock in its own event loop (SUR-10). */
const shared = new Map<string, { readonly store: SqliteStore; users: number }>();

/** The SQLite backend. Opening the set opens no file (SUR-10). */
export function openSqliteStores(options: SqliteOptions = {}): StoreSet {
  const { folder, busyTimeoutMs = 5_000 } = options;
  const file = folder === undefined ? ':memory:' : (options.catalogue ?? join(folder, 'catalogue.db'));
  const catalogue = new Catalogue(file, busyTimeoutMs);
  // A store may outlive the set that opened it: several sets share it.
  const ownCatalogue = (): Catalogue => (folder === undefined ? catalogue : new Catalogue(file, busyTimeoutMs));
  const open = new Map<string, SqliteStore>();
  let closed = false;
  const pathOf = (agentId: string): string =>
    folder === undefined ? ':memory:' : join(folder, `${agentId}${EXTENSION}`);
  const set: StoreSet = {
    async agents() {
      assertOpen(closed, 'agents');
      if (folder === undefined || !existsSync(folder)) return [...open.keys()].sort();
      return readdirSync(folder)
        .filter((name) => name.endsWith(EXTENSION) && isAgentId(name.slice(0, -EXTENSION.length)))
        .map((name) => name.slice(0, -EXTENSION.length))
        .sort();
    },
    async open(agentId, { create = false } = {}) {
      assertOpen(closed, 'open');
      const known = open.get(agentId);
      if (known) return known;
      const path = pathOf(agentId);
      if (!create && (folder === undefined || !existsSync(path))) return undefined;
      if (folder !== undefined) translated(folder, () => makeFolder(folder));
      const name = folder === undefined ? undefined : join(realpathSync(folder), agentId);
      const other = name === undefined ? undefined : shared.get(name);
      const store = other?.store ?? new SqliteStore(agentId, path, busyTimeoutMs, ownCatalogue());
      if (other) other.users++;
      else if (name !== undefined) shared.set(name, { store, users: 1 });
      open.set(agentId, store);
      return store;
    },
    async reach(from) {
      assertOpen(closed, 'reach');
      if (from.length === 0 || !(await completed())) return [];
      const descend = async (part: Descendants, agentId: string, entries: readonly Entry[], among: readonly string[]) =>
        (await set.open(agentId))?.read((reading) => reading.descend(WHOLE, part, entries, among)) ?? [];
      const below = catalogue.below.bind(catalogue);
      return Promise.all(from.map((part) => reachOf(part, { below, descend: descend.bind(undefined, part) })));
    },
    async close() {
      closed = true;
      const stores = [...open.values()];
      open.clear();
      for (const store of stores) await closeShared(store);
      catalogue.close();
    },
  };
  return set;

  // Once for a home without a catalogue, and for stores that came or went by other means. False: there is no store.
  async function completed(): Promise<boolean> {
    // Nothing is made in a home without stores. Known first: who comes in between is looked at, and not forgotten.
    const known = existsSync(file) || (await set.agents()).length > 0 ? catalogue.known() : new Set<string>();
    const agents = new Set(await set.agents());
    if (agents.size === 0) return false;
    for (const agentId of known) if (!agents.has(agentId)) catalogue.forget(agentId);
    for (const agentId of agents) {
      if (known.has(agentId)) continue;
      try {
        const store = await set.open(agentId);
        if (store) catalogue.scanned(agentId, await store.read((reading) => reading.crossings(WHOLE)));
      } catch (error) {
        // A store that cannot be read shows nothing anyway, and is asked again the next time.
        if (!isBackstoryError(error)) throw error;
      }
    }
    return true;
  }
}

const WHOLE = wholeScope();

async function closeShared(store: SqliteStore): Promise<void> {
  for (const [name, entry] of shared) {
    if (entry.store !== store) continue;
    if (--entry.users > 0) return;
    shared.delete(name);
  }
  await store.close();
}
