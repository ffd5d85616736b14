// Stores in memory with sessions said into them, and the reads of sessions on them, as one operator sees them.
import { type Caller, operator } from '../../src/access/caller.ts';
import { type Scope, scopeFor } from '../../src/access/scope.ts';
import type { Clock } from '../../src/model/clock.ts';
import type { Pointer, Role, SessionKind, StoredBlock } from '../../src/model/session.ts';
import { Masker } from '../../src/redact/masker.ts';
import { type HistoryParams, type HistoryResult, readHistory } from '../../src/sessions/history.ts';
import { type ListParams, type ListResult, listSessions } from '../../src/sessions/list.ts';
import { preparerOf } from '../../src/sessions/prepare.ts';
import { type SearchParams, type SearchResult, searchSessions } from '../../src/sessions/search.ts';
import type { Reopened } from '../../src/sources/contract.ts';
import type { AgentStore, EntryState } from '../../src/store/contract.ts';
import { openSqliteStores } from '../../src/store/sqlite/store-set.ts';
import type { SessionRecord, Writing } from '../../src/store/writing.ts';

/** One message, or another entry. `say` gives ids m1, m2, … within a session, and times a second apart. */
export interface Said {
  readonly text?: string;
  readonly blocks?: readonly StoredBlock[];
  readonly role?: Role;
  readonly kind?: 'message' | 'reset' | 'rewind' | 'compaction';
  readonly id?: string;
  readonly at?: number;
  readonly state?: EntryState;
  readonly copyOf?: number;
  readonly atGuessed?: boolean;
}

export interface Desk {
  readonly stores: ReturnType<typeof openSqliteStores>;
  /** Appends to `agent:<agent>:<session>`, in one transaction. Returns entry ids. */
  say(session: string, ...said: readonly (string | Said)[]): Promise<number[]>;
  write<T>(agentId: string, work: (writing: Writing) => Promise<T>): Promise<T>;
  /** Makes the latest reset of a session keep these. */
  keep(session: string, entries: readonly number[]): Promise<void>;
  /** Off the branch, or back on it. */
  move(agentId: string, entries: readonly number[], state: EntryState): Promise<void>;
  search(query: string, params?: Omit<SearchParams, 'query'>): Promise<SearchResult>;
  history(session: string, params?: Omit<HistoryParams, 'session'>): Promise<HistoryResult>;
  list(params?: ListParams): Promise<ListResult>;
  /** Texts as a hit shows them, in order. */
  found(query: string, params?: Omit<SearchParams, 'query'>): Promise<string[]>;
  close(): Promise<void>;
}

export const START: number = Date.UTC(2026, 8, 1, 8);
const CLOCK: Clock = { now: () => START + 86_400_000, elapsed: () => 0 };

export interface DeskOptions {
  readonly masker?: Masker;
  readonly caller?: Caller;
  readonly bounds?: 'agent' | 'library';
  readonly fingerprint?: string;
  readonly clock?: Clock;
  readonly scope?: Scope;
  readonly failed?: readonly { readonly agentId: string; readonly reason: string }[];
  readonly reopen?: (store: AgentStore) => (pointer: Pointer) => Promise<Reopened>;
}

export async function makeDesk(options: DeskOptions = {}): Promise<Desk> {
  const { masker = Masker.off, caller = operator(), failed = [], ...rest } = options;
  const stores = openSqliteStores();
  const prepare = preparerOf(masker);
  const counts = new Map<string, number>();
  const reading = async (): Promise<ReturnType<typeof context>> => {
    const opened: AgentStore[] = [];
    for (const agentId of await stores.agents()) opened.push((await stores.open(agentId))!);
    return context(opened);
  };
  const context = (opened: readonly AgentStore[]) => ({
    stores: opened,
    failed,
    scope: scopeFor(operator()),
    caller,
    masker,
    clock: CLOCK,
    timeZone: 'UTC',
    cursorKey: () => 'key of a test',
    reopen: () => async (): Promise<Reopened> => ({ reason: 'source_gone' }),
    ...rest,
  });
  const write = async <T>(agentId: string, work: (writing: Writing) => Promise<T>): Promise<T> =>
    (await stores.open(agentId, { create: true }))!.write(work);

  const desk: Desk = {
    stores,
    write,
    async say(session, ...said) {
      const key = keyOf(session);
      return write(key.split(':')[1]!, async (writing) => {
        const record = (await writing.session(key)) ?? (await newSession(writing, key));
        const ids: number[] = [];
        let [messages, first, last] = [0, record.createdAt, record.lastAt];
        for (const one of said) {
          const count = (counts.get(key) ?? 0) + 1;
          counts.set(key, count);
          const given: Said = typeof one === 'string' ? { text: one } : one;
          const { kind = 'message', state = 'active', at = START + count * 1_000 } = given;
          ids.push(
            await writing.insert({
              session: record.no,
              window: record.window,
              kind,
              ...(kind === 'message' ? { role: given.role ?? 'user' } : {}),
              state,
              at,
              ...(given.atGuessed ? { atGuessed: true } : {}),
              messageId: given.id ?? `m${count}`,
              blocks: given.blocks ?? (given.text === undefined ? [] : [{ type: 'text', text: given.text }]),
              ...(given.copyOf === undefined ? {} : { copyOf: given.copyOf }),
            }),
          );
          if (kind === 'message' && state !== 'side') messages++;
          first = Math.min(first, at);
          last = Math.max(last, at);
        }
        await writing.index(ids, prepare);
        await writing.updateSession(record.no, { messagesAdded: messages, createdAt: first, lastAt: last });
        return ids;
      });
    },
    async keep(session, entries) {
      const key = keyOf(session);
      await write(key.split(':')[1]!, async (writing) => writing.keep((await writing.session(key))!.no, entries));
    },
    async move(agentId, entries, state) {
      await write(agentId, async (writing) => {
        await writing.setState(entries, state);
        await writing.index(entries, prepare);
      });
    },
    search: async (query, params = {}) => searchSessions(await reading(), { query, ...params }),
    history: async (session, params = {}) => readHistory(await reading(), { session: keyOf(session), ...params }),
    list: async (params = {}) => listSessions(await reading(), params),
    found: async (query, params = {}) => (await desk.search(query, params)).hits.map((hit) => hit.excerpt),
    close: () => stores.close(),
  };
  return desk;
}

/** `one` → `agent:a:one`; whole keys as they are; `=x` → `x`, for session ids. */
function keyOf(session: string): string {
  if (session.startsWith('=')) return session.slice(1);
  return session.startsWith('agent:') ? session : `agent:a:${session}`;
}

async function newSession(writing: Writing, key: string): Promise<SessionRecord> {
  const [, agent, ...rest] = key.split(':');
  const first = rest[0]!;
  const kind: SessionKind = first === 'cron' || first === 'hook' ? first : 'imported';
  const sessionId = `${agent}-${rest.join('-')}`;
  return writing.createSession({ key, kind, sessionId, reason: 'imported', createdAt: START });
}
