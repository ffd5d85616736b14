// Reads from which scopes are made and explained. For the program itself: they answer the whole scope only (VIS-40).
import type { Descendants, Entry, Scope } from '../access/scope.ts';
import type { Target } from '../access/target.ts';
import type { Awaitable } from './contract.ts';

/** A link to a session of another agent. */
export interface Crossing {
  readonly child: string;
  readonly parent: string;
  /** By `spawnedBy`; else by `parent` or `owner`. */
  readonly spawned: boolean;
}

export interface Judging {
  /** Which of these sessions descend from where the entries hang, and how far below the first session they are. */
  descend(
    scope: Scope,
    from: Descendants,
    entries: readonly Entry[],
    among: readonly string[],
  ): Awaitable<readonly Entry[]>;
  /** Links of native kinds to sessions of other agents (VIS-21). */
  crossings(scope: Scope): Awaitable<readonly Crossing[]>;
  /** What the decision asks of a session, also of one that is being deleted. Incognito ones are in no store. */
  target(scope: Scope, key: string): Awaitable<Target | undefined>;
  /** Rows that no scope can judge and none shows (VIS-44). */
  unjudged(scope: Scope): Awaitable<number>;
}
