// The public error codes, pinned by literals: a change here is a change of the interface.
import { describe, expect, it } from 'vitest';
import { ERROR_MEANINGS } from '../../src/api/error-meanings.ts';
import { BackstoryError, ERROR_CODES } from '../../src/model/errors.ts';

describe('errors', () => {
  it('COM-21: every code has this HTTP status and this exit code', () => {
    expect(Object.entries(ERROR_CODES).map(([code, { http, exit }]) => `${code} ${http} ${exit}`)).toEqual([
      'invalid_argument 400 2',
      'time_invalid 400 2',
      'window_empty 400 2',
      'query_empty 400 2',
      'query_too_long 400 2',
      'regex_invalid 400 2',
      'regex_unsupported 400 2',
      'cursor_invalid 400 2',
      'cursor_stale 409 2',
      'caller_invalid 400 2',
      'operator_required 403 4',
      'config_invalid 500 2',
      'store_busy 503 5',
      'store_full 507 5',
      'store_read_only 500 5',
      'store_damaged 500 5',
      'store_newer 500 5',
      'closed 500 5',
      'key_invalid 400 2',
      'offset_with_anchor 400 2',
      'session_id_mismatch 400 2',
      'session_not_found 404 1',
      'idempotency_conflict 409 4',
      'message_id_conflict 409 4',
      'leaf_conflict 409 4',
      'parent_stale 409 4',
      'window_not_current 409 4',
      'session_property_fixed 409 4',
      'session_id_taken 409 4',
      'parent_not_found 409 4',
      'target_not_on_branch 409 4',
      'target_before_reset 409 4',
      'incognito_required 409 4',
      'session_gone 410 4',
      'message_too_large 413 2',
      'batch_too_large 413 2',
      'erase_incomplete 500 5',
      'source_unknown 400 2',
      'root_not_found 404 2',
      'root_unreadable 403 2',
      'exclude_invalid 400 2',
      'sync_aborted 499 5',
      'mask_rule_unsafe 400 2',
      'episode_invalid 400 2',
      'knowledge_declared 500 2',
      'knowledge_unknown 500 2',
      'not_found 404 1',
      'definition_invalid 500 2',
      'namespace_invalid 400 2',
      'scope_unresolved 403 4',
      'writes_off 403 4',
      'record_not_found 404 1',
      'not_a_candidate 409 4',
      'record_expired 409 4',
      'archive_invalid 400 5',
      'archive_newer 400 5',
      'unauthenticated 401 4',
      'host_refused 403 4',
      'rate_limited 429 4',
      'request_too_large 413 2',
      'method_not_allowed 405 2',
      'unsupported_media_type 415 2',
      'internal 500 5',
    ]);
  });

  it('COM-20: codes are lower_snake_case, and each has its meaning in words', () => {
    for (const code of Object.keys(ERROR_CODES)) expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(Object.keys(ERROR_MEANINGS)).toEqual(Object.keys(ERROR_CODES));
  });

  it('SUR-4, COM-20: one shape, with details only where there are some', () => {
    const plain = new BackstoryError('closed', 'It is closed.', 'Open it again.');
    expect(JSON.parse(JSON.stringify({ error: plain }))).toEqual({
      error: { code: 'closed', message: 'It is closed.', hint: 'Open it again.' },
    });
    const detailed = new BackstoryError('closed', 'a', 'b', { details: { method: 'search' } });
    expect(detailed.toJSON()).toEqual({ code: 'closed', message: 'a', hint: 'b', details: { method: 'search' } });
  });
});
