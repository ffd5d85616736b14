// Sessions that never reach a disk (SES-14): stores in memory, one per agent, and the rules that put a session there.
import { BackstoryError } from '../model/errors.ts';
import { agentOfKey, isReservedKey } from '../model/ids.ts';
import type { AgentStore, StoreSet } from '../store/contract.ts';

/** Held in memory by the process that writes them; no read of a caller's face is ever given these stores. */
export class Incognito {
  readonly #stores: StoreSet;
  readonly #keys = new Set<string>();

  /** `stores`: a set in memory. */
  constructor(stores: StoreSet) {
    this.#stores = stores;
  }

  /** Whether this process holds an incognito session of this key. */
  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** What is said of a session makes it incognito, wherever it is held (SES-15). */
  isOrLinked(key: string): boolean {
    return isReservedKey(key) || this.#keys.has(key);
  }

  async store(key: string): Promise<AgentStore> {
    return (await this.#stores.open(agentOfKey(key), { create: true }))!;
  }

  add(key: string): void {
    this.#keys.add(key);
  }

  remove(key: string): void {
    this.#keys.delete(key);
  }

  async close(): Promise<void> {
    this.#keys.clear();
    await this.#stores.close();
  }
}

/** What a write says of a session that decides where it is held. */
export interface IncognitoAsked {
  readonly key: string;
  readonly spawnedBy?: string | undefined;
  readonly parent?: string | null | undefined;
  readonly incognito?: boolean | undefined;
}

/** Whether the session is incognito. Throws `incognito_required` where it must be and is asked not to be (SES-15). */
export function isIncognito(held: Incognito, asked: IncognitoAsked): boolean {
  const { key, spawnedBy, parent, incognito } = asked;
  const links = [spawnedBy, parent].filter((link) => typeof link === 'string');
  const must = isReservedKey(key) || links.some((link) => held.isOrLinked(link));
  if (must && incognito === false) {
    throw incognitoRequired(
      `Session ${JSON.stringify(key)} is incognito by its key or by the session it hangs on, and incognito is false.`,
      'Leave incognito out, or use another key without that link.',
    );
  }
  return must || incognito === true || held.has(key);
}

export function incognitoRequired(message: string, hint: string): BackstoryError {
  return new BackstoryError('incognito_required', message, hint);
}
