// Agents' memories in one schema of a PostgreSQL database, for any number of processes on any number of machines. Nothing
// of what the tables hold is kept between two calls.
import type { PostgresSetting } from '../../config/index.ts';
import { BackstoryError } from '../../model/errors.ts';
import { assertAgentId } from '../../model/ids.ts';
import type { Awaitable } from '../contract.ts';
import type { MemoryReading, MemoryStore, MemoryStores, MemoryWriting } from '../memory.ts';
import { memoryArchive } from './archive-memory.ts';
import { type Connection, connectPostgres, type Sql, unbound } from './connection.ts';
import { erasureReading } from './memory-erase.ts';
import { pruneWriting } from './memory-prune.ts';
import { namedReading } from './memory-reading.ts';
import { recallReading } from './memory-recall.ts';
import { runWriting } from './memory-runs.ts';
import { recordWriting } from './memory-writing.ts';
import { migrate, versionOf } from './migrations.ts';

export interface PostgresMemoryOptions {
  readonly connection: string | PostgresSetting;
  /** How long a write waits for other processes unless it says otherwise, 0–60 000 ms. */
  readonly busyTimeoutMs?: number;
}

export interface PostgresMemories extends MemoryStores {
  /** Takes an agent with all it has away. */
  drop(agentId: string): Promise<void>;
}

const TABLES = ['agent', 'meta', 'namespace', 'record', 'link', 'parked', 'parked_trace', 'call', 'deletion'];
const BYTES = `
  SELECT (pg_total_relation_size('record'::regclass) * coalesce(sum(records) FILTER (WHERE agent = $1), 0)
    / greatest(sum(records), 1))::bigint AS bytes FROM namespace`;
const KEYED = [...TABLES, 'barrier', 'counter'];

/** The PostgreSQL backend of memory. Connects when first asked for something. */
export function openPostgresMemories(options: PostgresMemoryOptions): PostgresMemories {
  const { connection: given, busyTimeoutMs = 5_000 } = options;
  const open = new Map<string, PostgresMemory>();
  let connecting: Promise<Connection> | undefined;
  let migrated: Promise<void> | undefined;
  let closed = false;
  let closing: Promise<void> | undefined;
  const connected = (): Promise<Connection> => (connecting ??= connectPostgres(given));
  const isThere = async (connection: Connection): Promise<boolean> =>
    (await connection.read((sql) => versionOf(sql, connection.schema))) > 0;
  const made = async (connection: Connection): Promise<void> => {
    migrated ??= migrate(connection);
    try {
      await migrated;
    } catch (error) {
      // The server may be up at the next call.
      migrated = undefined;
      throw error;
    }
  };

  return {
    async agents() {
      assertOpen(closed, 'agents');
      const connection = await connected();
      if (!(await isThere(connection))) return [];
      const rows = await connection.read((sql) => sql.rows<{ id: string }>('SELECT id FROM agent ORDER BY id'));
      return rows.map(({ id }) => unbound(id));
    },
    async open(agentId, { create = false } = {}) {
      assertOpen(closed, 'open');
      const known = open.get(agentId);
      if (known) return known;
      assertAgentId(agentId);
      const connection = await connected();
      if (!create && !(await isThere(connection))) return undefined;
      await made(connection);
      const find = 'SELECT 1 FROM agent WHERE id = $1';
      const isKnown = await connection.read((sql) => sql.row(find, [agentId]));
      if (isKnown === undefined) {
        if (!create) return undefined;
        await connection.write(lockOf(connection, agentId), busyTimeoutMs, (sql) =>
          sql.run('INSERT INTO agent (id) VALUES ($1) ON CONFLICT DO NOTHING', [agentId]),
        );
      }
      const store = open.get(agentId) ?? new PostgresMemory(agentId, connection, busyTimeoutMs);
      open.set(agentId, store);
      return store;
    },
    async drop(agentId) {
      open.delete(agentId);
      const connection = await connected();
      await connection.write(lockOf(connection, agentId), busyTimeoutMs, async (sql) => {
        for (const table of KEYED) {
          await sql.run(`DELETE FROM ${table} WHERE ${table === 'agent' ? 'id' : 'agent'} = $1`, [agentId]);
        }
      });
    },
    close() {
      closed = true;
      closing ??= (async () => {
        const stores = [...open.values()];
        open.clear();
        const connection = await connecting?.catch(() => undefined);
        await connection?.close(Promise.all(stores.map((store) => store.close())));
      })();
      return closing;
    },
  };
}

class PostgresMemory implements MemoryStore {
  readonly agentId: string;
  readonly #connection: Connection;
  readonly #busyTimeoutMs: number;
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(agentId: string, connection: Connection, busyTimeoutMs: number) {
    this.agentId = agentId;
    this.#connection = connection;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  async read<T>(work: (reading: MemoryReading) => Awaitable<T>): Promise<T> {
    assertOpen(this.#closed, 'read');
    return this.#connection.read((sql) => work(readingOf(sql, this.agentId)));
  }

  write<T>(
    work: (writing: MemoryWriting) => Awaitable<T>,
    { waitMs = this.#busyTimeoutMs }: { readonly waitMs?: number } = {},
  ): Promise<T> {
    assertOpen(this.#closed, 'write');
    const lock = lockOf(this.#connection, this.agentId);
    const result = this.#queue.then(() =>
      this.#connection.write(lock, waitMs, (sql) => work(writingOf(sql, this.agentId))),
    );
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /** The server's own, of all its databases: who is woken by another one's commit looks once in vain. */
  async state(): Promise<string> {
    assertOpen(this.#closed, 'state');
    return this.#connection.state();
  }

  /** Always `pending`: pages keep deleted rows until a vacuum, the log and backups longer, and none of it is ours to see. */
  async clean(): Promise<'absent' | 'pending'> {
    assertOpen(this.#closed, 'clean');
    return 'pending';
  }

  /** The server's files are not ours to read: none is found, and `clean` says that this proves nothing. */
  async fragmentsFound(): Promise<number> {
    assertOpen(this.#closed, 'fragmentsFound');
    return 0;
  }

  /** The agent's share of the records' table and indexes, by its number of records: nothing is scanned (SUR-71). */
  async bytes(): Promise<number> {
    assertOpen(this.#closed, 'bytes');
    return this.#connection.read(async (sql) => (await sql.row<{ bytes: number }>(BYTES, [this.agentId]))!.bytes);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue;
  }
}

function lockOf({ schema }: Connection, agentId: string): string {
  return `${schema} memory ${agentId}`;
}

function readingOf(sql: Sql, agent: string): MemoryReading {
  return {
    ...namedReading(sql, agent),
    ...recallReading(sql, agent),
    ...erasureReading(sql, agent),
    ...memoryArchive(sql, agent),
  };
}

function writingOf(sql: Sql, agent: string): MemoryWriting {
  const records = recordWriting(sql, agent);
  const { insert, update, remove } = records;
  return {
    ...readingOf(sql, agent),
    insert,
    update,
    remove,
    ...pruneWriting(sql, agent, records),
    ...runWriting(sql, agent, records),
  };
}

function assertOpen(closed: boolean, method: string): void {
  if (closed) throw new BackstoryError('closed', `The store was closed before ${method}().`, 'Open the engine again.');
}
