// Live views of memory: a look at the stores now and then (SUR-41). Says nothing of who may see what: its caller does.
import { setTimeout } from 'node:timers/promises';
import { EpisodeMarks, type NewEpisode } from '../episodes/watch.ts';
import type { MemoryStores } from '../store/memory.ts';
import type { EngineCore } from './core.ts';
import { POLL_MS, type WatchOptions, watchOptions } from './watching.ts';

export interface MemoryWatchFace {
  /**
   * Records as they settle or are remembered from now on, in this process or in another, until the signal or the engine
   * ends it (SUR-41): what recall shows, and nothing that waits for review. Of one agent's namespace, or of all memory.
   */
  watch(
    of: { readonly agent: string; readonly namespace: string } | 'all',
    options?: WatchOptions,
  ): Promise<AsyncIterable<NewEpisode>>;
}

export function memoryWatch(core: EngineCore, stores: MemoryStores): MemoryWatchFace {
  return {
    async watch(of, options = {}) {
      core.assertOpen('episodes.watch');
      const { signal, pollMs = POLL_MS } = watchOptions(options);
      const namespace = of === 'all' ? undefined : of.namespace;
      // Undefined: one that was not read yet. What it holds when it can be is nothing new.
      const marks = new Map<string, EpisodeMarks | undefined>();
      const agents = async (): Promise<readonly string[]> => (of === 'all' ? stores.agents() : [of.agent]);
      const look = async (agent: string): Promise<NewEpisode[]> => {
        const store = await stores.open(agent);
        if (store === undefined) {
          marks.delete(agent);
          return [];
        }
        // One that was made since the view began is new with all it holds.
        const seen = marks.has(agent) ? marks.get(agent) : new EpisodeMarks(namespace);
        if (seen !== undefined) {
          marks.set(agent, seen);
          return seen.next(store, core.clock.now());
        }
        const made = new EpisodeMarks(namespace);
        await made.begin(store);
        marks.set(agent, made);
        return [];
      };
      // A store, or a server, that fails is looked at next time.
      const lookAtAll = (all: readonly string[]): Promise<NewEpisode[][]> =>
        Promise.all(all.map((agent) => look(agent).catch(() => [])));
      const known = await agents();
      for (const agent of known) marks.set(agent, undefined);
      await lookAtAll(known);
      return (async function* (): AsyncGenerator<NewEpisode> {
        while (!signal?.aborted && !core.closed) {
          for (const found of await lookAtAll(await agents().catch(() => []))) yield* found;
          await setTimeout(pollMs, undefined, signal && { signal }).catch(() => undefined);
        }
      })();
    },
  };
}
