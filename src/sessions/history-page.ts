// Which entries a page of history holds, read in one snapshot (SES-101 … SES-108). Knows stored entries, shows none.
import type { BackstoryError } from '../model/errors.ts';
import type { EntryRange, LeftOut, Reading, SessionInfo, StoredEntry, WindowInfo } from '../store/reading.ts';
import type { HistoryParams, HistoryPlan } from './history-params.ts';
import { invalidArgument } from './page-checks.ts';
import type { ReadContext } from './page-context.ts';

export type View = 'current' | 'interval' | 'window';

export interface Page {
  readonly view: View;
  /** Oldest first. */
  readonly entries: readonly StoredEntry[];
  /** Place of the anchor among them; undefined when there is no anchor, or it was not found. */
  readonly anchor?: number;
  readonly total: number;
  readonly older: boolean;
  readonly newer: boolean;
  /** Messages between the entries of the page that are not shown (SES-101). */
  readonly leftOut: readonly LeftOut[];
  readonly windows: readonly WindowInfo[];
  readonly warning?: string;
}

const MAX_WINDOWS = 20;

/** Reads a page of the session; `sessionId` was checked to be a window of it. */
export async function readPage(
  context: ReadContext,
  reading: Reading,
  info: SessionInfo,
  params: HistoryParams & { readonly sessionId?: string },
  plan: HistoryPlan,
): Promise<Page> {
  const at = { scope: context.scope, reading, no: info.no };
  const windows = await reading.windows(context.scope, info.no, MAX_WINDOWS);
  const current = await currentRange(at);
  if (params.messageId === undefined) {
    const view = params.sessionId === undefined ? 'current' : 'window';
    const range = params.sessionId === undefined ? current : { sessionId: params.sessionId };
    const entries = await newestEntries(at, range, params, plan);
    return finish(at, { view, range, plan, entries, windows, beyond: params.offset !== undefined });
  }
  const found = await reading.find(context.scope, info.no, params.messageId, params.sessionId);
  const problem = await whyNotShown(at, found, plan);
  if (found === undefined || problem !== undefined) {
    const range = current;
    return {
      ...(await finish(at, { view: 'current', range, plan, entries: [], windows })),
      warning: problem ?? MISSING,
    };
  }
  const inCurrent = current.low === undefined || found.id >= current.low || (await isKept(at, found.id));
  const range = inCurrent ? current : await intervalRange(at, found.id);
  const { entries, anchor } = await around(at, range, found, plan);
  const view = inCurrent ? 'current' : 'interval';
  return { ...(await finish(at, { view, range, plan, entries, windows })), anchor };
}

interface Place {
  readonly scope: ReadContext['scope'];
  readonly reading: Reading;
  readonly no: number;
}

/** Kept messages, the latest reset, everything after; without a reset all of the branch (SES-8). */
async function currentRange({ scope, reading, no }: Place): Promise<EntryRange> {
  const boundary = await reading.boundary(scope, no);
  return boundary === undefined ? {} : { low: boundary.reset, kept: true };
}

async function isKept({ scope, reading, no }: Place, entry: number): Promise<boolean> {
  return (await reading.boundary(scope, no))?.kept.includes(entry) ?? false;
}

/** From after the reset before it to the reset that closed it (SES-10). */
async function intervalRange({ scope, reading, no }: Place, entry: number): Promise<EntryRange> {
  const { after, through } = await reading.interval(scope, no, entry);
  return { ...(after === undefined ? {} : { above: after }), ...(through === undefined ? {} : { high: through }) };
}

/** The newest of the range, or what `before` and `after` leave of it; oldest first (SES-100, SES-116). */
async function newestEntries(
  at: Place,
  range: EntryRange,
  params: HistoryParams,
  plan: HistoryPlan,
): Promise<readonly StoredEntry[]> {
  const { limit, display } = plan;
  const before = await borderOf(at, 'before', params.before, params.sessionId);
  const after = await borderOf(at, 'after', params.after, params.sessionId);
  const above = after === undefined ? {} : { above: after };
  const options = { ...range, ...above, ...display, limit };
  // `after` alone pages towards the newer end.
  if (after !== undefined && before === undefined) {
    return at.reading.walk(at.scope, at.no, { ...options, direction: 'newer' });
  }
  const from = before === undefined ? {} : { from: before };
  const skip = params.offset === undefined ? {} : { skip: params.offset };
  const entries = await at.reading.walk(at.scope, at.no, { ...options, ...from, ...skip, direction: 'older' });
  return [...entries].reverse();
}

async function borderOf(
  { scope, reading, no }: Place,
  name: 'before' | 'after',
  messageId: string | undefined,
  sessionId: string | undefined,
): Promise<number | undefined> {
  if (messageId === undefined) return undefined;
  const found = await reading.find(scope, no, messageId, sessionId);
  if (found !== undefined && found.state !== 'side') return found.id;
  throw unknownBorder(name, messageId);
}

function unknownBorder(name: string, messageId: string): BackstoryError {
  return invalidArgument(
    `${name} ${JSON.stringify(messageId.slice(0, 200))} is no message of this session's active branch.`,
    `Pass ${name} as more.${name} of the last page gave it.`,
    { parameter: name },
  );
}

const MISSING = 'The message is not part of this session any more, or never was: nothing is shown in its place.';

/** Why an anchor cannot be opened (SES-104). */
async function whyNotShown(
  { scope, reading, no }: Place,
  found: StoredEntry | undefined,
  plan: HistoryPlan,
): Promise<string | undefined> {
  if (found === undefined) return MISSING;
  if (found.state === 'side') return 'The message is off the active branch: it was rewound or edited away.';
  if (found.type === 'erased') return 'The message was erased.';
  const only = { low: found.id, high: found.id };
  if ((await reading.count(scope, no, { ...only, ...plan.display })) > 0) return undefined;
  const [left] = await reading.leftOut(scope, no, { ...only, ...plan.display });
  return left?.because === 'tools'
    ? 'The message is a tool message: pass includeTools to see it.'
    : 'The message holds nothing that is shown: pass includeReasoning to see its reasoning.';
}

/** `limit − ⌊limit/2⌋ − 1` older, the anchor, `⌊limit/2⌋` newer; a short side leaves its room to the other (SES-105). */
async function around(
  { scope, reading, no }: Place,
  range: EntryRange,
  found: StoredEntry,
  { limit, display }: HistoryPlan,
): Promise<{ entries: readonly StoredEntry[]; anchor: number }> {
  const options = { ...range, ...display, from: found.id, limit: limit - 1 };
  const older = limit === 1 ? [] : await reading.walk(scope, no, { ...options, direction: 'older' });
  const newer = limit === 1 ? [] : await reading.walk(scope, no, { ...options, direction: 'newer' });
  const newerRoom = Math.floor(limit / 2);
  const olderRoom = limit - newerRoom - 1;
  const takenOlder = Math.min(older.length, olderRoom + Math.max(0, newerRoom - newer.length));
  const takenNewer = Math.min(newer.length, limit - 1 - takenOlder);
  const entries = [...older.slice(0, takenOlder).reverse(), found, ...newer.slice(0, takenNewer)];
  return { entries, anchor: takenOlder };
}

interface Made {
  readonly view: View;
  readonly range: EntryRange;
  readonly plan: HistoryPlan;
  readonly entries: readonly StoredEntry[];
  readonly windows: readonly WindowInfo[];
  /** The page was asked for by its distance from the newest end, so an empty one lies beyond the oldest. */
  readonly beyond?: boolean;
}

async function finish(at: Place, { view, range, plan, entries, windows, beyond }: Made): Promise<Page> {
  const { scope, reading, no } = at;
  const shown = { ...range, ...plan.display };
  const total = await reading.count(scope, no, shown);
  const neighbour = async (direction: 'older' | 'newer', from: number): Promise<number | undefined> =>
    (await reading.walk(scope, no, { ...shown, direction, from, limit: 1 }))[0]?.id;
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) {
    return { view, entries, total, windows, older: false, newer: beyond === true && total > 0, leftOut: [] };
  }
  const older = await neighbour('older', first.id);
  const newer = await neighbour('newer', last.id);
  // What stands before the first entry belongs to this page, what stands after the last only at the newest end: so the
  // pages of a walk to the older end count every message once.
  const leftOut = await reading.leftOut(scope, no, {
    ...shown,
    ...(older === undefined ? {} : { above: Math.max(older, range.above ?? older) }),
    ...(newer === undefined ? {} : { high: last.id }),
  });
  return { view, entries, total, windows, older: older !== undefined, newer: newer !== undefined, leftOut };
}
