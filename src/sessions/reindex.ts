// An index made with another tokenizer or other maskers is made anew from the rows, which are never touched (SES-158).
import { wholeScope } from '../access/scope.ts';
import type { AgentStore } from '../store/contract.ts';
import type { IndexText } from '../store/writing.ts';

const CHUNK = 512;
const NAME = 'index';
const PROGRESS = 'index-rebuilt-through';

/** Does nothing when the store's index has this fingerprint. A rebuild goes on where a killed one stopped (SES-154). */
export async function refreshIndex(
  store: AgentStore,
  fingerprint: string,
  prepare: (text: string) => IndexText,
): Promise<void> {
  const current = await store.read((reading) => reading.meta(wholeScope(), NAME));
  if (current === fingerprint) return;
  if (current === undefined || current === '') {
    // A new store, or one whose first index is yet to come: there is nothing to make anew.
    const empty = await store.write(async (writing) => {
      const none = (await writing.textEntries(0, 1)).length === 0;
      if (none) await writing.setMeta(NAME, fingerprint);
      return none;
    });
    if (empty) return;
  }
  for (let done = false; !done; ) {
    done = await store.write(async (writing) => {
      const [of, through] = JSON.parse((await writing.meta(PROGRESS)) || '["", 0]') as [string, number];
      const after = of === fingerprint ? through : 0;
      // From the first chunk on the index is of no one kind: a rebuild for another one must not think it done.
      await writing.setMeta(NAME, '');
      const entries = await writing.textEntries(after, CHUNK);
      await writing.index(entries, prepare);
      const last = entries.at(-1);
      await writing.setMeta(PROGRESS, last === undefined ? '' : JSON.stringify([fingerprint, last]));
      if (last === undefined) await writing.setMeta(NAME, fingerprint);
      return last === undefined;
    });
    await new Promise((resolve) => setImmediate(resolve));
  }
}
