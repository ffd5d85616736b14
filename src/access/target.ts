// What the decision asks of a session, and how one descends from another (VIS-20 … VIS-23). Reads no store.
import { isReservedKey } from '../model/ids.ts';
import type { SessionKind } from '../model/session.ts';

/** Properties of a session that decide, as stored. A key without a session has its key and its kind alone. */
export interface Target {
  readonly key: string;
  readonly kind: SessionKind;
  readonly spawnedBy?: string;
  readonly parent?: string;
  readonly owner?: string;
  readonly people?: readonly string[];
  readonly deleting?: boolean;
}

export const LINKS = ['spawnedBy', 'parent', 'owner'] as const;
export type Link = (typeof LINKS)[number];

/** One step from a session to the one it belongs to. */
export interface ChainStep {
  readonly key: string;
  readonly link: Link;
  readonly kind: SessionKind;
}

/** How far descendants reach (VIS-20). */
export const MAX_DEPTH = 32;
/** Kinds whose link may lead into another agent's store (VIS-21). The stored kind counts, never the key (VIS-23). */
export const NATIVE_KINDS: readonly SessionKind[] = ['subagent', 'acp'];

/** The agent of a key that is known to fit the grammar. */
export function agentOf(key: string): string {
  return key.split(':', 2)[1] ?? '';
}

/**
 * The shortest way from `target` up to `ancestor`, nearest step first; undefined when it is no descendant. Every session
 * on the way that is of another agent than `ancestor`, and every one whose link leads into another agent's store, must
 * be of a native kind. Incognito sessions and those being deleted cut the way.
 */
export function chainTo(
  target: Target,
  ancestor: string,
  lookUp: (key: string) => Target | undefined,
  options: { readonly links?: readonly Link[] } = {},
): readonly ChainStep[] | undefined {
  const { links = LINKS } = options;
  if (isReservedKey(ancestor)) return undefined;
  const home = agentOf(ancestor);
  const seen = new Set([target.key]);
  let ways: { readonly at: Target; readonly steps: readonly ChainStep[] }[] = [{ at: target, steps: [] }];
  for (let depth = 0; depth < MAX_DEPTH && ways.length > 0; depth++) {
    const next: typeof ways = [];
    for (const { at, steps } of ways) {
      if (at.deleting === true || isReservedKey(at.key)) continue;
      const native = NATIVE_KINDS.includes(at.kind);
      if (agentOf(at.key) !== home && !native) continue;
      for (const link of links) {
        const above = at[link];
        if (above === undefined || (agentOf(above) !== agentOf(at.key) && !native)) continue;
        const way = [...steps, { key: at.key, link, kind: at.kind }];
        if (above === ancestor) return way;
        const found = seen.has(above) ? undefined : lookUp(above);
        seen.add(above);
        if (found !== undefined) next.push({ at: found, steps: way });
      }
    }
    ways = next;
  }
  return undefined;
}
