// Counts and sizes of what a caller may see, from counters and never from a scan (SES-132, SUR-71).
import type { CallScope } from '../access/scope.ts';
import type { SessionKind } from '../model/session.ts';
import { formatInstant } from '../model/time.ts';
import { checkNames } from './page-checks.ts';
import type { ReadContext } from './page-context.ts';
import { readOne } from './page-snapshots.ts';

export interface AgentStats {
  readonly agentId: string;
  readonly sessions: number;
  readonly kinds: Readonly<Partial<Record<SessionKind, { readonly sessions: number; readonly messages: number }>>>;
  /** When files of its own product were last read; only where the caller may see all of the agent. */
  readonly lastSync?: string;
  /** On active branches. */
  readonly messages: number;
  /** Indexed texts, and their summed length in characters. */
  readonly texts: number;
  readonly characters: number;
  /** Of the store's files; only where the caller may see all that is in them. */
  readonly bytes?: number;
}

export interface StatsResult {
  /** Blocks of types that are not known, by type: a new format that hides text is noticed (SES-46). */
  readonly unknownBlocks?: Readonly<Record<string, number>>;
  readonly total: Omit<AgentStats, 'agentId' | 'kinds' | 'lastSync'>;
  /** In byte order of their ids. */
  readonly agents: readonly AgentStats[];
  /** Stores that could not be read, and why (SES-75). */
  readonly skipped: readonly { readonly what: string; readonly reason: string }[];
}

export interface StatsParams {
  /** Narrows what the caller may see (VIS-14). */
  readonly scope?: CallScope;
}

export async function statsOf(
  { stores, failed: unopened, scope }: ReadContext,
  params: StatsParams = {},
): Promise<StatsResult> {
  checkNames(params, ['scope']);
  const agents: AgentStats[] = [];
  const unknown: Record<string, number> = {};
  const failed = [...unopened];
  for (const store of stores) {
    const seen = await readOne(store, failed, (reading) => reading.stats(scope));
    if (seen === undefined) continue;
    const { sessions, kinds, messages, texts, characters, bytes, lastSync } = seen;
    for (const [type, n] of Object.entries(seen.unknownBlocks ?? {})) unknown[type] = (unknown[type] ?? 0) + n;
    // An agent of which nothing is visible is none, to whoever does not see everything (VIS-50).
    if (sessions === 0 && scope.condition.kind !== 'everything') continue;
    const files = bytes === undefined ? {} : { bytes };
    const synced = lastSync === undefined ? {} : { lastSync: formatInstant(lastSync) };
    agents.push({ agentId: store.agentId, sessions, kinds, messages, texts, characters, ...files, ...synced });
  }
  const sum = (name: 'sessions' | 'messages' | 'texts' | 'characters' | 'bytes'): number =>
    agents.reduce((total, agent) => total + (agent[name] ?? 0), 0);
  return {
    total: {
      sessions: sum('sessions'),
      messages: sum('messages'),
      texts: sum('texts'),
      characters: sum('characters'),
      ...(agents.every(({ bytes }) => bytes !== undefined) ? { bytes: sum('bytes') } : {}),
    },
    agents,
    ...(Object.keys(unknown).length === 0 ? {} : { unknownBlocks: unknown }),
    skipped: failed.map(({ agentId, reason }) => ({ what: agentId, reason })),
  };
}
