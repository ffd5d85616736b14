// Parameters of sessions_history, checked and resolved (SES-100, SES-105, SES-106). Reads nothing.
import type { CallScope } from '../access/scope.ts';
import { BackstoryError } from '../model/errors.ts';
import type { Role } from '../model/session.ts';
import { resolveWindow } from '../model/time.ts';
import { checkFlag, checkInteger, checkListOf, checkNames, checkText, invalidArgument } from './page-checks.ts';
import type { ReadContext } from './page-context.ts';

export interface HistoryParams {
  /** A key, a session id, `current` or `main`. */
  readonly session: string;
  /** The anchor. */
  readonly messageId?: string;
  /** A window of that session. */
  readonly sessionId?: string;
  readonly limit?: number;
  /** Narrows what the caller may see (VIS-14). */
  readonly scope?: CallScope;
  /** Skips the newest entries. */
  readonly offset?: number;
  /** Message ids, exclusive: stable while others append. */
  readonly before?: string;
  readonly after?: string;
  readonly roles?: readonly Role[];
  readonly since?: string;
  readonly until?: string;
  readonly includeTools?: boolean;
  readonly includeReasoning?: boolean;
  /** With `messageId`: one slice of one block (SES-113). */
  readonly block?: number;
  readonly from?: number;
  readonly maxBlockChars?: number;
  readonly maxBytes?: number;
  /** Nothing is hidden. Operator, library and command line only. */
  readonly raw?: boolean;
}

export interface HistoryPlan {
  readonly limit: number;
  readonly maxBlockChars: number;
  readonly maxBytes: number;
  readonly slice?: { readonly block: number; readonly from: number };
  readonly display: {
    readonly tools: boolean;
    readonly reasoning: boolean;
    readonly roles?: readonly Role[];
    readonly since?: number;
    readonly until?: number;
  };
}

const FROM = 'from' as const;
const NAMES: readonly (keyof HistoryParams)[] = [
  'session',
  'messageId',
  'sessionId',
  'limit',
  'scope',
  'offset',
  'before',
  'after',
  'roles',
  'since',
  'until',
  'includeTools',
  'includeReasoning',
  'block',
  FROM,
  'maxBlockChars',
  'maxBytes',
  'raw',
];
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = { agent: 200, library: 1_000 };
const DEFAULT_BLOCK_CHARS = 4_000;
const MAX_BLOCK_CHARS = { agent: DEFAULT_BLOCK_CHARS, library: 1_000_000 };
const DEFAULT_BYTES = 81_920;
const MAX_BYTES = { agent: DEFAULT_BYTES, library: 6 * 1_024 * 1_024 };
const UNANCHORED_ONLY = ['before', 'after', 'roles', 'since', 'until'] as const;

/** Throws `invalid_argument`, `offset_with_anchor`, `operator_required`, `time_invalid`, `window_empty`. */
export function historyPlan(context: ReadContext, params: HistoryParams): HistoryPlan {
  checkShapes(context, params);
  checkCombination(params);
  if (params.raw && context.caller.operator !== true) {
    throw new BackstoryError(
      'operator_required',
      'raw history is for operators.',
      'Leave raw out: the text is then masked.',
    );
  }
  const window = resolveWindow(
    {
      ...(params.since === undefined ? {} : { since: params.since }),
      ...(params.until === undefined ? {} : { until: params.until }),
    },
    { now: context.clock.now(), timeZone: context.timeZone },
  );
  const { block, from = 0 } = params;
  return {
    limit: block === undefined ? (params.limit ?? DEFAULT_LIMIT) : 1,
    maxBlockChars: params.maxBlockChars ?? DEFAULT_BLOCK_CHARS,
    maxBytes: params.maxBytes ?? DEFAULT_BYTES,
    ...(block === undefined ? {} : { slice: { block, from } }),
    display: {
      tools: params.includeTools ?? false,
      reasoning: params.includeReasoning ?? false,
      ...(params.roles === undefined ? {} : { roles: params.roles }),
      ...window,
    },
  };
}

function checkShapes(context: ReadContext, params: HistoryParams): void {
  checkNames(params, NAMES);
  if (params.session === undefined) {
    throw invalidArgument('session is missing.', 'Name a session by its key or its session id.', {
      parameter: 'session',
    });
  }
  for (const name of ['session', 'messageId', 'sessionId', 'before', 'after', 'since', 'until'] as const) {
    checkText(name, params[name]);
  }
  for (const name of ['includeTools', 'includeReasoning', 'raw'] as const) checkFlag(name, params[name]);
  checkListOf('roles', params.roles, ['user', 'assistant', 'system', 'tool']);
  const { bounds = 'library' } = context;
  checkInteger('limit', params.limit, 1, MAX_LIMIT[bounds]);
  checkInteger('offset', params.offset, 0, Number.MAX_SAFE_INTEGER);
  checkInteger('block', params.block, 0, Number.MAX_SAFE_INTEGER);
  checkInteger(FROM, params.from, 0, Number.MAX_SAFE_INTEGER);
  checkInteger('maxBlockChars', params.maxBlockChars, 2, MAX_BLOCK_CHARS[bounds]);
  checkInteger('maxBytes', params.maxBytes, 1_024, MAX_BYTES[bounds]);
}

function checkCombination(params: HistoryParams): void {
  const given = (name: keyof HistoryParams): boolean => params[name] !== undefined;
  if (given('offset') && given('messageId')) {
    throw new BackstoryError(
      'offset_with_anchor',
      `offset ${params.offset} was given together with messageId.`,
      'Give either: offset pages back from the newest end, messageId opens the page around a message.',
      { details: { parameters: ['offset', 'messageId'] } },
    );
  }
  const clash = (one: string, other: string): void => {
    throw invalidArgument(`${one} was given together with ${other}.`, `Leave out ${one} or ${other}.`, {
      parameters: [one, other],
    });
  };
  for (const name of UNANCHORED_ONLY) {
    if (!given(name)) continue;
    if (given('messageId')) clash(name, 'messageId');
    if (given('offset') && (name === 'before' || name === 'after')) clash(name, 'offset');
  }
  for (const name of ['block', FROM] as const) {
    if (given(name) && !given('messageId')) {
      throw invalidArgument(`${name} was given without messageId.`, 'block and from go on in one message: name it.', {
        parameters: [name, 'messageId'],
      });
    }
  }
  if (given(FROM) && !given('block')) {
    throw invalidArgument('from was given without block.', 'Pass block and from as a cut gave them.', {
      parameters: [FROM, 'block'],
    });
  }
}
