// The setting memory.postgres: a connection, which is a secret. No error here quotes what was given.
import { BackstoryError, nearest } from '../model/errors.ts';
import type { Check } from './checks.ts';

/** Where memory is kept in place of SQLite files: `postgres://user@host:5432/database`, or its parts. */
export interface PostgresSetting {
  readonly connectionString?: string;
  readonly host?: string;
  readonly port?: number;
  readonly database?: string;
  readonly user?: string;
  readonly password?: string;
  readonly ssl?: boolean | Readonly<Record<string, unknown>>;
  /** Default `backstory`; several stores share a database by it. */
  readonly schema?: string;
  /** Most connections of this process, default 10. */
  readonly max?: number;
}

const TEXTS = ['connectionString', 'host', 'database', 'user', 'password'];
const KEYS = [...TEXTS, 'port', 'ssl', 'schema', 'max'];
const URL_FORM = /^postgres(ql)?:\/\//;
// A / in a password that is not written %2F ends the host: what follows it is taken for the database, and would be shown.
const SLASH_IN_PASSWORD = /^[^:]+:\/\/[^/?#]*\/[^?]*@/;
const ESCAPE_IT = 'Write / in a user or a password as %2F, or give host, database, user and password apart.';
const MOST_CONNECTIONS = 1_000;

export const postgres: Check = {
  allowed: `postgres://user@host:5432/database, or an object of ${KEYS.join(', ')}`,
  read(value, path) {
    const wrong = (what: string, hint: string = `It is ${postgres.allowed}.`): BackstoryError =>
      new BackstoryError('config_invalid', `${path} ${what}.`, hint);
    if (value === undefined) return value;
    if (typeof value === 'string') {
      if (!URL_FORM.test(value)) throw wrong('is a text that does not begin with postgres://');
      if (SLASH_IN_PASSWORD.test(value)) throw wrong('has an @ after the first / of its path', ESCAPE_IT);
      return value;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('is no connection');
    for (const [key, part] of Object.entries(value)) {
      if (!KEYS.includes(key)) {
        const near = nearest(key, KEYS);
        throw wrong(`has the unknown key ${JSON.stringify(key.slice(0, 80))}`, near && `Did you mean ${near}?`);
      }
      if (TEXTS.includes(key) && (typeof part !== 'string' || part === '')) throw wrong(`.${key} is no text`);
    }
    const { connectionString, port, ssl, schema, max } = value as Record<string, unknown>;
    const isWhole = (part: unknown, most: number): boolean =>
      part === undefined || (Number.isInteger(part) && (part as number) >= 1 && (part as number) <= most);
    if (connectionString !== undefined && !URL_FORM.test(connectionString as string)) {
      throw wrong('.connectionString does not begin with postgres://');
    }
    if (connectionString !== undefined && SLASH_IN_PASSWORD.test(connectionString as string)) {
      throw wrong('.connectionString has an @ after the first / of its path', ESCAPE_IT);
    }
    if (!isWhole(port, 65_535)) throw wrong('.port is no whole number from 1 to 65535');
    if (!isWhole(max, MOST_CONNECTIONS)) throw wrong(`.max is no whole number from 1 to ${MOST_CONNECTIONS}`);
    if (ssl !== undefined && typeof ssl !== 'boolean' && (typeof ssl !== 'object' || ssl === null)) {
      throw wrong('.ssl is neither true, false nor an object');
    }
    if (schema !== undefined && !/^[a-z_][a-z0-9_]{0,62}$/.test(String(schema))) {
      throw wrong('.schema is no name of a schema', 'Use up to 63 of a–z, 0–9 and _, not beginning with a digit.');
    }
    return value;
  },
};

/** What may be shown of a connection: never a password, nor what else a connection string may carry. */
export function shownConnection(value: string | PostgresSetting): unknown {
  if (typeof value === 'string') {
    try {
      const { username, host, pathname } = new URL(value);
      return `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`;
    } catch {
      return 'postgres://…';
    }
  }
  const { password: _, ssl: __, connectionString, ...shown } = value;
  return {
    ...(connectionString === undefined ? {} : { connectionString: shownConnection(connectionString) }),
    ...shown,
  };
}

/** Sessions are not kept there: said of the key that common.md has for both. */
export function postgresForAll(): BackstoryError {
  return new BackstoryError(
    'config_invalid',
    'postgres is no setting: sessions stay in SQLite for now.',
    'memory.postgres keeps the memory of agents on PostgreSQL.',
  );
}
