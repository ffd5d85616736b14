// A list of records by pages: its options checked, its cursor bound to them (EPI-120, COM-2).
import { createHash } from 'node:crypto';
import type { Coverage } from '../model/coverage.ts';
import { MEMORY_KINDS, MEMORY_STATUSES, type MemoryKind, type MemoryStatus } from '../model/episode.ts';
import { BackstoryError, nearest, shownValue } from '../model/errors.ts';
import type { MemoryStore } from '../store/memory.ts';
import { type ListAnswer, type ListOptions, listRecords, type NamespacesNamed } from './review.ts';

export interface ListPageOptions extends NamespacesNamed {
  readonly status?: MemoryStatus | 'parked';
  readonly kind?: MemoryKind;
  readonly query?: string;
  /** 1 … 200, default 50. */
  readonly limit?: number;
  readonly cursor?: string;
}

export interface ListPage extends Omit<ListAnswer, 'more'> {
  /** Its cursor goes on after this page (COM-30). */
  readonly coverage: Coverage;
}

const OPTIONS = ['status', 'namespace', 'exactly', 'kind', 'query', 'limit', 'cursor'];
const STATUSES = [...MEMORY_STATUSES, 'parked'];
const MOST = 200;

/** Throws `invalid_argument`, `cursor_invalid`, and as `listRecords`. */
export async function listPage(
  store: MemoryStore | undefined,
  options: ListPageOptions,
  now: number,
): Promise<ListPage> {
  const { limit = 50, cursor, ...rest } = checked(options);
  const after = cursor === undefined ? undefined : opened(cursor, rest);
  if (store === undefined) return { records: [], parked: [], coverage: coverageOf(0, undefined, false) };
  const asked: ListOptions = { ...rest, limit, ...(after === undefined ? {} : { after }) };
  const { more, ...page } = await listRecords(store, asked, now);
  const last = page.records.at(-1);
  const next = more && last ? signed({ createdAt: last.createdAt, id: last.id }, rest) : undefined;
  return { ...page, coverage: coverageOf(page.records.length + page.parked.length, next, more) };
}

// A list looks at everything it is asked for.
function coverageOf(listed: number, cursor: string | undefined, more: boolean): Coverage {
  return {
    complete: true,
    truncated: more ? 'limit' : false,
    ...(cursor === undefined ? {} : { cursor }),
    ranked: { considered: listed, complete: true },
    indexing: { done: listed, total: listed },
    skipped: [],
    skippedTotal: 0,
    warnings: [],
  };
}

function checked(options: ListPageOptions): ListPageOptions {
  for (const key of Object.keys(options)) {
    if (OPTIONS.includes(key)) continue;
    const near = nearest(key, OPTIONS);
    const hint = near === undefined ? `Known are ${OPTIONS.join(', ')}.` : `Did you mean ${JSON.stringify(near)}?`;
    throw new BackstoryError('invalid_argument', `There is no option ${JSON.stringify(key)}.`, hint, {
      details: { option: key, known: OPTIONS },
    });
  }
  const { status, kind, limit, namespace, query } = options;
  if (status !== undefined && !STATUSES.includes(status)) throw refused('status', status, STATUSES.join(', '));
  if (kind !== undefined && !MEMORY_KINDS.includes(kind)) throw refused('kind', kind, MEMORY_KINDS.join(', '));
  const size = typeof limit === 'string' && /^\d{1,6}$/.test(limit) ? Number(limit) : limit;
  if (size !== undefined && !(Number.isInteger(size) && size >= 1 && size <= MOST)) {
    throw refused('limit', limit, `a whole number from 1 to ${MOST}`);
  }
  for (const [name, value] of Object.entries({ namespace, query })) {
    if (value !== undefined && typeof value !== 'string') throw refused(name, value, 'a text');
  }
  return { ...options, ...(size === undefined ? {} : { limit: size }) };
}

// No secret: a list is an operator's. The digest of the options keeps a cursor from going on with another list.
function signed(after: { readonly createdAt: string; readonly id: string }, options: object): string {
  return Buffer.from(JSON.stringify([after.createdAt, after.id, digestOf(options)])).toString('base64url');
}

function opened(cursor: string, options: object): { readonly createdAt: string; readonly id: string } {
  try {
    const [createdAt, id, digest] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[];
    const isTime = typeof createdAt === 'string' && !Number.isNaN(Date.parse(createdAt));
    if (isTime && typeof id === 'string' && digest === digestOf(options)) return { createdAt, id };
  } catch {
    // Said below.
  }
  throw new BackstoryError('cursor_invalid', 'The cursor is not one of this list.', 'List again without it.');
}

function digestOf(options: object): string {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  const sorted = JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('sha256').update(sorted).digest('hex').slice(0, 16);
}

function refused(option: string, value: unknown, allowed: string): BackstoryError {
  return new BackstoryError(
    'invalid_argument',
    `${option} is ${shownValue(value)}; allowed is ${allowed}.`,
    `Give ${option} such a value.`,
    {
      details: { option, allowed },
    },
  );
}
