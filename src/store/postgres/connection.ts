// One pool of connections to one schema, transactions on it, and the server's errors as ours. Knows no table. A connection
// string is a secret: messages name host, port, database and user, and nothing else of it.
import type { Client, Pool, PoolClient } from 'pg';
import type { PostgresSetting } from '../../config/index.ts';
import { BackstoryError } from '../../model/errors.ts';
import type { Awaitable } from '../contract.ts';

/** One connection within a transaction. */
export interface Sql {
  /** Rows; a NUL in a string of `values` comes back as one, though PostgreSQL cannot store it. */
  rows<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  row<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row | undefined>;
  /** How many rows it changed. */
  run(text: string, values?: readonly unknown[]): Promise<number>;
}

export interface Connection {
  readonly schema: string;
  /** One snapshot. */
  read<T>(work: (sql: Sql) => Awaitable<T>): Promise<T>;
  /** One transaction under a lock of this name; `waitMs` for the lock, then `store_busy`. */
  write<T>(lock: string, waitMs: number, work: (sql: Sql) => Awaitable<T>): Promise<T>;
  /** Another text after each commit on the server, whatever it wrote. Asked many times at once, the server is asked once. */
  state(): Promise<string>;
  /** After `ended`, which is what is under way; where that gets no answer for 10 s, it fails with `store_busy`. */
  close(ended: Promise<unknown>): Promise<void>;
}

type Pg = typeof import('pg');

const CONNECT_MS = 10_000;
const CLOSE_MS = 10_000;
/** A machine that vanished holds an agent's lock no longer than this. */
const VANISHED_MS = 300_000;
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;
const INT8 = 20;

/** Opens no connection yet. Throws `config_invalid` where `pg` is not installed. */
export async function connectPostgres(given: string | PostgresSetting): Promise<Connection> {
  const { schema = 'backstory', max = 10, ...server } = typeof given === 'string' ? { connectionString: given } : given;
  if (!SCHEMA.test(schema)) {
    throw new BackstoryError(
      'config_invalid',
      `memory.postgres.schema is ${JSON.stringify(schema.slice(0, 80))}, which is no name of a schema.`,
      'Use up to 63 of a–z, 0–9 and _, not beginning with a digit.',
    );
  }
  const pg = await loaded();
  const options = {
    ...server,
    application_name: 'backstory',
    connectionTimeoutMillis: CONNECT_MS,
    // A server that vanished while it was asked is noticed.
    keepAlive: true,
    keepAliveInitialDelayMillis: CONNECT_MS,
    types: { getTypeParser: parserOf(pg) },
  };
  let pool: Pool;
  let named: Client;
  try {
    named = new pg.Client(options as never);
    pool = new pg.Pool({ ...options, max, allowExitOnIdle: true } as never);
  } catch {
    // Its own message may quote the string.
    throw new BackstoryError(
      'config_invalid',
      'memory.postgres is no connection that PostgreSQL understands.',
      'Write it as postgres://user@host:5432/database, or as { host, port, database, user, password }.',
    );
  }
  const name = `${named.host}:${named.port}/${named.database ?? ''} as ${named.user ?? ''}`;
  // Without a listener a connection that breaks ends the process; whoever uses it then gets the error from its query.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  const path = `SET LOCAL search_path = "${schema}", pg_temp; SET LOCAL idle_in_transaction_session_timeout = ${VANISHED_MS}`;
  const fail = (error: unknown): unknown => serverError(name, error);

  const busy = new Set<PoolClient>();
  let isCut = false;
  const begun = async (begin: string): Promise<PoolClient> => {
    for (let tries = 0; ; tries++) {
      let client: PoolClient | undefined;
      try {
        if (isCut) throw Object.assign(new Error('closed'), { code: 'ETIMEDOUT' });
        client = await pool.connect();
        busy.add(client);
        await client.query(begin);
        return client;
      } catch (error) {
        if (client) busy.delete(client);
        client?.release(true);
        // A connection that was idle while the server went away: nothing was done yet, so a new one may. All may be so.
        if (client === undefined || tries >= max || !isLost(error)) throw fail(error);
      }
    }
  };
  const transaction = async <T>(begin: string, work: (sql: Sql) => Awaitable<T>): Promise<T> => {
    const client = await begun(begin);
    let broken = false;
    try {
      const result = await work(sqlOf(client));
      // A transaction that failed before is undone by COMMIT, which says so in its answer only.
      const { command } = await client.query('COMMIT');
      if (command !== 'COMMIT') throw Object.assign(new Error('undone'), { code: '25P02' });
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {
        broken = true;
      });
      throw fail(error);
    } finally {
      busy.delete(client);
      client.release(broken);
    }
  };

  const read: Connection['read'] = (work) =>
    transaction(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${path}`, work);
  let state: Promise<string> | undefined;

  return {
    schema,
    read,
    state() {
      // Which transactions a snapshot sees: a commit between two of them is in the later one only.
      const asked = async (sql: Sql): Promise<string> =>
        (await sql.row<{ state: string }>('SELECT pg_current_snapshot()::text AS state'))!.state;
      state ??= read(asked).finally(() => {
        state = undefined;
      });
      return state;
    },
    write(lock, waitMs, work) {
      const key = `hashtextextended('${lock.replaceAll("'", "''")}', 0)`;
      // 0 would be no bound at all.
      const wait = Math.max(1, Math.floor(waitMs));
      const begin = `BEGIN; ${path}; SET LOCAL lock_timeout = ${wait}; SELECT pg_advisory_xact_lock(${key})`;
      return transaction(begin, work);
    },
    async close(ended) {
      const cut = setTimeout(() => {
        isCut = true;
        // What fails here is told by the call that waits on it.
        for (const client of busy) client.end().catch(() => undefined);
      }, CLOSE_MS);
      try {
        await ended;
        await pool.end();
      } finally {
        clearTimeout(cut);
      }
    },
  };
}

async function loaded(): Promise<Pg> {
  try {
    const module = (await import('pg')) as unknown as { readonly default: Pg };
    return module.default;
  } catch (error) {
    throw new BackstoryError(
      'config_invalid',
      'memory.postgres needs the package pg, which cannot be loaded.',
      'Install it beside backstory: npm install pg',
      { cause: error },
    );
  }
}

// bigint comes as a number: ours stay below 2^53.
function parserOf(pg: Pg): (oid: number, format?: string) => unknown {
  return (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid as never, format as never));
}

function sqlOf(client: PoolClient): Sql {
  const ask = (text: string, values: readonly unknown[]) => client.query(text, values.map(bound));
  return {
    rows: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await ask(text, values)).rows as Row[],
    row: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await ask(text, values)).rows[0] as Row | undefined,
    run: async (text, values = []) => (await ask(text, values)).rowCount ?? 0,
  };
}

// PostgreSQL's text holds no NUL. JSON and searched texts have none, nor U+0001, so this changes ids of hosts alone; it
// keeps their order, and `unbound` gives them back.
function bound(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bound);
  if (typeof value !== 'string' || !/[\0\u0001]/.test(value)) return value;
  return value.replace(/[\0\u0001]/g, (one) => (one === '\0' ? '\u00010' : '\u00011'));
}

/** A text of a host as it was before it was stored. */
export function unbound(value: string): string {
  return value.includes('\u0001') ? value.replace(/\u0001([01])/g, (_, n) => (n === '0' ? '\0' : '\u0001')) : value;
}

const LOST = /^(08|57P0)/;
const LOST_SYSTEM = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH']);
const UNKNOWN_HOST = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ENOENT']);

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return code;
  // pg gives these without a code.
  const message = error instanceof Error ? error.message : '';
  return /^Connection terminated|timeout exceeded when trying to connect|Client has encountered/.test(message)
    ? 'ETIMEDOUT'
    : '';
}

function isLost(error: unknown): boolean {
  const code = codeOf(error);
  return LOST.test(code) || LOST_SYSTEM.has(code);
}

/** The error of ours for one of the server or of the way to it; any other error as it is. */
function serverError(name: string, error: unknown): unknown {
  const code = error instanceof BackstoryError ? '' : codeOf(error);
  if (code === '') return error;
  const make = (
    ours: 'store_busy' | 'store_full' | 'store_read_only' | 'store_damaged',
    what: string,
    hint: string,
  ): BackstoryError =>
    // The server's own error is no cause of it: its detail quotes rows.
    new BackstoryError(ours, `The memory on PostgreSQL ${name} ${what} (${code}).`, hint);
  if (UNKNOWN_HOST.has(code) || LOST_SYSTEM.has(code)) {
    return make(
      'store_busy',
      'cannot be reached',
      'Check that the server runs and what memory.postgres names; try again.',
    );
  }
  if (LOST.test(code)) return make('store_busy', 'closed the connection', 'Try again when the server is up.');
  if (code === '53300')
    return make('store_busy', 'takes no more connections', 'Try again, or lower memory.postgres.max.');
  if (code === '55P03' || code === '40P01' || code === '40001' || code === '57014') {
    return make('store_busy', 'is being written by another process', 'Try again, or raise busyTimeoutMs.');
  }
  if (code.startsWith('53')) {
    return make('store_full', 'has no room left', 'Free some disk space there and try again; nothing was written.');
  }
  if (code.startsWith('28') || code === '3D000') {
    return make('store_read_only', 'refuses the connection', 'Check user, password and database in memory.postgres.');
  }
  if (code === '42501' || code === '25006' || code === '3F000') {
    return make(
      'store_read_only',
      'cannot be written',
      'The user needs the right to create the schema, or to write in it; a standby server cannot be written.',
    );
  }
  if (code.startsWith('XX') || code === '42P01' || code === '42703') {
    return make(
      'store_damaged',
      'lacks or cannot read a table',
      'Restore the schema from a backup, or use another one.',
    );
  }
  // Only the server's own errors have a severity; EPERM and the like are five letters as well.
  if (typeof (error as { severity?: unknown }).severity === 'string') {
    return make('store_damaged', 'answered with an error', 'Nothing was written. The server’s log has the details.');
  }
  return error;
}
