// What a host sends to its model: the current view as it was written, unmasked, one snapshot (SES-30).
import type { Role } from '../model/session.ts';
import type { Author, JsonBlock } from '../model/session-message.ts';
import { formatInstant } from '../model/time.ts';
import type { WholeEntry } from '../store/host.ts';
import { existingStore, type HostContext } from './host.ts';
import { checkInteger, checkNames } from './page-checks.ts';
import { sessionNotFound } from './page-context.ts';

export interface CurrentParams {
  readonly key: string;
  /** The newest messages of the view, with what stands between them. */
  readonly maxMessages?: number;
}

export interface CurrentEntry {
  readonly type: 'message' | 'reset' | 'rewind' | 'switch' | 'compaction' | 'custom' | 'erased';
  readonly sessionId: string;
  readonly messageId: string;
  readonly parentId?: string;
  /** Place in the order of writing. */
  readonly seq: number;
  readonly at: string;
  readonly role?: Role;
  readonly content?: string | readonly JsonBlock[];
  readonly author?: Author;
  /** Of a reset. */
  readonly reason?: string;
  /** Of a compaction. */
  readonly summary?: string;
  readonly firstKept?: string;
  /** Of a custom entry. */
  readonly data?: unknown;
}

export interface CurrentView {
  readonly sessionKey: string;
  readonly sessionId: string;
  /** Id of the newest entry, for `expectedLeaf`. */
  readonly leaf?: string;
  /** Kept messages, the latest reset, everything after; without a reset the whole branch (SES-8). */
  readonly entries: readonly CurrentEntry[];
}

const MOST = 1_000_000;

/** Reads incognito sessions too, in the process that writes them. Throws `session_not_found`, `key_invalid`. */
export async function current(context: HostContext, params: CurrentParams): Promise<CurrentView> {
  checkNames(params, ['key', 'maxMessages']);
  checkInteger('maxMessages', params.maxMessages, 1, MOST);
  const { key, maxMessages } = params;
  const { store } = await existingStore(context, key);
  const view = await store.read(async (reading): Promise<CurrentView | undefined> => {
    const session = await reading.hostSession(key);
    if (session === undefined) return undefined;
    const entries = await reading.currentView(session.no, maxMessages);
    return {
      sessionKey: key,
      sessionId: session.sessionId,
      ...(session.leaf === undefined ? {} : { leaf: session.leaf.messageId }),
      entries: entries.map(entryOf),
    };
  });
  if (view === undefined) throw sessionNotFound(key);
  return view;
}

function entryOf(entry: WholeEntry): CurrentEntry {
  const data = entry.data as { readonly reason?: string; readonly firstKept?: string } | undefined;
  return {
    type: entry.kind,
    sessionId: entry.sessionId,
    messageId: entry.messageId,
    ...(entry.parentId === undefined ? {} : { parentId: entry.parentId }),
    seq: entry.id,
    at: formatInstant(entry.at),
    ...(entry.role === undefined ? {} : { role: entry.role }),
    ...(entry.kind === 'message' ? { content: entry.content } : {}),
    ...(entry.author === undefined ? {} : { author: entry.author }),
    ...(entry.kind === 'reset' && data?.reason !== undefined ? { reason: data.reason } : {}),
    ...(entry.kind === 'compaction' ? { summary: String(entry.content) } : {}),
    ...(entry.kind === 'compaction' && data?.firstKept !== undefined ? { firstKept: data.firstKept } : {}),
    ...(entry.kind === 'custom' ? { data: entry.data } : {}),
  };
}
