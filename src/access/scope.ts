// What a caller may see, as a value each backend turns into its own condition (VIS-40, VIS-41). Only this folder makes one.
import { BackstoryError } from '../model/errors.ts';
import { type Caller, checkedCaller } from './caller.ts';

declare const scope: unique symbol;

/**
 * First argument of every read of the store. A backend reads `condition` and joins it before limits and in counts; no
 * scope has a list of session keys.
 */
export interface Scope {
  readonly [scope]: true;
  readonly condition: ScopeCondition;
  /** Stores that may hold something visible: others are not opened (VIS-43). `all`: every agent of the home. */
  readonly agents: 'all' | readonly string[];
}

/**
 * A condition on one session's properties. Incognito sessions and sessions being deleted are outside every one (rows 1
 * and 2 of VIS-30): a backend adds that itself, whatever the condition says.
 */
export type ScopeCondition =
  /** Selects nothing. Never "no filter" (VIS-41). */
  | { readonly kind: 'nothing' }
  /** Every other session: the operator's row. */
  | { readonly kind: 'everything' };

/** Settings that decide (VIS-10). The rest of the table comes with its rules; the operator's row needs none. */
export interface VisibilityPolicy {
  readonly visibility?: 'all' | 'agent' | 'tree' | 'self';
}

/**
 * The scope of a caller, decided before anything is searched. For now only row 3 of VIS-30, an operator without a person:
 * every other caller gets `operator_required`, since an answer by less than the whole table would be wrong. Throws
 * `caller_invalid` (VIS-3).
 */
export function scopeFor(caller: Caller, _policy: VisibilityPolicy = {}): Scope {
  const { operator, person } = checkedCaller(caller);
  if (operator === true && person === undefined) return made({ kind: 'everything' }, 'all');
  const who = operator === true ? 'an operator bound to a person' : `agent ${JSON.stringify(caller.agentId)}`;
  throw new BackstoryError(
    'operator_required',
    `Only an operator without a person may read so far, and the caller is ${who}.`,
    'Read as operator(): the rules for other callers are not built yet.',
  );
}

/** Selects nothing: for a caller who may see no session at all. */
export function emptyScope(): Scope {
  return made({ kind: 'nothing' }, []);
}

function made(condition: ScopeCondition, agents: Scope['agents']): Scope {
  return Object.freeze({ condition: Object.freeze(condition), agents }) as Scope;
}
