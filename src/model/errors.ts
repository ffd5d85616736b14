// The one error class and the table of its codes: what each code means over HTTP and as an exit status (COM-20, COM-21).

/** Public, and what a program matches by. */
export type ErrorCode =
  | 'invalid_argument'
  | 'time_invalid'
  | 'window_empty'
  | 'query_empty'
  | 'query_too_long'
  | 'regex_invalid'
  | 'regex_unsupported'
  | 'cursor_invalid'
  | 'cursor_stale'
  | 'caller_invalid'
  | 'operator_required'
  | 'config_invalid'
  | 'store_busy'
  | 'store_full'
  | 'store_read_only'
  | 'store_damaged'
  | 'store_newer'
  | 'closed'
  | 'key_invalid'
  | 'offset_with_anchor'
  | 'session_id_mismatch'
  | 'session_not_found'
  | 'idempotency_conflict'
  | 'message_id_conflict'
  | 'leaf_conflict'
  | 'parent_stale'
  | 'window_not_current'
  | 'session_property_fixed'
  | 'session_id_taken'
  | 'parent_not_found'
  | 'target_not_on_branch'
  | 'target_before_reset'
  | 'incognito_required'
  | 'session_gone'
  | 'message_too_large'
  | 'batch_too_large'
  | 'erase_incomplete'
  | 'source_unknown'
  | 'root_not_found'
  | 'root_unreadable'
  | 'exclude_invalid'
  | 'sync_aborted'
  | 'mask_rule_unsafe'
  | 'episode_invalid'
  | 'knowledge_declared'
  | 'knowledge_unknown'
  | 'not_found'
  | 'definition_invalid'
  | 'namespace_invalid'
  | 'scope_unresolved'
  | 'writes_off'
  | 'record_not_found'
  | 'not_a_candidate'
  | 'record_expired'
  | 'archive_invalid'
  | 'archive_newer'
  | 'unauthenticated'
  | 'host_refused'
  | 'rate_limited'
  | 'request_too_large'
  | 'method_not_allowed'
  | 'unsupported_media_type'
  | 'internal';

interface CodeRow {
  readonly http: number;
  readonly exit: 0 | 1 | 2 | 3 | 4 | 5;
}

/** Every public error code with its HTTP status and exit code (COM-21 and each specification's own table). */
export const ERROR_CODES: Readonly<Record<ErrorCode, CodeRow>> = {
  invalid_argument: { http: 400, exit: 2 },
  time_invalid: { http: 400, exit: 2 },
  window_empty: { http: 400, exit: 2 },
  query_empty: { http: 400, exit: 2 },
  query_too_long: { http: 400, exit: 2 },
  regex_invalid: { http: 400, exit: 2 },
  regex_unsupported: { http: 400, exit: 2 },
  cursor_invalid: { http: 400, exit: 2 },
  cursor_stale: { http: 409, exit: 2 },
  caller_invalid: { http: 400, exit: 2 },
  operator_required: { http: 403, exit: 4 },
  config_invalid: { http: 500, exit: 2 },
  store_busy: { http: 503, exit: 5 },
  store_full: { http: 507, exit: 5 },
  store_read_only: { http: 500, exit: 5 },
  store_damaged: { http: 500, exit: 5 },
  store_newer: { http: 500, exit: 5 },
  closed: { http: 500, exit: 5 },
  key_invalid: { http: 400, exit: 2 },
  offset_with_anchor: { http: 400, exit: 2 },
  session_id_mismatch: { http: 400, exit: 2 },
  session_not_found: { http: 404, exit: 1 },
  idempotency_conflict: { http: 409, exit: 4 },
  message_id_conflict: { http: 409, exit: 4 },
  leaf_conflict: { http: 409, exit: 4 },
  parent_stale: { http: 409, exit: 4 },
  window_not_current: { http: 409, exit: 4 },
  session_property_fixed: { http: 409, exit: 4 },
  session_id_taken: { http: 409, exit: 4 },
  parent_not_found: { http: 409, exit: 4 },
  target_not_on_branch: { http: 409, exit: 4 },
  target_before_reset: { http: 409, exit: 4 },
  incognito_required: { http: 409, exit: 4 },
  session_gone: { http: 410, exit: 4 },
  message_too_large: { http: 413, exit: 2 },
  batch_too_large: { http: 413, exit: 2 },
  erase_incomplete: { http: 500, exit: 5 },
  source_unknown: { http: 400, exit: 2 },
  root_not_found: { http: 404, exit: 2 },
  root_unreadable: { http: 403, exit: 2 },
  exclude_invalid: { http: 400, exit: 2 },
  sync_aborted: { http: 499, exit: 5 },
  mask_rule_unsafe: { http: 400, exit: 2 },
  episode_invalid: { http: 400, exit: 2 },
  knowledge_declared: { http: 500, exit: 2 },
  knowledge_unknown: { http: 500, exit: 2 },
  not_found: { http: 404, exit: 1 },
  definition_invalid: { http: 500, exit: 2 },
  namespace_invalid: { http: 400, exit: 2 },
  scope_unresolved: { http: 403, exit: 4 },
  writes_off: { http: 403, exit: 4 },
  record_not_found: { http: 404, exit: 1 },
  not_a_candidate: { http: 409, exit: 4 },
  record_expired: { http: 409, exit: 4 },
  archive_invalid: { http: 400, exit: 5 },
  archive_newer: { http: 400, exit: 5 },
  unauthenticated: { http: 401, exit: 4 },
  host_refused: { http: 403, exit: 4 },
  rate_limited: { http: 429, exit: 4 },
  request_too_large: { http: 413, exit: 2 },
  method_not_allowed: { http: 405, exit: 2 },
  unsupported_media_type: { http: 415, exit: 2 },
  internal: { http: 500, exit: 5 },
};

export interface ErrorJson {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * What every operation throws. `message` names the value, `hint` says what to do; neither holds stored text or
 * query text (COM-20). Match by `code`, also across realms: `isBackstoryError`.
 */
export class BackstoryError extends Error {
  override readonly name = 'BackstoryError';
  readonly code: ErrorCode;
  readonly hint: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    hint: string,
    options: { readonly details?: Readonly<Record<string, unknown>>; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = hint;
    this.details = options.details;
  }

  /** The HTTP status of this error's code. */
  get status(): number {
    return ERROR_CODES[this.code].http;
  }

  /** The exit code of this error's code (SUR-21). */
  get exitCode(): number {
    return ERROR_CODES[this.code].exit;
  }

  /** The value under `error` in the one shape of every surface (COM-20). */
  toJSON(): ErrorJson {
    return {
      code: this.code,
      message: this.message,
      hint: this.hint,
      ...(this.details === undefined ? {} : { details: this.details }),
    };
  }
}

/** True for an error of this project, recognised by its shape and not by `instanceof`, so two copies of the package agree. */
export function isBackstoryError(error: unknown): error is BackstoryError {
  return (
    error instanceof Error &&
    error.name === 'BackstoryError' &&
    'code' in error &&
    typeof error.code === 'string' &&
    Object.hasOwn(ERROR_CODES, error.code)
  );
}

/** A value as an error names it, whatever it is: one line, at most `most` units, the last of them an ellipsis when it is cut. */
export function shownValue(value: unknown, most = 100): string {
  let text: string;
  try {
    text = (typeof value === 'bigint' ? undefined : JSON.stringify(value)) ?? String(value);
  } catch {
    // Cyclic, too deep, or its own code throws.
    text = `a value of type ${typeof value}`;
  }
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/** The candidate with the smallest edit distance to `name`, for "did you mean": at most a third of its length away. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 64) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
