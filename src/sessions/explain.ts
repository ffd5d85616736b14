// Why a caller sees a session or does not: the decision row by row, with its settings and what would flip it (VIS-60).
import { type Caller, checkedCaller } from '../access/caller.ts';
import { changeThatFlips } from '../access/change.ts';
import { decide, type Reason, type Step } from '../access/decide.ts';
import { type SettingUsed, settingsFor, settingsUsed, type VisibilityPolicy } from '../access/policy.ts';
import { CALL_SCOPES, type CallScope, wholeScope } from '../access/scope.ts';
import { agentOf, type ChainStep, chainTo, LINKS, MAX_DEPTH, type Target } from '../access/target.ts';
import { BackstoryError } from '../model/errors.ts';
import { agentOfKey, isReservedKey, kindOfKey } from '../model/ids.ts';
import type { AgentStore } from '../store/contract.ts';
import { checkNames, checkOneOf, checkText } from './page-checks.ts';
import { isKey, sessionNameOf, sessionNotFound } from './page-context.ts';

export interface ExplainParams {
  /** Whose sight is explained. */
  readonly caller: Caller;
  /** A key, of a session that exists or not; a session id; `current` or `main` of that caller. */
  readonly session: string;
  /** As the caller's call would pass it (VIS-14). */
  readonly scope?: CallScope;
}

export interface Explanation {
  readonly exists: boolean;
  readonly visible: boolean;
  /** Of VIS-30. */
  readonly row: number;
  readonly reason: Reason;
  /** Each row up to the deciding one. */
  readonly steps: readonly Step[];
  readonly settings: readonly SettingUsed[];
  /** How the session descends from the caller's own, nearest first. */
  readonly chain?: readonly ChainStep[];
  /** The smallest change of settings that would flip the answer. */
  readonly change?: string;
}

export interface ExplainContext {
  readonly policy: VisibilityPolicy;
  agents(): Promise<readonly string[]>;
  openStore(agentId: string): Promise<AgentStore | undefined>;
  /** Whether this process holds an incognito session of this key. */
  isIncognito(key: string): boolean;
}

// A session above which more hang than this is not looked at further: no real one comes near.
const MOST_ABOVE = 10_000;

/**
 * For operators (VIS-60). An incognito session is in no store, so it is explained as a key without a session; a reserved
 * name says so (VIS-62). Throws `operator_required`, `caller_invalid`, `key_invalid`, `session_not_found` for an unknown
 * session id.
 */
export async function explainSession(
  asker: Caller,
  context: ExplainContext,
  params: ExplainParams,
): Promise<Explanation> {
  checkedCaller(asker);
  if (asker.operator !== true) {
    throw new BackstoryError('operator_required', 'explain is for operators.', 'Call it as an operator.');
  }
  checkNames(params, ['caller', 'session', 'scope']);
  checkText('session', params.session ?? null);
  checkOneOf('scope', params.scope, CALL_SCOPES);
  const caller = checkedCaller(params.caller);
  const key = await keyNamed(context, sessionNameOf(caller, params.session));
  agentOfKey(key);

  const found = isReservedKey(key) ? undefined : await targetOf(context, key);
  const target: Target = found ?? { key, kind: kindOfKey(key) };
  // An incognito session cuts every chain, also as its upper end (VIS-20).
  const own = caller.sessionKey !== undefined && context.isIncognito(caller.sessionKey) ? undefined : caller.sessionKey;
  const above = own === undefined ? new Map<string, Target>() : await sessionsAbove(context, target);
  const chain = (links: readonly (typeof LINKS)[number][]): readonly ChainStep[] | undefined =>
    own === undefined ? undefined : chainTo(target, own, (one) => above.get(one), { links });
  const chains = { any: chain(LINKS), spawned: chain(['spawnedBy']) };

  const { scope: call } = params;
  const settings = settingsFor(context.policy, caller.agentId);
  const used = settingsUsed(context.policy, caller.agentId);
  const decision = decide(caller, settings, target, chains, call);
  const change = decision.row <= 2 ? undefined : changeThatFlips({ caller, settings, used, target, chains, call });
  return {
    exists: found !== undefined,
    ...decision,
    // A setting that is absent is told as null: it is not left out of JSON.
    settings: [
      ...used.map((one) => ({ ...one, value: one.value ?? null })),
      ...(call === undefined ? [] : [{ name: 'scope', value: call, from: 'call' as const }]),
    ],
    ...(chains.any === undefined ? {} : { chain: chains.any }),
    ...(change === undefined ? {} : { change }),
  };
}

async function keyNamed(context: ExplainContext, name: string): Promise<string> {
  if (isKey(name)) return name;
  for (const agentId of await context.agents()) {
    const store = await context.openStore(agentId);
    const found = await store?.read((reading) => reading.sessionOfWindow(wholeScope(), name));
    if (found) return found.key;
  }
  throw sessionNotFound(name);
}

async function targetOf(context: ExplainContext, key: string): Promise<Target | undefined> {
  const store = await context.openStore(agentOf(key));
  return store?.read((reading) => reading.target(wholeScope(), key));
}

/** What a session hangs from, by any link, as far up as descendants reach. */
async function sessionsAbove(context: ExplainContext, target: Target): Promise<ReadonlyMap<string, Target>> {
  const above = new Map<string, Target>();
  let level: readonly Target[] = [target];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0 && above.size < MOST_ABOVE; depth++) {
    const keys = new Set(level.flatMap((one) => LINKS.flatMap((link) => one[link] ?? [])));
    const next: Target[] = [];
    for (const key of keys) {
      const found = above.has(key) ? undefined : await targetOf(context, key);
      if (found === undefined) continue;
      above.set(key, found);
      next.push(found);
    }
    level = next;
  }
  return above;
}
