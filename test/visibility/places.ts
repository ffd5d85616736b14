// Stores with sessions that have the properties which decide, written through the store contract.
import type { Caller } from '../../src/access/caller.ts';
import type { VisibilityPolicy } from '../../src/access/policy.ts';
import { type CallScope, conditionIn, descendantsIn, type Scope, scopeFor, withReach } from '../../src/access/scope.ts';
import type { SessionKind } from '../../src/model/session.ts';
import { maskerFor } from '../../src/redact/settings.ts';
import type { StoreSet } from '../../src/store/contract.ts';
import { plain } from '../../src/testing/store-steps.ts';
import { TOKENIZER_ID } from '../../src/text/index.ts';

/** A session to write. Its message says its own name and what is given. */
export interface Planned {
  readonly key: string;
  readonly kind: SessionKind;
  readonly spawnedBy?: string;
  readonly parent?: string;
  readonly owner?: string;
  readonly people?: readonly string[];
  readonly text?: string;
  /** Its reasoning, for the extra index (SES-45). */
  readonly thought?: string;
  /** Milliseconds; default: in the order of writing. */
  readonly at?: number;
}

/** Of an index as the engine makes it: another one would be made anew. */
export const FINGERPRINT: string = `${TOKENIZER_ID} ${maskerFor({}).fingerprint}`;
export const START: number = Date.UTC(2026, 8, 1, 8);

export function agentOfKey(key: string): string {
  return key.split(':')[1]!;
}

/** One message each, and the session id of a key: `agent:desk:main` → `desk-main`. */
export async function plant(stores: StoreSet, sessions: readonly Planned[], before = 0): Promise<void> {
  let order = before;
  for (const session of sessions) {
    const { key, kind, spawnedBy, parent, owner, people, text, thought, at = START + order++ * 1_000 } = session;
    const store = (await stores.open(agentOfKey(key), { create: true }))!;
    await store.write(async (writing) => {
      await writing.setMeta('index', FINGERPRINT);
      const made = await writing.hostCreate({
        key,
        kind,
        sessionId: sessionIdOf(key),
        createdAt: at,
        ...(spawnedBy === undefined ? {} : { spawnedBy }),
      });
      const entry = await writing.insert({
        session: made.no,
        window: made.window,
        kind: 'message',
        role: 'user',
        state: 'active',
        at,
        messageId: `m-${sessionIdOf(key)}`,
        blocks: [
          { type: 'text', text: text ?? `lease ${sessionIdOf(key)}` },
          ...(thought === undefined ? [] : [{ type: 'reasoning', text: thought } as const]),
        ],
      });
      await writing.index([entry], plain);
      await writing.hostUpdate(made.no, {
        leaf: entry,
        lastAt: at,
        messagesAdded: 1,
        ...(parent === undefined ? {} : { parent }),
        ...(owner === undefined ? {} : { owner }),
        ...(people === undefined ? {} : { people }),
      });
    });
  }
}

export function sessionIdOf(key: string): string {
  return key.slice('agent:'.length).replaceAll(':', '-');
}

/** The scope of a call, as the engine makes it. */
export async function scopeOf(
  stores: StoreSet,
  caller: Caller,
  policy: VisibilityPolicy = {},
  call?: CallScope,
): Promise<Scope> {
  const scope = scopeFor(caller, policy, call);
  return withReach(scope, await stores.reach(descendantsIn(scope)));
}

/** Keys that a scope shows, by the lists of the stores it opens. */
export async function seenBy(stores: StoreSet, scope: Scope): Promise<readonly string[]> {
  const keys: string[] = [];
  for (const agentId of await stores.agents()) {
    if (conditionIn(scope, agentId).kind === 'nothing') continue;
    const store = (await stores.open(agentId))!;
    keys.push(...(await store.read((reading) => reading.list(scope, {}, 1_000))).map(({ key }) => key));
  }
  return keys.sort();
}
