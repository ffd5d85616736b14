// A machine in a temporary folder: agents' files in their real formats, a home, an engine on both.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { operator } from '../../src/access/caller.ts';
import { type Backstory, type BackstoryOptions, openBackstory } from '../../src/engine/engine.ts';
import type { HistoryEntry, Hit } from '../../src/model/session.ts';

export interface World {
  readonly folder: string;
  readonly home: string;
  /** The user's home folder on that machine. */
  readonly user: string;
  readonly backstory: Backstory;
  /** Writes a file below the user's home; lines are joined, objects become JSON. Returns its path. */
  write(path: string, lines: readonly Line[], options?: { readonly end?: string }): string;
  append(path: string, text: string): void;
  appendBytes(path: string, bytes: Uint8Array): void;
  /** Brings a file that grew to these bytes, by appending what is new of them. */
  truncateTo(path: string, bytes: Uint8Array): void;
  sync(): ReturnType<Backstory['sources']['sync']>;
  search(query: string, params?: object): Promise<readonly Hit[]>;
  /** Session keys of the hits, in order. */
  keys(query: string, params?: object): Promise<string[]>;
  history(session: string, params?: object): Promise<readonly HistoryEntry[]>;
  /** Texts of a session's displayed messages, oldest first. */
  texts(session: string): Promise<string[]>;
  /** Another engine on the same home, as another process would have. */
  reopen(options?: BackstoryOptions): Promise<Backstory>;
}

export type Line = string | object;

const worlds: (() => Promise<void>)[] = [];

export async function makeWorld(options: BackstoryOptions = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'backstory-world-'));
  const home = join(folder, 'home');
  const user = join(folder, 'user');
  mkdirSync(user);
  const open = (more: BackstoryOptions = {}): Promise<Backstory> =>
    openBackstory({ home, host: { env: {}, home: user, platform: process.platform }, ...options, ...more });
  const backstory = await open();
  const engines = [backstory];
  const caller = operator();
  worlds.push(async () => {
    for (const engine of engines) await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const world: World = {
    folder,
    home,
    user,
    backstory,
    write(path, lines, { end = '\n' } = {}) {
      const file = join(user, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, linesOf(lines) + end);
      return file;
    },
    append(path, text) {
      appendFileSync(join(user, path), text);
    },
    appendBytes(path, bytes) {
      appendFileSync(join(user, path), bytes);
    },
    truncateTo(path, bytes) {
      writeFileSync(join(user, path), bytes);
    },
    sync: () => backstory.sources.sync(),
    async search(query, params = {}) {
      return (await backstory.sessions.search(caller, { query, limit: 100, ...params })).hits;
    },
    async keys(query, params) {
      return (await world.search(query, params)).map((hit) => hit.sessionKey);
    },
    async history(session, params = {}) {
      return (await backstory.sessions.history(caller, { session, limit: 200, ...params })).entries;
    },
    async texts(session) {
      const entries = await world.history(session);
      return entries.flatMap((entry) =>
        entry.type === 'message'
          ? entry.blocks.flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : []))
          : [],
      );
    },
    async reopen(more) {
      const engine = await open(more);
      engines.push(engine);
      return engine;
    },
  };
  return world;
}

/** Closes every engine and removes every folder made since. */
export async function removeWorlds(): Promise<void> {
  for (const remove of worlds.splice(0)) await remove();
}

export function linesOf(lines: readonly Line[]): string {
  return lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
}

/** Claude Code records, with the fields that readers look at. */
export const claude = {
  path: (session: string, project = '-src-shop'): string => `.claude/projects/${project}/${session}.jsonl`,
  user(uuid: string, text: unknown, parent: string | null = null, more: object = {}): object {
    return {
      parentUuid: parent,
      isSidechain: false,
      cwd: '/src/shop',
      sessionId: 's-1',
      version: '2.1.230',
      type: 'user',
      message: { role: 'user', content: text },
      uuid,
      timestamp: '2026-09-01T08:00:00.000Z',
      ...more,
    };
  },
  assistant(uuid: string, text: unknown, parent: string | null = null, more: object = {}): object {
    const content = typeof text === 'string' ? [{ type: 'text', text }] : text;
    return {
      parentUuid: parent,
      isSidechain: false,
      cwd: '/src/shop',
      sessionId: 's-1',
      version: '2.1.230',
      type: 'assistant',
      message: { id: `msg_${uuid}`, role: 'assistant', model: 'm', content },
      uuid,
      timestamp: '2026-09-01T08:00:03.000Z',
      ...more,
    };
  },
};

/** Codex CLI records. */
export const codex = {
  path: (id: string, folder = 'sessions/2026/09/01'): string =>
    `.codex/${folder}/rollout-2026-09-01T08-00-00-${id}.jsonl`,
  meta: (id: string, more: object = {}): object => ({
    timestamp: '2026-09-01T08:00:00.000Z',
    type: 'session_meta',
    payload: { id, timestamp: '2026-09-01T08:00:00.000Z', cwd: '/src/shop', cli_version: '0.147.0', ...more },
  }),
  turn: (id: string): object => ({
    timestamp: '2026-09-01T08:00:00.100Z',
    type: 'turn_context',
    payload: { turn_id: id, cwd: '/src/shop', model: 'gpt-x' },
  }),
  item: (role: 'user' | 'assistant', text: string, at = '2026-09-01T08:00:01.001Z'): object => ({
    timestamp: at,
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] },
  }),
  event: (type: 'user_message' | 'agent_message', message: string, at = '2026-09-01T08:00:01.000Z'): object => ({
    timestamp: at,
    type: 'event_msg',
    payload: { type, message },
  }),
  rolledBack: (turns: number): object => ({
    timestamp: '2026-09-01T09:00:01.000Z',
    type: 'event_msg',
    payload: { type: 'thread_rolled_back', num_turns: turns },
  }),
};

/** OpenClaw records, version 3. */
export const claw = {
  path: (session: string, agent = 'main'): string => `.openclaw/agents/${agent}/sessions/${session}.jsonl`,
  session: (id: string): object => ({
    type: 'session',
    version: 3,
    id,
    timestamp: '2026-09-01T08:00:00.000Z',
    cwd: '/srv/claw/workspace',
  }),
  message: (id: string, parentId: string | null, role: string, text: string): object => ({
    type: 'message',
    id,
    parentId,
    timestamp: '2026-09-01T08:00:01.000Z',
    message: { role, content: [{ type: 'text', text }], timestamp: 1788249601000 },
  }),
};
