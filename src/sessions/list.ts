// Sessions in scope, newest activity first, over the stores of several agents. Reads no message (SES-130, SES-131).
import type { CallScope } from '../access/scope.ts';
import { type Origin, SESSION_KINDS, type SessionKind, type SessionRow } from '../model/session.ts';
import { formatInstant, resolveWindow } from '../model/time.ts';
import { applyMask } from '../redact/masked.ts';
import type { Masker } from '../redact/masker.ts';
import type { AgentStore } from '../store/contract.ts';
import type { SessionFilter, SessionInfo } from '../store/reading.ts';
import { coverageOf, type SessionsCoverage } from './coverage.ts';
import { cursorInvalid, digestOf, openCursor, signCursor } from './cursor.ts';
import { byteLength } from './history-bytes.ts';
import { linksSeen, mayAskFor } from './links-seen.ts';
import { checkInteger, checkListOf, checkNames, checkOneOf, checkText, checkTexts } from './page-checks.ts';
import type { PagedContext, ReadContext } from './page-context.ts';
import { inSnapshots } from './page-snapshots.ts';
import { compareKeys } from './rank.ts';

export { type DescribeParams, type DescribeResult, describeSession } from './list-describe.ts';

export interface ListParams {
  readonly agents?: readonly string[];
  readonly kinds?: readonly SessionKind[];
  readonly archived?: 'include' | 'exclude' | 'only';
  /** Last activity. */
  readonly since?: string;
  readonly until?: string;
  readonly spawnedBy?: string;
  readonly source?: string;
  readonly project?: string;
  readonly nativeKey?: string;
  readonly limit?: number;
  readonly cursor?: string;
  /** Narrows what the caller may see (VIS-14). */
  readonly scope?: CallScope;
}

export interface ListResult {
  readonly sessions: readonly SessionRow[];
  readonly coverage: SessionsCoverage;
}

const NAMES = [
  'agents',
  'kinds',
  'archived',
  'since',
  'until',
  'spawnedBy',
  'source',
  'project',
  'nativeKey',
  'limit',
  'cursor',
  'scope',
];
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const MAX_BYTES = 32_768;
// The coverage besides rows, cursor included.
const SPARE = 4_096;

/** Throws `invalid_argument`, `time_invalid`, `window_empty`, `cursor_invalid`. */
export async function listSessions(context: PagedContext, params: ListParams = {}): Promise<ListResult> {
  checkListShapes(params);
  const { limit = DEFAULT_LIMIT, cursor, ...filters } = params;
  const window = resolveWindow(timesOf(params), { now: context.clock.now(), timeZone: context.timeZone });
  const bound = digestOf('list', context.caller, filters);
  const after = cursor === undefined ? undefined : placeOf(openCursor(cursor, await context.cursorKey()), bound);
  const filter = { ...sessionFilterOf(context, params), ...window };

  const hidden = params.spawnedBy !== undefined && !(await mayAskFor(context, params.spawnedBy));
  const stores = hidden ? [] : context.stores.filter((store) => params.agents?.includes(store.agentId) ?? true);
  const found: { store: AgentStore; info: SessionInfo }[] = [];
  let sessions = 0;
  let linked: ReadonlySet<string> = new Set();
  const left = await inSnapshots(stores, async (snapshots) => {
    await snapshots.ask(async ({ store, reading }) => {
      sessions += await reading.sessionCount(context.scope, sessionFilterOf(context, params));
      for (const info of await reading.list(context.scope, filter, limit + 1, after)) found.push({ store, info });
    });
    found.sort((a, b) => b.info.lastAt - a.info.lastAt || compareKeys(a.info.key, b.info.key));
    const shown = found.slice(0, limit);
    linked = await linksSeen(
      context,
      snapshots.open,
      shown.map(({ info }) => info.spawnedBy),
    );
    return snapshots.failed;
  });

  const rows = found.slice(0, limit).map(({ store, info }) => rowOf(context, store.agentId, info, linked));
  const shown = withinBytes(rows, MAX_BYTES);
  const last = found[shown.length - 1]?.info;
  const more = found.length > shown.length;
  const coverage = coverageOf({ failed: [...context.failed, ...left], sessions, window });
  return {
    sessions: shown,
    coverage: {
      ...coverage,
      truncated: shown.length < rows.length ? 'bytes' : more ? 'limit' : false,
      ...(more && last ? { cursor: signCursor([bound, last.lastAt, last.key], await context.cursorKey()) } : {}),
    },
  };
}

/** Throws `invalid_argument`. Asked before a store is opened, too: which ones depends on `agents`. */
export function checkListShapes(params: ListParams): void {
  checkNames(params, NAMES);
  checkTexts('agents', params.agents, 200);
  checkListOf('kinds', params.kinds, SESSION_KINDS);
  checkOneOf('archived', params.archived, ['include', 'exclude', 'only']);
  for (const name of ['since', 'until', 'spawnedBy', 'source', 'project', 'nativeKey', 'cursor'] as const) {
    checkText(name, params[name]);
  }
  checkInteger('limit', params.limit, 1, MAX_LIMIT);
}

/** Filters that list and search share. */
export function sessionFilterOf(
  context: PagedContext,
  params: Pick<ListParams, 'kinds' | 'archived' | 'spawnedBy' | 'source' | 'project' | 'nativeKey'>,
): SessionFilter {
  const { kinds, archived, spawnedBy, source, project, nativeKey } = params;
  return {
    ...(kinds === undefined ? {} : { kinds }),
    ...(archived === undefined ? {} : { archived }),
    ...(spawnedBy === undefined ? {} : { spawnedBy }),
    ...(source === undefined ? {} : { source }),
    ...(project === undefined ? {} : { projects: context.projectsOf?.(project) ?? [project] }),
    ...(nativeKey === undefined ? {} : { nativeKey }),
  };
}

/** The times that were given, for `resolveWindow`. */
export function timesOf(params: { readonly since?: string; readonly until?: string }): {
  since?: string;
  until?: string;
} {
  return {
    ...(params.since === undefined ? {} : { since: params.since }),
    ...(params.until === undefined ? {} : { until: params.until }),
  };
}

function placeOf(payload: unknown, bound: string): { lastAt: number; key: string } {
  const [digest, lastAt, key] = Array.isArray(payload) ? payload : [];
  if (digest !== bound || typeof lastAt !== 'number' || typeof key !== 'string') {
    throw cursorInvalid('Caller or parameters are others.');
  }
  return { lastAt, key };
}

export function rowOf(
  { masker }: ReadContext,
  agentId: string,
  info: SessionInfo,
  linked: ReadonlySet<string>,
): SessionRow {
  return {
    sessionKey: info.key,
    sessionId: info.sessionId,
    agentId,
    kind: info.kind,
    ...(info.title === undefined ? {} : { title: applyMask(masker, info.title) }),
    createdAt: formatInstant(info.createdAt),
    lastAt: formatInstant(info.lastAt),
    messages: info.messages,
    archived: info.archivedAt !== undefined,
    stale: info.dirty === true,
    ...(info.spawnedBy === undefined || !linked.has(info.spawnedBy) ? {} : { spawnedBy: info.spawnedBy }),
    ...(info.origin === undefined ? {} : { origin: maskedOrigin(info.origin, masker) }),
  };
}

/** Whole rows from the start, as many as fit (COM-2). */
function withinBytes(rows: readonly SessionRow[], max: number): readonly SessionRow[] {
  let room = max - SPARE;
  const end = rows.findIndex((row) => {
    room -= byteLength(row) + 1;
    return room < 0;
  });
  return end < 0 ? rows : rows.slice(0, Math.max(1, end));
}

/** Names and paths that a product recorded may hold what a mask hides (MASK-15). */
function maskedOrigin(origin: Origin, masker: Masker): Origin {
  return Object.fromEntries(
    Object.entries(origin).map(([name, value]: [string, unknown]) => {
      if (typeof value === 'string') return [name, applyMask(masker, value)];
      if (Array.isArray(value)) return [name, value.map((one) => applyMask(masker, String(one)))];
      return [name, value];
    }),
  ) as unknown as Origin;
}
