// An index made with another tokenizer or other maskers is made anew from the rows, which are never touched (SES-158).
import { wholeScope } from '../access/scope.ts';
import type { AgentStore } from '../store/contract.ts';
import type { Reading } from '../store/reading.ts';
import type { IndexText } from '../store/writing.ts';

const CHUNK = 512;
const NAME = 'index';
const PROGRESS = 'index-rebuilt-through';
const MERGING = 'index-merging';

/** Whether there is an index, of another kind or not cleaned of what it was. */
export async function isToRebuild(reading: Reading, fingerprint: string): Promise<boolean> {
  const scope = wholeScope();
  if ((await reading.meta(scope, NAME)) !== fingerprint) return (await reading.newestEntry(scope)) > 0;
  return Boolean(await reading.meta(scope, MERGING));
}

/** Does nothing when the store's index has this fingerprint. A rebuild goes on where a killed one stopped (SES-154). */
export async function refreshIndex(
  store: AgentStore,
  fingerprint: string,
  prepare: (text: string) => IndexText,
  stopped: () => boolean = () => false,
): Promise<void> {
  const [current, merging] = await store.read(async (reading): Promise<[string | undefined, string | undefined]> => {
    const name = await reading.meta(wholeScope(), NAME);
    return [name, name === fingerprint ? await reading.meta(wholeScope(), MERGING) : undefined];
  });
  if (current === fingerprint) {
    if (merging && !stopped()) await mergeAway(store);
    return;
  }
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
    if (stopped()) return;
    done = await store.write(async (writing) => {
      const [of, through] = JSON.parse((await writing.meta(PROGRESS)) || '["", 0]') as [string, number];
      const after = of === fingerprint ? through : 0;
      // From the first chunk on the index is of no one kind: a rebuild for another one must not think it done.
      await writing.setMeta(NAME, '');
      const entries = await writing.textEntries(after, CHUNK);
      await writing.index(entries, prepare);
      const last = entries.at(-1);
      await writing.setMeta(PROGRESS, last === undefined ? '' : JSON.stringify([fingerprint, last]));
      if (last !== undefined) return false;
      await writing.setMeta(NAME, fingerprint);
      await writing.setMeta(MERGING, '1');
      return true;
    });
    await new Promise((resolve) => setImmediate(resolve));
  }
  await mergeAway(store);
}

// What the old index held, and stricter maskers now hide, stays in the file's bytes until it is merged away (MASK-17).
async function mergeAway(store: AgentStore): Promise<void> {
  for (let begin = true, more = true; more; begin = false) {
    more = await store.write((writing) => writing.mergeIndex(begin));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await store.write((writing) => writing.setMeta(MERGING, ''));
  await store.truncate();
}
