// A search that includes tool results or reasoning ranks two indexes of each store as one (SES-45): to the ranking, a store's
// extra index is a store of its own, of the same agent, whose texts belong to the same messages.
import type { ExtraRole } from '../store/extra.ts';
import type { Reading } from '../store/reading.ts';
import { type Snapshot, Snapshots } from './page-snapshots.ts';
import type { Ranked } from './rank.ts';

/** The snapshots with the extra index of each; the same ones where nothing is included. */
export function withExtra(snapshots: Snapshots, roles: readonly ExtraRole[]): Snapshots {
  return roles.length === 0 ? snapshots : new BothIndexes(snapshots, roles);
}

class BothIndexes extends Snapshots {
  readonly #stores: Snapshots;

  constructor(stores: Snapshots, roles: readonly ExtraRole[]) {
    super();
    this.#stores = stores;
    for (const snapshot of stores.open) {
      const { store, reading } = snapshot;
      this.open.push(snapshot, { store, extraOf: snapshot, reading: { ...reading, ...extraOf(reading, roles) } });
    }
  }

  /** A store that fails is left out with both its indexes, and named once. */
  override leaveOut(snapshot: Snapshot, error: unknown): void {
    const whole = snapshot.extraOf ?? snapshot;
    if (this.#stores.open.includes(whole)) this.#stores.leaveOut(whole, error);
    const left = this.open.filter((one) => one !== whole && one.extraOf !== whole);
    this.open.splice(0, this.open.length, ...left);
  }
}

/** The questions of a ranking, asked of the extra index. Its sessions are those of the messages: they count once. */
function extraOf(
  reading: Reading,
  roles: readonly ExtraRole[],
): Pick<Reading, 'totals' | 'frequency' | 'draw' | 'scan'> {
  return {
    totals: async (scope) => ({ ...(await reading.extraTotals(scope, roles)), sessions: 0 }),
    frequency: (scope, clause, cap) => reading.extraFrequency(scope, roles, clause, cap),
    draw: (scope, ...asked) => reading.extraDraw(scope, roles, ...asked),
    scan: (scope, ...asked) => reading.extraScan(scope, roles, ...asked),
  };
}

/** One hit per message: the first, where both its text and what its tools said are found (SES-87). */
export function oncePerMessage(list: readonly Ranked[]): readonly Ranked[] {
  const seen = new Set<string>();
  return list.filter(({ snapshot, candidate }) => {
    const name = `${snapshot.store.agentId} ${candidate.entry}`;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}
