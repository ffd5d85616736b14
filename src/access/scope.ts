// What a caller may see, as a value each backend turns into its own condition (VIS-40, VIS-41). Only this folder makes one.
import { isReservedKey } from '../model/ids.ts';
import { type Caller, checkedCaller } from './caller.ts';
import { fitsAny } from './patterns.ts';
import { allowedAgents, settingsFor, type Visibility, type VisibilityPolicy } from './policy.ts';
import { agentOf } from './target.ts';

declare const scope: unique symbol;

/**
 * First argument of every read of the store. A backend reads `conditionIn` and joins it before limits and in counts; no
 * scope has a list of the sessions that may be seen.
 */
export interface Scope {
  readonly [scope]: true;
  readonly condition: ScopeCondition;
  /** Where descendants go on in other agents' stores; absent until it was looked up (`withReach`). */
  readonly reach: readonly Reach[];
}

/**
 * A condition on one session's properties. Incognito sessions and sessions being deleted are outside every one (rows 1
 * and 2 of VIS-30): a backend adds that itself, whatever the condition says.
 */
export type ScopeCondition =
  /** Selects nothing. Never "no filter" (VIS-41). */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'everything' }
  | { readonly kind: 'key'; readonly key: string }
  /** Sessions of agents whose id fits one of the patterns (VIS-12). */
  | { readonly kind: 'agents'; readonly patterns: readonly string[] }
  | Descendants
  /** Sessions whose `people` include this one. */
  | { readonly kind: 'person'; readonly person: string }
  | { readonly kind: 'and' | 'or'; readonly of: readonly ScopeCondition[] };

/** Descendants of a session to a depth of 32, by `spawnedBy` alone or by every link (VIS-20 … VIS-22). */
export interface Descendants {
  readonly kind: 'descendants';
  readonly of: string;
  readonly spawned: boolean;
}

/** A session of another store whose children are in this one, and how far below the first session it is. */
export interface Entry {
  readonly key: string;
  readonly depth: number;
}

/** For each agent besides the first session's own: the sessions of other stores from which descendants hang there. */
export interface Reach {
  readonly of: string;
  readonly spawned: boolean;
  readonly entries: ReadonlyMap<string, readonly Entry[]>;
}

/** What a call may narrow its scope to (VIS-14). */
export const CALL_SCOPES: readonly CallScope[] = ['self', 'tree', 'agent', 'all'];
export type CallScope = Visibility;

const NOTHING: ScopeCondition = Object.freeze({ kind: 'nothing' });
const EVERYTHING: ScopeCondition = Object.freeze({ kind: 'everything' });

/**
 * The scope of a caller, decided before anything is searched: the table of VIS-30 as one condition, narrowed by the
 * call's own scope (VIS-14). Throws `caller_invalid` (VIS-3).
 */
export function scopeFor(caller: Caller, policy: VisibilityPolicy = {}, call?: CallScope): Scope {
  const checked = checkedCaller(caller);
  return made(and(ruledBy(checked, policy), calledFor(checked, call)), []);
}

/** All of it, for the program's own upkeep: sync, the catalogue, `explain`. Never for an answer to a caller. */
export function wholeScope(): Scope {
  return made(EVERYTHING, []);
}

/** Selects nothing: for a caller who may see no session at all. */
export function emptyScope(): Scope {
  return made(NOTHING, []);
}

// Rows 3 to 17, read as sets: what a row answers with "yes" is joined by "or", what it answers with "no" by "and".
function ruledBy(caller: Caller, policy: VisibilityPolicy): ScopeCondition {
  const { operator = false, person, sessionKey } = caller;
  if (operator && person === undefined) return EVERYTHING;
  const own = sessionKey === undefined ? NOTHING : keyOf(sessionKey);
  const ofPerson: ScopeCondition = person === undefined ? EVERYTHING : { kind: 'person', person };
  return or(own, and(ofPerson, operator ? EVERYTHING : othersFor(caller, policy)));
}

/** Rows 7 to 17: sessions other than the own one, whoever they belong to. */
function othersFor(caller: Caller, policy: VisibilityPolicy): ScopeCondition {
  const { agentId, sessionKey, person, sandboxed = false } = caller;
  const { visibility, agentToAgent, sandbox, people } = settingsFor(policy, agentId);
  if (agentId === undefined || visibility === 'self' || (people === 'require' && person === undefined)) return NOTHING;
  const sameAgent: ScopeCondition = { kind: 'agents', patterns: [agentId] };
  if (sandboxed && sandbox.sessions === 'spawned') {
    // Whoever passes row 8 is a descendant already: rows 10 and 11 say yes, but under `agent` only in its own store.
    const spawned = descendantsOf(sessionKey, true);
    return visibility === 'agent' ? and(spawned, sameAgent) : spawned;
  }
  if (visibility === 'tree') return descendantsOf(sessionKey, false);
  if (visibility === 'agent') return sameAgent;
  const allowed = agentToAgent.enabled ? allowedAgents(agentToAgent, agentId) : [];
  if (allowed === undefined) return EVERYTHING;
  const others: ScopeCondition = allowed.length === 0 ? NOTHING : { kind: 'agents', patterns: allowed };
  return or(descendantsOf(sessionKey, false), sameAgent, others);
}

function calledFor({ agentId, sessionKey }: Caller, call: CallScope | undefined): ScopeCondition {
  if (call === undefined || call === 'all') return EVERYTHING;
  const own = sessionKey === undefined ? NOTHING : keyOf(sessionKey);
  if (call === 'self') return own;
  if (call === 'tree') return or(own, descendantsOf(sessionKey, false));
  return agentId === undefined ? own : or(own, { kind: 'agents', patterns: [agentId] });
}

/** The descendants that a scope asks for: a set of stores looks up where they go on (SES-211). */
export function descendantsIn({ condition }: Scope): readonly Descendants[] {
  const found = new Map<boolean, Descendants>();
  const walk = (part: ScopeCondition): void => {
    if (part.kind === 'descendants') found.set(part.spawned, part);
    if (part.kind === 'and' || part.kind === 'or') part.of.forEach(walk);
  };
  walk(condition);
  return [...found.values()];
}

/** The same scope without descendants: the own session is incognito, which cuts every chain (VIS-20). */
export function withoutDescendants({ condition }: Scope): Scope {
  return made(
    rewritten(condition, (part) => (part.kind === 'descendants' ? NOTHING : part)),
    [],
  );
}

/** The same scope, knowing where descendants are in other agents' stores. */
export function withReach({ condition }: Scope, reach: readonly Reach[]): Scope {
  return made(condition, reach);
}

/** The condition as it is for the sessions of one agent: `nothing` when its store need not be opened (VIS-43). */
export function conditionIn({ condition, reach }: Scope, agentId: string): ScopeCondition {
  return rewritten(condition, (part) => {
    if (part.kind === 'key') return agentOf(part.key) === agentId ? part : NOTHING;
    if (part.kind === 'agents') return fitsAny(part.patterns, agentId) ? EVERYTHING : NOTHING;
    if (part.kind === 'descendants') return entriesIn(part, reach, agentId).length > 0 ? part : NOTHING;
    return part;
  });
}

/** Where the descendants in one agent's store hang from. */
export function entriesIn({ of, spawned }: Descendants, reach: Scope['reach'], agentId: string): readonly Entry[] {
  const own: readonly Entry[] = agentOf(of) === agentId ? [{ key: of, depth: 0 }] : [];
  const more = reach.find((one) => one.of === of && one.spawned === spawned)?.entries.get(agentId) ?? [];
  return [...own, ...more];
}

function keyOf(key: string): ScopeCondition {
  return { kind: 'key', key };
}

function descendantsOf(sessionKey: string | undefined, spawned: boolean): ScopeCondition {
  // An incognito session is not in any store, and what it started is incognito too (SES-15): it cuts the chain.
  if (sessionKey === undefined || isReservedKey(sessionKey)) return NOTHING;
  return { kind: 'descendants', of: sessionKey, spawned };
}

function and(...parts: readonly ScopeCondition[]): ScopeCondition {
  if (parts.some(({ kind }) => kind === 'nothing')) return NOTHING;
  return joined('and', EVERYTHING, parts);
}

function or(...parts: readonly ScopeCondition[]): ScopeCondition {
  if (parts.some(({ kind }) => kind === 'everything')) return EVERYTHING;
  return joined('or', NOTHING, parts);
}

/** Each leaf replaced, and what follows from it. */
function rewritten(part: ScopeCondition, leaf: (part: ScopeCondition) => ScopeCondition): ScopeCondition {
  if (part.kind === 'and') return and(...part.of.map((one) => rewritten(one, leaf)));
  if (part.kind === 'or') return or(...part.of.map((one) => rewritten(one, leaf)));
  return leaf(part);
}

function joined(kind: 'and' | 'or', neutral: ScopeCondition, parts: readonly ScopeCondition[]): ScopeCondition {
  const of = parts.filter((part) => part.kind !== neutral.kind);
  if (of.length === 0) return neutral;
  return of.length === 1 ? of[0]! : { kind, of };
}

function made(condition: ScopeCondition, reach: Scope['reach']): Scope {
  return Object.freeze({ condition: Object.freeze(condition), reach: Object.freeze(reach) }) as Scope;
}
