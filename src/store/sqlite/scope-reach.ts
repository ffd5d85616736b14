// Where descendants of a session go on in other agents' stores (VIS-21, VIS-43), from store to store along the catalogue.
import type { Descendants, Entry, Reach } from '../../access/scope.ts';
import { agentOf, MAX_DEPTH } from '../../access/target.ts';

/** Links across agents whose upper end is in one of these stores. */
export interface Below {
  readonly parent: string;
  readonly parentAgent: string;
  readonly childAgent: string;
}

export interface ReachSteps {
  below(agents: readonly string[], spawned: boolean): readonly Below[];
  /** Asks one store which of its sessions descend from the entries. */
  descend(agentId: string, entries: readonly Entry[], among: readonly string[]): Promise<readonly Entry[]>;
}

/**
 * Only stores are opened that lie on the way: something hangs there, and something of another agent hangs from it. Each
 * store's rows are read live; the catalogue only says where to look.
 */
export async function reachOf(from: Descendants, { below, descend }: ReachSteps): Promise<Reach> {
  const home = agentOf(from.of);
  const found = new Map<string, Map<string, number>>();
  let waiting = new Set([home]);
  while (waiting.size > 0) {
    const links = new Map<string, Below[]>();
    for (const link of below([...waiting], from.spawned)) {
      const list = links.get(link.parentAgent) ?? [];
      list.push(link);
      links.set(link.parentAgent, list);
    }
    waiting = new Set();
    for (const [agentId, list] of links) {
      const depths = await depthsIn(agentId, list);
      for (const { parent, childAgent } of list) {
        const depth = depths.get(parent);
        const entries = found.get(childAgent) ?? new Map<string, number>();
        if (depth === undefined || depth >= MAX_DEPTH || depth >= (entries.get(parent) ?? MAX_DEPTH)) continue;
        found.set(childAgent, entries.set(parent, depth));
        waiting.add(childAgent);
      }
    }
  }
  const entries = new Map([...found].map(([agentId, depths]) => [agentId, listOf(depths)]));
  return { of: from.of, spawned: from.spawned, entries };

  async function depthsIn(agentId: string, list: readonly Below[]): Promise<ReadonlyMap<string, number>> {
    const first: readonly Entry[] = agentId === home ? [{ key: from.of, depth: 0 }] : [];
    const parents = new Set(list.map(({ parent }) => parent));
    parents.delete(agentId === home ? from.of : '');
    const hanging = [...first, ...listOf(found.get(agentId) ?? new Map())];
    const more = parents.size === 0 ? [] : await descend(agentId, hanging, [...parents]);
    return new Map([...more, ...first].map(({ key, depth }) => [key, depth]));
  }
}

function listOf(depths: ReadonlyMap<string, number>): readonly Entry[] {
  return [...depths].map(([key, depth]) => ({ key, depth }));
}
