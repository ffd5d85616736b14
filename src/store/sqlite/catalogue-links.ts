// Keeps the catalogue in step with the links that one store's writes make: before a commit what is new, after it the rest.
import type Database from 'better-sqlite3';
import { agentOf, NATIVE_KINDS } from '../../access/target.ts';
import { SESSION_KINDS } from '../../model/session.ts';
import type { Crossing } from '../judging.ts';
import type { Catalogue } from './catalogue.ts';

const CURRENT = 'SELECT kind, spawned_by, parent, owner FROM session WHERE key = ?';
const COLUMNS = ['kind', 'spawned_by', 'parent', 'owner'];

interface LinksSql {
  readonly kind: string;
  readonly spawned_by: string | null;
  readonly parent: string | null;
  readonly owner: string | null;
}

/**
 * A link is in the catalogue before its session can be seen, and leaves it only after the session's own row has changed:
 * so a crash in between leaves a hint too many, which that row answers, and never one too few.
 */
export class CatalogueLinks {
  readonly #db: Database.Database;
  readonly #catalogue: Catalogue;
  readonly #changed = new Set<string>();

  /** Watches the sessions of a writing connection by triggers of its own. */
  constructor(db: Database.Database, catalogue: Catalogue) {
    this.#db = db;
    this.#catalogue = catalogue;
    db.function('session_links', (key, kind, spawnedBy, parent, owner) => {
      const links = { kind, spawned_by: spawnedBy, parent, owner } as LinksSql;
      if (crossingsOf(String(key), links).length > 0) this.#changed.add(String(key));
      return null;
    });
    const call = (row: string): string => `SELECT session_links(${['key', ...COLUMNS].map((one) => `${row}.${one}`)});`;
    db.exec(`
      CREATE TEMP TRIGGER session_linked AFTER INSERT ON main.session BEGIN ${call('NEW')} END;
      CREATE TEMP TRIGGER session_relinked AFTER UPDATE OF ${COLUMNS} ON main.session BEGIN ${call('OLD')} ${call('NEW')} END;
      CREATE TEMP TRIGGER session_unlinked AFTER DELETE ON main.session BEGIN ${call('OLD')} END;
    `);
  }

  beforeCommit(): void {
    if (this.#changed.size === 0) return;
    this.#catalogue.add([...this.#changed].flatMap((key) => this.#current(key)));
  }

  afterCommit(): void {
    if (this.#changed.size === 0) return;
    try {
      for (const key of this.#changed) this.#catalogue.replace(key, this.#current(key));
    } catch {
      // The write is done and must not fail any more: a hint too many stays.
    }
    this.#changed.clear();
  }

  #current(key: string): readonly Crossing[] {
    const row = this.#db.prepare<[string], LinksSql>(CURRENT).get(key);
    return row === undefined ? [] : crossingsOf(key, row);
  }
}

function crossingsOf(child: string, links: LinksSql): readonly Crossing[] {
  const kind = SESSION_KINDS.find((one) => one === links.kind);
  if (kind === undefined || !NATIVE_KINDS.includes(kind)) return [];
  const found: Crossing[] = [];
  for (const column of ['spawned_by', 'parent', 'owner'] as const) {
    const parent = links[column];
    if (parent !== null && agentOf(parent) !== agentOf(child)) {
      found.push({ child, parent, spawned: column === 'spawned_by' });
    }
  }
  return found;
}
