// Counts and sizes of what a caller may see, from counters and never from a scan (SES-132, SUR-71).
import type { ReadContext } from './page-context.ts';

export interface AgentStats {
  readonly agentId: string;
  readonly sessions: number;
  /** On active branches. */
  readonly messages: number;
  /** Indexed texts, and their summed length in characters. */
  readonly texts: number;
  readonly characters: number;
  /** Of the store's files. */
  readonly bytes: number;
}

export interface StatsResult {
  readonly total: Omit<AgentStats, 'agentId'>;
  /** In byte order of their ids. */
  readonly agents: readonly AgentStats[];
  /** Stores that could not be read, and why (SES-75). */
  readonly skipped: readonly { readonly what: string; readonly reason: string }[];
}

export async function statsOf({ stores, failed, scope }: ReadContext): Promise<StatsResult> {
  const agents: AgentStats[] = [];
  for (const store of stores) {
    const { sessions, messages, texts, characters, bytes } = await store.read((reading) => reading.stats(scope));
    agents.push({ agentId: store.agentId, sessions, messages, texts, characters, bytes });
  }
  const sum = (name: keyof StatsResult['total']): number => agents.reduce((total, agent) => total + agent[name], 0);
  return {
    total: {
      sessions: sum('sessions'),
      messages: sum('messages'),
      texts: sum('texts'),
      characters: sum('characters'),
      bytes: sum('bytes'),
    },
    agents,
    skipped: failed.map(({ agentId, reason }) => ({ what: agentId, reason })),
  };
}
