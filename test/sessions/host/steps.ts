// A home whose sessions a host writes, through the library and through the table of operations; reads as an operator.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { operator } from '../../../src/access/caller.ts';
import { execute, type Operation } from '../../../src/api/operation.ts';
import { operationNamed } from '../../../src/api/operations.ts';
import type { Backstory, BackstoryOptions } from '../../../src/engine/engine.ts';
import type { HostFace } from '../../../src/engine/host.ts';
import type { HistoryParams, HistoryResult } from '../../../src/sessions/history.ts';
import type { SearchResult } from '../../../src/sessions/search.ts';
import { makeWorld, type World } from '../../steps/world.ts';

export const FACES = ['library', 'operations'] as const;
export type Face = (typeof FACES)[number];

export interface Desk {
  readonly world: World;
  readonly host: HostFace;
  readonly key: string;
  /** Messages of user (`u`) and assistant (`a`) with the ids m1, m2, … in their order. */
  say(...said: readonly string[]): Promise<void>;
  u(id: string, content: string): Promise<unknown>;
  search(query: string, params?: object): Promise<SearchResult>;
  /** Message ids of the hits. */
  found(query: string, params?: object): Promise<string[]>;
  history(params?: Omit<HistoryParams, 'session'>): Promise<HistoryResult>;
  /** Message ids of messages, types of other entries. */
  shown(params?: Omit<HistoryParams, 'session'>): Promise<string[]>;
}

export const KEY = 'agent:main:notes';

export async function makeDesk(
  face: Face = 'library',
  options: BackstoryOptions = {},
  key: string = KEY,
): Promise<Desk> {
  const world = await makeWorld(options);
  const host = face === 'library' ? world.backstory.sessions : throughOperations(world.backstory);
  let count = 0;
  const desk: Desk = {
    world,
    host,
    key,
    async say(...said) {
      for (const one of said) {
        const role = one.startsWith('a ') ? 'assistant' : 'user';
        count++;
        await host.append({ key, message: { id: `m${count}`, role, content: one.slice(2) } });
      }
    },
    u: (id, content) => host.append({ key, message: { id, role: 'user', content } }),
    search: (query, params = {}) => world.backstory.sessions.search(operator(), { query, limit: 100, ...params }),
    found: async (query, params) => (await desk.search(query, params)).hits.map((hit) => hit.messageId),
    history: (params = {}) => world.backstory.sessions.history(operator(), { session: key, limit: 200, ...params }),
    shown: async (params) =>
      (await desk.history(params)).entries.map((entry) => (entry.type === 'message' ? entry.messageId : entry.type)),
  };
  return desk;
}

function throughOperations(backstory: Backstory): HostFace {
  const run = (name: string) => (input: object) =>
    execute(operationNamed(name) as Operation<object, never>, backstory, operator(), input);
  const append = run('sessions_append');
  const current = run('sessions_current');
  const remove = run('sessions_delete');
  return {
    append,
    appendMany: append,
    reset: run('sessions_reset'),
    rewind: run('sessions_rewind'),
    switchTo: run('sessions_switch'),
    compact: run('sessions_compact'),
    archive: run('sessions_archive'),
    current: (key, options = {}) => current({ ...options, key }),
    delete: (_caller, params) => remove(params),
    erase: (...given) => backstory.sessions.erase(...given),
  };
}

/** Everything below a folder, as text. */
export function bytesOf(folder: string): string {
  if (!existsSync(folder)) return '';
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => `${path}\n${readFileSync(path, 'latin1')}`)
    .join('\n');
}

/** Made of parts, so that it stands nowhere as a whole. */
export const secret: string = 'k3Jd92Lm'.repeat(4);
export const secretLine: string = `${['api', 'key'].join('_')}=${secret}`;
