// Statements that are prepared when they are first run: most openings of a store run few of the some hundred there are.
import type Database from 'better-sqlite3';

/** What this project runs statements by. */
export type Lazy<Values extends unknown[], Row> = Pick<
  Database.Statement<Values, Row>,
  'get' | 'all' | 'run' | 'iterate'
> & {
  /** Rows as their first column. */
  pluck(): Lazy<Values, Row>;
};

/**
 * As `db.prepare(sql)`, once per connection, but at its first run: so a fault in the SQL shows then, too. (Preparing all
 * of one reader's statements took 1.2 ms, 600 agents 0.7 s; opening the file itself about 1 ms.)
 */
export function lazily<Values extends unknown[] | object = unknown[], Row = unknown>(
  db: Database.Database,
  sql: string,
): Lazy<Values extends unknown[] ? Values : [Values], Row> {
  return new LazyStatement<Values extends unknown[] ? Values : [Values], Row>(db, sql);
}

class LazyStatement<Values extends unknown[], Row> implements Lazy<Values, Row> {
  readonly #db: Database.Database;
  readonly #sql: string;
  #plucked = false;
  #statement: Database.Statement<Values, Row> | undefined;

  constructor(db: Database.Database, sql: string) {
    this.#db = db;
    this.#sql = sql;
  }

  get(...values: Values): Row | undefined {
    return this.#prepared().get(...values);
  }

  all(...values: Values): Row[] {
    return this.#prepared().all(...values);
  }

  run(...values: Values): Database.RunResult {
    return this.#prepared().run(...values);
  }

  iterate(...values: Values): IterableIterator<Row> {
    return this.#prepared().iterate(...values);
  }

  pluck(): this {
    this.#plucked = true;
    return this;
  }

  #prepared(): Database.Statement<Values, Row> {
    if (this.#statement === undefined) {
      const statement = this.#db.prepare(this.#sql) as Database.Statement<Values, Row>;
      this.#statement = this.#plucked ? statement.pluck() : statement;
    }
    return this.#statement;
  }
}

export type Prepare = <Row = unknown>(sql: string) => Database.Statement<unknown[], Row>;

/** Statements whose text depends on what is asked: each is prepared once per connection, and kept by its text. */
export function statementsOf(db: Database.Database): Prepare {
  const prepared = new Map<string, Database.Statement>();
  return <Row>(sql: string) => {
    const statement = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, statement);
    return statement as Database.Statement<unknown[], Row>;
  };
}
