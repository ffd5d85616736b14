// Parameters of sessions_search, checked and resolved (SES-70). Reads nothing, and parses no query.
import type { CallScope } from '../access/scope.ts';
import { SEARCHED_ROLES, SESSION_KINDS, type SearchedRole, type SessionKind } from '../model/session.ts';
import { resolveWindow, type TimeWindow } from '../model/time.ts';
import type { ExtraRole } from '../store/extra.ts';
import type { DrawOrder, MessageFilter, SessionFilter } from '../store/reading.ts';
import { type ParsedQuery, parseQuery } from '../text/index.ts';
import { EXTRA_NAMES, type ExtraName, rolesOf } from './extra.ts';
import { sessionFilterOf, timesOf } from './list.ts';
import {
  checkFlag,
  checkInteger,
  checkListOf,
  checkNames,
  checkOneOf,
  checkText,
  checkTexts,
  invalidArgument,
} from './page-checks.ts';
import type { PagedContext, ReadContext } from './page-context.ts';

export interface SearchParams {
  readonly query: string;
  /** A key, a session id (narrows to that window), `current` or `main`. */
  readonly session?: string;
  readonly agents?: readonly string[];
  readonly kinds?: readonly SessionKind[];
  readonly excludeKinds?: readonly SessionKind[];
  /** Default: user and assistant, and what `include` names. */
  readonly roles?: readonly SearchedRole[];
  /** Message time. */
  readonly since?: string;
  readonly until?: string;
  readonly source?: string;
  readonly project?: string;
  readonly nativeKey?: string;
  readonly archived?: 'include' | 'exclude' | 'only';
  /** Also texts of tools and reasoning, as far as the setting sessions.index.extra indexes them (SES-45). */
  readonly include?: readonly ExtraName[];
  readonly sort?: 'relevance' | 'newest' | 'oldest';
  /** No relaxation (TXT-39). */
  readonly exact?: boolean;
  readonly regex?: boolean;
  readonly ignoreCase?: boolean;
  /** How long a regular expression may look, in ms, default 1 000 (TXT-40). A page that goes on looks as long again. */
  readonly budgetMs?: number;
  readonly group?: 'none' | 'session';
  /** At most this many hits of one session. */
  readonly perSession?: number;
  readonly limit?: number;
  readonly cursor?: string;
  /** Narrows what the caller may see (VIS-14). */
  readonly scope?: CallScope;
  /** For whoever syncs before the search. */
  readonly waitMs?: number;
  /** Adds how the query was read, and how each hit got its score. */
  readonly explain?: boolean;
}

export interface SearchPlan {
  readonly limit: number;
  readonly sort: 'relevance' | 'newest' | 'oldest';
  readonly order: DrawOrder;
  readonly grouped: boolean;
  readonly perSession: number | undefined;
  readonly filter: SessionFilter & MessageFilter;
  /** Roles of the extra index that are searched too (SES-45). */
  readonly included: readonly ExtraRole[];
  readonly window: TimeWindow;
  /** Kinds that score half, since `kinds` does not name them (SES-77). */
  readonly halved: readonly SessionKind[];
  readonly maxBytes: number;
}

const NAMES = [
  'query',
  'session',
  'agents',
  'kinds',
  'excludeKinds',
  'roles',
  'since',
  'until',
  'source',
  'project',
  'nativeKey',
  'archived',
  'include',
  'sort',
  'exact',
  'regex',
  'ignoreCase',
  'budgetMs',
  'group',
  'perSession',
  'limit',
  'cursor',
  'scope',
  'waitMs',
  'explain',
];
const DEFAULT_LIMIT = 10;
const MAX_LIMIT = { agent: 25, library: 500 };
const MAX_BYTES = 32_768;
const MAX_BYTES_MANY = 1_048_576;
const AUTOMATIC: readonly SessionKind[] = ['cron', 'hook'];

type PlanContext = PagedContext & { readonly extra?: readonly ExtraName[] };

/** Throws `invalid_argument`, `time_invalid`, `window_empty`. */
export function searchPlan(context: PlanContext, params: SearchParams): SearchPlan {
  checkSearchShapes(context, params);
  const { limit = DEFAULT_LIMIT, sort = 'relevance', kinds, excludeKinds, roles } = params;
  const both = kinds?.find((kind) => excludeKinds?.includes(kind));
  if (both !== undefined) {
    throw invalidArgument(`kinds and excludeKinds both name ${both}.`, 'Leave it out of one of them.', {
      parameters: ['kinds', 'excludeKinds'],
    });
  }
  const included = rolesOf(includedIn(context, params));
  const window = resolveWindow(timesOf(params), { now: context.clock.now(), timeZone: context.timeZone });
  return {
    limit,
    sort,
    included,
    order: sort === 'relevance' ? 'written' : sort,
    grouped: params.group === 'session',
    perSession: params.perSession,
    filter: {
      ...sessionFilterOf(context, params),
      ...(excludeKinds === undefined ? {} : { excludeKinds }),
      ...(roles === undefined || (included.length === 0 && roles.length === 2) ? {} : { roles }),
      ...window,
    },
    window,
    halved: kinds === undefined ? AUTOMATIC : AUTOMATIC.filter((kind) => !kinds.includes(kind)),
    maxBytes: limit > 25 ? MAX_BYTES_MANY : MAX_BYTES,
  };
}

/** Throws `invalid_argument` for what the setting does not index, or for a role whose texts are not included. */
function includedIn({ extra = [] }: PlanContext, { include = [], roles = [] }: SearchParams): readonly ExtraName[] {
  const missing = include.find((name) => !extra.includes(name));
  if (missing !== undefined) {
    throw invalidArgument(
      `include names ${missing}, which is not indexed.`,
      `Add ${JSON.stringify(missing)} to the setting sessions.index.extra, or leave it out; sessions_history shows both, with includeTools and includeReasoning.`,
      { parameter: 'include', setting: 'sessions.index.extra' },
    );
  }
  for (const [name, role] of Object.entries(EXTRA_NAMES)) {
    if (!roles.includes(role) || include.includes(name as ExtraName)) continue;
    throw invalidArgument(`roles names ${role}, which is not searched.`, `Add include: [${JSON.stringify(name)}].`, {
      parameter: 'roles',
    });
  }
  return include;
}

/** The query as it was read. Throws `query_empty`, `query_too_long`, `regex_invalid`, `regex_unsupported`. */
export async function searchQuery(params: SearchParams): Promise<ParsedQuery> {
  if (typeof params.query !== 'string') {
    throw invalidArgument('query is not a text.', 'Give query the words to look for.', { parameter: 'query' });
  }
  if (params.regex) {
    const { parseRegex } = await import('../text/regex.ts');
    return parseRegex(params.query, params.ignoreCase === undefined ? {} : { ignoreCase: params.ignoreCase });
  }
  return parseQuery(params.query.trim());
}

/** Throws `invalid_argument`. Asked before anything is synced or opened, too: what, depends on `source`, `waitMs` and `agents`. */
export function checkSearchShapes({ bounds = 'library' }: Pick<ReadContext, 'bounds'>, params: SearchParams): void {
  checkNames(params, NAMES);
  for (const name of ['session', 'since', 'until', 'source', 'project', 'nativeKey', 'cursor'] as const) {
    checkText(name, params[name]);
  }
  for (const name of ['exact', 'regex', 'ignoreCase', 'explain'] as const) checkFlag(name, params[name]);
  checkTexts('agents', params.agents, 200);
  checkListOf('kinds', params.kinds, SESSION_KINDS);
  checkListOf('excludeKinds', params.excludeKinds, SESSION_KINDS);
  checkListOf('roles', params.roles, SEARCHED_ROLES);
  checkOneOf('archived', params.archived, ['include', 'exclude', 'only']);
  checkOneOf('sort', params.sort, ['relevance', 'newest', 'oldest']);
  checkOneOf('group', params.group, ['none', 'session']);
  checkInteger('perSession', params.perSession, 1, 25);
  checkInteger('limit', params.limit, 1, MAX_LIMIT[bounds]);
  checkInteger('budgetMs', params.budgetMs, 1, 60_000);
  checkInteger('waitMs', params.waitMs, 0, 30_000);
  const { include } = params;
  if (!Array.isArray(include) || include.length > 0) checkListOf('include', include, ['tools', 'thinking']);
}
