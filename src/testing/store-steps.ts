// Steps that the cases of the store contract share: making sessions and messages, asking for words.
import { operator } from '../access/caller.ts';
import { type Scope, scopeFor } from '../access/scope.ts';
import type { Role, StoredBlock } from '../model/session.ts';
import { applyMask } from '../redact/masked.ts';
import { Masker } from '../redact/masker.ts';
import type { AgentStore } from '../store/contract.ts';
import type { IndexText, SessionRecord, Writing } from '../store/writing.ts';
import { parseQuery } from '../text/index.ts';

/** Hides nothing. */
export function plain(text: string): IndexText {
  return { masked: applyMask(Masker.off, text), clean: true };
}

/** The scope of an operator: all but incognito sessions. */
export function everything(): Scope {
  return scopeFor(operator());
}

export async function addSession(writing: Writing, name: string): Promise<SessionRecord> {
  return writing.createSession({
    key: `agent:a:${name}`,
    kind: 'imported',
    sessionId: name,
    reason: 'imported',
    createdAt: 1,
  });
}

export async function addMessage(
  writing: Writing,
  session: SessionRecord,
  messageId: string,
  role: Role,
  content: string | readonly StoredBlock[],
  options: {
    readonly parent?: number;
    readonly prompt?: boolean;
    readonly copyOf?: number;
    readonly index?: false;
  } = {},
): Promise<number> {
  const { index = true, ...rest } = options;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
  const id = await writing.insert({
    session: session.no,
    window: session.window,
    kind: 'message',
    role,
    state: 'active',
    at: 1_000,
    messageId,
    blocks,
    ...rest,
  });
  if (index) await writing.index([id], plain);
  return id;
}

/** Texts that the index gives for a query, in byte order. */
export async function textsFound(store: AgentStore, typed: string): Promise<string[]> {
  const query = parseQuery(typed);
  const required = query.clauses.map((_, index) => index);
  const drawn = await store.read((reading) => reading.draw(everything(), {}, query, required, 100));
  return drawn.candidates.map((candidate) => candidate.text).sort();
}

export async function totals(store: AgentStore): Promise<{ texts: number; characters: number }> {
  const { texts, characters } = await store.read((reading) => reading.totals(everything()));
  return { texts, characters };
}
