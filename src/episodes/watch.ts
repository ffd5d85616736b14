// Records as they are written, for live views (SUR-41): what recall would show, told once. A look costs what was written
// since the last one; while nothing was, it asks each store whether anything was, and nothing else.
import { MEMORY_KINDS, type MemoryRecord } from '../model/episode.ts';
import { formatInstant } from '../model/time.ts';
import type { MemoryReading, MemoryStore, NamespaceInfo, StoredRecord } from '../store/memory.ts';

/** A record that was written since the last look. Its text is asked for by recall, or by its id. */
export interface NewEpisode {
  readonly agentId: string;
  readonly namespace: string;
  readonly id: string;
  readonly kind: MemoryRecord['kind'];
  /** `run`: a run settled; else who remembered. */
  readonly source: MemoryRecord['source']['type'];
  /** Of a run. */
  readonly outcome?: string;
  /** Event time (EPI-4). */
  readonly timestamp: string;
}

const AT_ONCE = 200;

/** What one store held at the last look. */
export class EpisodeMarks {
  readonly #namespace: string | undefined;
  #state: string | undefined;
  /** Number of the last record told of, by number of the namespace: neither is ever given twice. */
  readonly #last = new Map<number, number>();

  /** Of one namespace, or of all. */
  constructor(namespace: string | undefined) {
    this.#namespace = namespace;
  }

  /** Takes what is there for known. */
  async begin(store: MemoryStore): Promise<void> {
    const state = await store.state();
    for (const { no, written } of await store.read((reading) => this.#watched(reading))) this.#last.set(no, written);
    this.#state = state;
  }

  /** What was written since, in the order of writing within each namespace. Throws what the store throws, and tells later. */
  async next(store: MemoryStore, now: number): Promise<NewEpisode[]> {
    // Asked before anything is read: what is written meanwhile makes the next look read again.
    const state = await store.state();
    if (state === this.#state) return [];
    const found: StoredRecord[] = [];
    const known: (readonly [number, number])[] = [];
    await store.read(async (reading) => {
      for (const { no, written } of await this.#watched(reading)) {
        let last = this.#last.get(no) ?? 0;
        while (last < written) {
          const records = await reading.writtenAfter(no, last, { now, kinds: MEMORY_KINDS }, AT_ONCE);
          found.push(...records);
          last = records.length < AT_ONCE ? written : records.at(-1)!.no;
        }
        known.push([no, written]);
      }
    });
    // Only now: a read that failed at a later namespace told of none.
    for (const [no, written] of known) this.#last.set(no, written);
    this.#state = state;
    return found.map((one) => told(store.agentId, one));
  }

  async #watched(reading: MemoryReading): Promise<readonly NamespaceInfo[]> {
    if (this.#namespace === undefined) return reading.namespaces();
    const one = await reading.namespace(this.#namespace);
    return one === undefined ? [] : [one];
  }
}

function told(agentId: string, { at, record }: StoredRecord): NewEpisode {
  const { id, namespace, kind, source, data } = record;
  const outcome = source.type === 'run' && typeof data.outcome === 'string' ? { outcome: data.outcome } : {};
  return { agentId, namespace, id, kind, source: source.type, ...outcome, timestamp: formatInstant(at) };
}
