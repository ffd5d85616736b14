// Which format a file is, told by its first records and not by its name (SRC-5).

type Record_ = Record<string, unknown>;

const CLAUDE_TYPES = new Set([
  ...[
    'user',
    'assistant',
    'system',
    'progress',
    'summary',
    'attachment',
    'queue-operation',
    'custom-title',
    'ai-title',
  ],
  ...['agent-name', 'file-history-snapshot', 'last-prompt', 'mode', 'permission-mode', 'pr-link', 'worktree-state'],
]);
const CODEX_TYPES = new Set(['session_meta', 'turn_context', 'response_item', 'event_msg', 'compacted']);

/** The format a record belongs to, if it is known. */
export function formatOf(record: Record_): string | undefined {
  const { type } = record;
  if ('projectHash' in record || ('sessionId' in record && ('startTime' in record || Array.isArray(record.messages)))) {
    return 'gemini-cli';
  }
  if (typeof type !== 'string') {
    return 'instructions' in record && 'timestamp' in record ? 'codex' : undefined;
  }
  if (CODEX_TYPES.has(type) && 'payload' in record) return 'codex';
  if (type === 'session' && 'version' in record) return 'provider' in record ? 'pi' : 'openclaw';
  if ((type === 'message' || type === 'compaction') && 'parentId' in record) return 'openclaw';
  if (CLAUDE_TYPES.has(type)) return 'claude-code';
  return undefined;
}

/** The format of a pretty-printed document, by the names of its first keys. */
export function documentFormat(head: string): string | undefined {
  const keys = new Set([...head.matchAll(/^\s*"([A-Za-z_]+)":/gm)].map((match) => match[1]));
  if (keys.has('projectHash') || (keys.has('sessionId') && keys.has('messages'))) return 'gemini-cli';
  return undefined;
}
