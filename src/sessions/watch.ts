// Messages as they come in, for live views (SUR-41). Each look decides anew who may see what (VIS-46); none holds a store.
import type { Role } from '../model/session.ts';
import { formatInstant } from '../model/time.ts';
import type { AgentStore } from '../store/contract.ts';
import type { Candidate } from '../store/reading.ts';
import type { ReadContext } from './page-context.ts';

/** A message that was written since the last look. Its ids reopen it; its text is asked for there. */
export interface NewMessage {
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly messageId: string;
  readonly agentId: string;
  readonly role: Extract<Role, 'user' | 'assistant'>;
  readonly timestamp: string;
}

/** The last document of each agent's index that was looked at. */
export type WatchMarks = Map<string, number | undefined>;

const AT_ONCE = 200;
// What a look gives of one store: more than a store is written in the half second between two looks.
const MAX_ROUNDS = 50;

/** Sets the marks behind what there is now. */
export async function markNow({
  stores,
  failed,
  scope,
}: Pick<ReadContext, 'stores' | 'failed' | 'scope'>): Promise<WatchMarks> {
  // One that cannot be opened now: what it held before is nothing new when it can.
  const marks: WatchMarks = new Map(failed.map(({ agentId }) => [agentId, undefined]));
  for (const store of stores) {
    // Undefined: a store that fails now; the look at which it does not sets its mark.
    marks.set(store.agentId, await endOf(store, scope).catch(() => undefined));
  }
  return marks;
}

/** What came since the marks, in the order of writing, and moves them on. A store that fails is looked at next time. */
export async function newSince(
  { stores, scope }: Pick<ReadContext, 'stores' | 'scope'>,
  marks: WatchMarks,
): Promise<NewMessage[]> {
  const messages: NewMessage[] = [];
  for (const store of stores) {
    const { agentId } = store;
    if (marks.has(agentId) && marks.get(agentId) === undefined) {
      marks.set(agentId, await endOf(store, scope).catch(() => undefined));
      continue;
    }
    for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
      const from = marks.get(agentId) ?? 0;
      const found = await newIn(store, scope, from).catch(() => undefined);
      if (!found || found.last === from) break;
      marks.set(agentId, found.last);
      messages.push(...found.messages);
    }
  }
  return messages;
}

async function endOf(store: AgentStore, scope: ReadContext['scope']): Promise<number> {
  const { last } = await store.read((reading) => reading.scan(scope, {}, undefined, { direction: 'down' }, 1));
  return last ?? 0;
}

function newIn(
  store: AgentStore,
  scope: ReadContext['scope'],
  from: number,
): Promise<{ readonly messages: NewMessage[]; readonly last: number }> {
  return store.read(async (reading) => {
    const { texts, last } = await reading.scan(scope, {}, undefined, { direction: 'up', from }, AT_ONCE);
    const entries = [...new Set(texts.map(({ candidate }) => candidate.entry))];
    const located = entries.length === 0 ? new Map() : await reading.locate(scope, {}, entries);
    const roles = new Map(texts.map(({ candidate }) => [candidate.entry, candidate]));
    const messages = entries.flatMap((entry): NewMessage[] => {
      const place = located.get(entry)?.places[0];
      const { role, at } = roles.get(entry)! as Candidate & Pick<NewMessage, 'role'>;
      if (!place) return [];
      const { session, sessionId, messageId } = place;
      return [
        { sessionKey: session.key, sessionId, messageId, agentId: store.agentId, role, timestamp: formatInstant(at) },
      ];
    });
    return { messages, last: last ?? from };
  });
}
