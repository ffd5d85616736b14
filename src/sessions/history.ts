// Opens a session at its newest end, around a message, or in one of its windows (SES-100 … SES-116).
import { BackstoryError } from '../model/errors.ts';
import type { HistoryEntry, Pointer } from '../model/session.ts';
import { formatInstant } from '../model/time.ts';
import { applyMask } from '../redact/masked.ts';
import type { Reopened } from '../sources/contract.ts';
import type { AgentStore } from '../store/contract.ts';
import type { Reading, StoredEntry } from '../store/reading.ts';
import { cutBlock, isRead, type WholeBlock, wholeBlocks } from './blocks-shown.ts';
import { byteLength, type Fitted, fitted, type WholeEntry } from './history-bytes.ts';
import { type Page, readPage, type View } from './history-page.ts';
import { type HistoryParams, type HistoryPlan, historyPlan } from './history-params.ts';
import { invalidArgument } from './page-checks.ts';
import { lookUpSession, type ReadContext, sessionNameOf, storesFor } from './page-context.ts';
import { type Failed, notFoundAmong, readOne } from './page-snapshots.ts';

export type { HistoryParams } from './history-params.ts';

export interface HistoryContext extends ReadContext {
  /** Opens what a pointer into a host's file names (SRC-21, SRC-22). Called outside any snapshot. */
  readonly reopen: (store: AgentStore) => (pointer: Pointer) => Promise<Reopened>;
  /** Whether the session's index is being made. History answers all the same (SES-115). */
  readonly indexing?: boolean;
}

export interface HistoryResult {
  readonly sessionKey: string;
  /** The window of the newest entry, or the one asked for. */
  readonly sessionId: string;
  readonly view: View;
  /** Oldest first. */
  readonly entries: readonly HistoryEntry[];
  readonly anchor?: { readonly messageId: string; readonly found: boolean; readonly index?: number };
  /** Displayed entries of this view, after filters. */
  readonly total: number;
  readonly more: {
    readonly older: boolean;
    readonly newer: boolean;
    readonly before?: string;
    readonly after?: string;
  };
  readonly offset?: number;
  readonly nextOffset?: number;
  /** Newest first, at most 20. */
  readonly windows: readonly {
    readonly sessionId: string;
    readonly reason: string;
    readonly from: string;
    readonly to: string;
    readonly entries: number;
  }[];
  readonly omitted: { readonly tools: number; readonly reasoning: number };
  readonly truncated: false | 'bytes';
  /** Of this result as JSON. */
  readonly bytes: number;
  readonly indexing: boolean;
  readonly warning?: string;
}

interface Read {
  readonly store: AgentStore;
  readonly key: string;
  readonly sessionId: string;
  readonly asked: string | undefined;
  readonly page: Page;
  /** JSON of the shown blocks that lie apart from their entries, by entry and place (SES-13). */
  readonly apart: ReadonlyMap<string, string>;
}

/**
 * A page of one session. Throws `session_not_found`, `session_id_mismatch`, `offset_with_anchor`, `invalid_argument`,
 * `operator_required`, `time_invalid`, `window_empty`.
 */
export async function readHistory(context: HistoryContext, params: HistoryParams): Promise<HistoryResult> {
  const plan = historyPlan(context, params);
  const name = sessionNameOf(context.caller, params.session);
  const read = await readSession(context, name, params, plan);
  const whole = await Promise.all(read.page.entries.map((entry) => wholeEntry(context, read, entry, params, plan)));
  if (plan.slice !== undefined && read.page.anchor !== undefined) {
    return resultOf(context, params, read, sliceOf(whole[read.page.anchor]!, plan.slice, plan.maxBlockChars));
  }
  // Anchored pages keep the anchor, pages towards newer ends their oldest entry, all others the newest.
  const forward = params.after !== undefined && params.before === undefined;
  const keep = read.page.anchor ?? (forward ? 0 : whole.length - 1);
  const empty = resultOf(context, params, read, { ...NOTHING, entries: [] });
  return resultOf(context, params, read, fitted(whole, keep, plan.maxBytes - empty.bytes - SPARE, plan.maxBlockChars));
}

const NOTHING = { droppedOlder: 0, droppedNewer: 0, truncated: false } as const;
// What `more`, `anchor` and `nextOffset` may grow by when entries are dropped: two ids of 128 characters, escaped.
const SPARE = 1_600;

/** One snapshot: the session, its windows and the page (SES-115). */
async function readSession(
  context: HistoryContext,
  name: string,
  params: HistoryParams,
  plan: HistoryPlan,
): Promise<Read> {
  const failed: Failed[] = [];
  for (const store of storesFor(context.stores, name)) {
    const read = await readOne(store, failed, async (reading): Promise<Read | undefined> => {
      const named = await lookUpSession(reading, store, context.scope, name);
      if (named === undefined) return undefined;
      const { info } = named;
      const asked = params.sessionId ?? named.sessionId;
      if (asked !== undefined && (await reading.sessionOfWindow(context.scope, asked))?.no !== info.no) {
        throw sessionIdMismatch(asked);
      }
      const { sessionId: _, ...rest } = params;
      const where = asked === undefined ? rest : { ...rest, sessionId: asked };
      const page = await readPage(context, reading, info, where, plan);
      const apart = await apartOf(context, reading, page, plan);
      return { store, key: info.key, sessionId: info.sessionId, asked, page, apart };
    });
    if (read !== undefined) return read;
  }
  throw notFoundAmong(name, failed);
}

/** In the snapshot of the page: a block that is gone when it is shown would be an empty one (SES-115). */
async function apartOf(
  { scope }: HistoryContext,
  reading: Reading,
  { entries }: Page,
  { display }: HistoryPlan,
): Promise<ReadonlyMap<string, string>> {
  const apart = new Map<string, string>();
  for (const { id, blocks } of entries) {
    for (const block of blocks) {
      if (!('host' in block) || typeof block.host !== 'number' || !isRead(block, display)) continue;
      const json = await reading.apart(scope, id, block.host);
      if (json !== undefined) apart.set(`${id} ${block.host}`, json);
    }
  }
  return apart;
}

/** One text for an unknown id, another session's, and one that may not be seen (SES-107). */
function sessionIdMismatch(sessionId: string): BackstoryError {
  return new BackstoryError(
    'session_id_mismatch',
    `Session id ${JSON.stringify(sessionId.slice(0, 200))} is no window of this session.`,
    'Take session key, session id and message id from the same hit, or leave the session id out.',
    { details: { sessionId: sessionId.slice(0, 200) } },
  );
}

async function wholeEntry(
  { masker, reopen }: HistoryContext,
  { store, apart }: Read,
  stored: StoredEntry,
  params: HistoryParams,
  { display }: HistoryPlan,
): Promise<WholeEntry> {
  const options = { ...display, masker: params.raw ? undefined : masker };
  const isMarker = stored.type !== 'message' && stored.type !== 'compaction' && stored.type !== 'custom';
  const show = (text: string): string => (options.masker === undefined ? text : applyMask(options.masker, text));
  const reason = isMarker ? reasonOf(stored) : undefined;
  const fromPage = async (place: number): Promise<string | undefined> => apart.get(`${stored.id} ${place}`);
  return {
    entry: {
      type: stored.type,
      sessionId: stored.sessionId,
      messageId: stored.messageId,
      ...(stored.role === undefined ? {} : { role: stored.role }),
      timestamp: formatInstant(stored.at),
      ...(stored.atGuessed ? { atGuessed: true } : {}),
      ...(stored.author === undefined ? {} : { author: shownAuthor(stored.author, show) }),
      ...(reason === undefined ? {} : { reason: show(reason) }),
      ...(stored.state === 'shadowed' ? { shadowed: true } : {}),
    },
    blocks: isMarker ? [] : await wholeBlocks(shownBlocks(stored), options, reopen(store), fromPage),
  };
}

/** What a compaction keeps from is for its host; its summary is for people. */
function shownBlocks({ type, blocks }: StoredEntry): StoredEntry['blocks'] {
  return type === 'compaction' ? blocks.filter((block) => block.type !== 'data') : blocks;
}

function shownAuthor(
  { id, name }: NonNullable<StoredEntry['author']>,
  show: (text: string) => string,
): NonNullable<StoredEntry['author']> {
  return { id, ...(name === undefined ? {} : { name: show(name) }) };
}

/** Why a reset was made, as its host said (SES-50). */
function reasonOf({ blocks: [block] }: StoredEntry): string | undefined {
  if (block?.type !== 'data' || typeof block.host !== 'string') return undefined;
  const { reason } = JSON.parse(block.host) as { readonly reason?: unknown };
  return typeof reason === 'string' ? reason : undefined;
}

/** One slice of one block, as a page of one entry (SES-113). */
function sliceOf(
  { entry, blocks }: WholeEntry,
  { block, from }: { readonly block: number; readonly from: number },
  maxBlockChars: number,
): Fitted {
  const found = blocks.find(({ index }) => index === block);
  if (found === undefined) throw unknownBlock(block, blocks);
  return { ...NOTHING, entries: [{ ...entry, blocks: [cutBlock(found, maxBlockChars, from)] }] };
}

function unknownBlock(block: number, blocks: readonly WholeBlock[]): BackstoryError {
  return invalidArgument(
    `block is ${block}; the message shows blocks ${blocks.map(({ index }) => index).join(', ')}.`,
    'Pass block and from as a cut gave them, with the same includeTools and includeReasoning.',
    { parameter: 'block' },
  );
}

function resultOf(
  context: HistoryContext,
  params: HistoryParams,
  { key, sessionId, asked, page }: Read,
  { entries, droppedOlder, droppedNewer, truncated }: Fitted,
): HistoryResult {
  const older = page.older || droppedOlder > 0;
  const newer = page.newer || droppedNewer > 0;
  const [first, last] = [entries[0], entries.at(-1)];
  const { messageId, offset } = params;
  const index = page.anchor === undefined ? undefined : page.anchor - droppedOlder;
  const omitted = leftOutOf(page, droppedOlder, droppedNewer);
  const tools = omitted.filter(({ because }) => because === 'tools').length;
  const result = {
    sessionKey: key,
    sessionId: asked ?? page.entries.at(-1)?.sessionId ?? sessionId,
    view: page.view,
    entries,
    ...(messageId === undefined
      ? {}
      : { anchor: { messageId, found: index !== undefined, ...(index === undefined ? {} : { index }) } }),
    total: page.total,
    more: {
      older,
      newer,
      ...(older && first ? { before: first.messageId } : {}),
      ...(newer && last ? { after: last.messageId } : {}),
    },
    ...(offset === undefined ? {} : { offset }),
    ...(offset === undefined || !older ? {} : { nextOffset: offset + entries.length }),
    windows: page.windows.map(({ from, to, ...window }) => ({
      ...window,
      from: formatInstant(from),
      to: formatInstant(to),
    })),
    omitted: { tools, reasoning: omitted.length - tools },
    truncated: truncated ? ('bytes' as const) : (false as const),
    bytes: 0,
    indexing: context.indexing ?? false,
    ...(page.warning === undefined ? {} : { warning: page.warning }),
  };
  return { ...result, bytes: withOwnDigits(byteLength(result)) };
}

/** Without what lay beside entries that were dropped. */
function leftOutOf({ entries, leftOut }: Page, droppedOlder: number, droppedNewer: number): Page['leftOut'] {
  const above = droppedOlder === 0 ? undefined : entries[droppedOlder - 1]?.id;
  const high = droppedNewer === 0 ? undefined : entries[entries.length - 1 - droppedNewer]?.id;
  return leftOut.filter(({ entry }) => (above === undefined || entry > above) && (high === undefined || entry <= high));
}

/** The size of a result that says its own size, given the size with one digit in its place. */
function withOwnDigits(size: number): number {
  let bytes = size;
  while (size - 1 + String(bytes).length !== bytes) bytes = size - 1 + String(bytes).length;
  return bytes;
}
