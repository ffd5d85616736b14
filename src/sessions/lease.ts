// Which process works on a source instance now: a lease that runs out when its holder dies (SRC-44).
import type { Clock } from '../model/clock.ts';
import { isBackstoryError } from '../model/errors.ts';
import type { Instance } from '../sources/contract.ts';
import type { AgentStore } from '../store/contract.ts';
import type { InstanceRecord, Writing } from '../store/writing.ts';

export interface Held {
  readonly store: AgentStore;
  readonly record: InstanceRecord;
  readonly until: number;
}

const LEASE_MS = 10_000;
const POLL_MS = 20;

export class Leases {
  readonly #clock: Clock;
  readonly #holder: string;
  readonly #held = new Map<string, Held>();

  constructor(clock: Clock, holder: string) {
    this.#clock = clock;
    this.#holder = holder;
  }

  held(instance: Instance): Held | undefined {
    return this.#held.get(instanceName(instance));
  }

  /** Takes or renews the lease, waiting for another holder until `givesUp`; undefined: it was not to be had. */
  async take(
    instance: Instance,
    openStore: () => Promise<AgentStore>,
    givesUp: () => boolean,
  ): Promise<Held | undefined> {
    const before = this.held(instance);
    const store = before?.store ?? (await openStore());
    for (;;) {
      const now = this.#clock.now();
      if (before && before.until - now > LEASE_MS / 2) return before;
      const record = await store.write(async (writing): Promise<InstanceRecord | undefined> => {
        const row = await writing.instance(instance.source, instance.root);
        return (await writing.lease(row.no, this.#holder, now, now + LEASE_MS)) ? row : undefined;
      });
      if (record) {
        const held = { store, record, until: now + LEASE_MS };
        this.#held.set(instanceName(instance), held);
        return held;
      }
      if (givesUp()) return undefined;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Keeps a lease while a long file is read (SRC-44: per batch). */
  async renew(instance: Instance, writing: Writing): Promise<void> {
    const held = this.held(instance);
    const now = this.#clock.now();
    if (!held || held.until - now > LEASE_MS / 2) return;
    if (await writing.lease(held.record.no, this.#holder, now, now + LEASE_MS)) {
      this.#held.set(instanceName(instance), { ...held, until: now + LEASE_MS });
    }
  }

  async giveBack(): Promise<void> {
    for (const { store, record } of this.#held.values()) {
      // One that cannot be given back ends by itself.
      await store
        .write((writing) => writing.lease(record.no, this.#holder, this.#clock.now(), null))
        .catch((error: unknown) => {
          if (!isBackstoryError(error) || !error.code.startsWith('store_')) throw error;
        });
    }
    this.#held.clear();
  }
}

/** Names an instance within one process: format and root. */
export function instanceName(instance: Instance): string {
  return `${instance.source}\n${instance.root}`;
}
