// Which format a file is, told by its first records and not by its name (SRC-5).

import type { ReadOutcome } from './contract.ts';

type Record_ = Record<string, unknown>;

const SNIFFED = 64;
const HEAD_BYTES = 262_144;

/** Looks at a file's first lines, before anything of it is counted, until one is of its format. */
export class Sniffer {
  readonly #source: string;
  #head = '';
  #seen = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Lines were seen, and none was of the format. */
  get isAllUnknown(): boolean {
    return this.#seen > 0 || this.#head !== '';
  }

  /** `known`: of the format. `pass`: part of a document so far. An outcome: the file is not to be read. */
  see(
    text: string,
    record: Record_ | undefined,
    known: (record: Record_) => boolean,
  ): 'known' | 'unknown' | 'pass' | ReadOutcome {
    if (!record && (this.#head !== '' || /^\s*[{[]\s*$/.test(text))) {
      this.#head += `${text}\n`;
      const format = documentFormat(this.#head);
      if (format) return { kind: 'skipped', reason: 'not_this_format', detail: format };
      return this.#head.length > HEAD_BYTES ? { kind: 'skipped', reason: 'unknown_layout' } : 'pass';
    }
    this.#seen++;
    if (record && known(record)) return 'known';
    const format = record && formatOf(record);
    if (format !== undefined && format !== this.#source) {
      return { kind: 'skipped', reason: 'not_this_format', detail: format };
    }
    return this.#seen > SNIFFED ? { kind: 'skipped', reason: 'unknown_layout' } : 'unknown';
  }
}

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
