// What each operation is asked by every surface: at least one input that succeeds and one that fails.

/** `$record`, `$folder` and `$user` stand for what the world of a case holds. */
export interface Case {
  readonly input: Readonly<Record<string, unknown>>;
  /** The same on the command line; absent: the command line cannot ask so. */
  readonly argv?: readonly string[];
  readonly stdin?: string;
  /** The code it fails with. */
  readonly fails?: string;
  /** Not over HTTP: the server decides otherwise (RUN-77). */
  readonly libraryOnly?: true;
}

export const WORKSPACE = 'shop';
export const ROUTE = '/garden';
const MAIN = 'agent:desk:main';
const NONE = 'agent:desk:none';
const SCOPE = ['--route', ROUTE];

export const CASES: Readonly<Record<string, readonly Case[]>> = {
  sessions_search: [
    { input: { query: 'orchard' }, argv: ['search', 'orchard', '--no-sync', '--wait-ms', '150'] },
    {
      input: { query: 'orchard', roles: ['assistant'] },
      argv: ['search', 'orchard', '--role', 'assistant', '--no-sync'],
    },
    { input: { query: '""' }, argv: ['search', '""', '--no-sync'], fails: 'query_empty' },
    {
      input: { query: 'x', since: 'never' },
      argv: ['search', 'x', '--since', 'never', '--no-sync'],
      fails: 'time_invalid',
    },
  ],
  sessions_history: [
    {
      input: { session: 'agent:claude-code:s-1', messageId: 'a-1', limit: 3 },
      argv: ['open', 'agent:claude-code:s-1', '--message', 'a-1', '--limit', '3'],
    },
    { input: { session: NONE }, argv: ['open', NONE], fails: 'session_not_found' },
    {
      input: { session: MAIN, messageId: 'm-1', offset: 0 },
      argv: ['open', MAIN, '--message', 'm-1', '--offset', '0'],
      fails: 'offset_with_anchor',
    },
  ],
  sessions_list: [
    { input: { agents: ['desk'] }, argv: ['sessions', '--agent', 'desk'] },
    { input: { limit: 0 }, argv: ['sessions', '--limit', '0'], fails: 'invalid_argument' },
  ],
  sessions_describe: [
    { input: { session: MAIN }, argv: ['sessions', 'describe', MAIN] },
    { input: { session: NONE }, argv: ['sessions', 'describe', NONE], fails: 'session_not_found' },
  ],
  sessions_append: [
    {
      input: { key: MAIN, messages: [{ id: 'm-9', role: 'user', content: 'one more' }] },
      argv: ['sessions', 'append', MAIN],
      stdin: '{"id":"m-9","role":"user","content":"one more"}\n',
    },
    {
      input: { key: 'desk', messages: [{ role: 'user', content: 'x' }] },
      argv: ['sessions', 'append', 'desk'],
      stdin: '{"role":"user","content":"x"}',
      fails: 'key_invalid',
    },
    { input: { key: MAIN, message: { role: 'nobody', content: 'x' } }, fails: 'invalid_argument' },
  ],
  sessions_reset: [
    { input: { key: MAIN, keep: 1 }, argv: ['sessions', 'reset', MAIN, '--keep', '1'] },
    { input: { key: NONE }, argv: ['sessions', 'reset', NONE], fails: 'session_not_found' },
  ],
  sessions_rewind: [
    { input: { key: MAIN, to: 'm-1' }, argv: ['sessions', 'rewind', MAIN, '--to', 'm-1'] },
    { input: { key: MAIN, to: 'no' }, argv: ['sessions', 'rewind', MAIN, '--to', 'no'], fails: 'target_not_on_branch' },
  ],
  sessions_switch: [
    { input: { key: MAIN, to: 'm-2' }, argv: ['sessions', 'switch', MAIN, '--to', 'm-2'] },
    { input: { key: NONE, to: 'm-2' }, argv: ['sessions', 'switch', NONE, '--to', 'm-2'], fails: 'session_not_found' },
  ],
  sessions_compact: [
    { input: { key: MAIN, summary: 'notes' }, argv: ['sessions', 'compact', MAIN, '--summary', 'notes'] },
    {
      input: { key: NONE, summary: 'x' },
      argv: ['sessions', 'compact', NONE, '--summary', 'x'],
      fails: 'session_not_found',
    },
  ],
  sessions_archive: [
    { input: { key: MAIN }, argv: ['sessions', 'archive', MAIN] },
    { input: { key: NONE }, argv: ['sessions', 'archive', NONE], fails: 'session_not_found' },
  ],
  sessions_delete: [
    { input: { key: MAIN }, argv: ['sessions', 'delete', MAIN] },
    { input: { key: NONE }, argv: ['sessions', 'delete', NONE], fails: 'session_not_found' },
  ],
  sessions_current: [
    { input: { key: MAIN }, argv: ['sessions', 'current', MAIN] },
    { input: { key: NONE }, argv: ['sessions', 'current', NONE], fails: 'session_not_found' },
  ],
  sync: [
    { input: {}, argv: ['sync'] },
    { input: { sources: ['cluade-code'] }, argv: ['sync', '--source', 'cluade-code'], fails: 'source_unknown' },
  ],
  sources_list: [
    { input: {}, argv: ['sources'] },
    { input: { all: true }, fails: 'invalid_argument' },
  ],
  stats: [
    { input: {}, argv: ['stats'] },
    { input: { scope: 'everything' }, argv: ['stats', '--scope', 'everything'], fails: 'invalid_argument' },
  ],
  doctor: [
    { input: {}, argv: ['doctor'] },
    { input: { fix: 'please' }, fails: 'invalid_argument' },
  ],
  explain: [
    { input: { session: MAIN, agentId: 'lab' }, argv: ['explain', MAIN, '--agent', 'lab'] },
    { input: { session: MAIN, agentId: 'No!' }, argv: ['explain', MAIN, '--agent', 'No!'], fails: 'caller_invalid' },
  ],
  runs_search: [
    {
      input: { folder: '$folder', agent: 'Alice', query: 'orchard' },
      argv: ['runs', 'search', '$folder', 'Alice', 'orchard'],
      libraryOnly: true,
    },
    {
      input: { folder: '$folder', agent: '[', query: 'orchard' },
      argv: ['runs', 'search', '$folder', '[', 'orchard'],
      fails: 'invalid_argument',
      libraryOnly: true,
    },
  ],
  search: [
    { input: { query: 'harbour' }, argv: ['search', 'harbour', '--everything', '--no-sync'] },
    { input: { query: '""' }, argv: ['search', '""', '--everything', '--no-sync'], fails: 'query_empty' },
  ],
  recall: [
    { input: { query: 'orchard' }, argv: ['memory', 'recall', 'orchard', ...SCOPE] },
    { input: { limit: 101 }, argv: ['memory', 'recall', '--limit', '101', ...SCOPE], fails: 'invalid_argument' },
  ],
  remember: [
    { input: { data: { event: 'a fence was built' } }, argv: ['memory', 'remember', 'a fence was built', ...SCOPE] },
    {
      input: { confidence: 2, data: {} },
      argv: ['memory', 'remember', 'x', '--confidence', '2', ...SCOPE],
      fails: 'invalid_argument',
    },
  ],
  memory_timeline: [
    { input: { bucket: 'day' }, argv: ['memory', 'timeline', '--bucket', 'day', ...SCOPE] },
    { input: { since: 'never' }, argv: ['memory', 'timeline', '--since', 'never', ...SCOPE], fails: 'time_invalid' },
  ],
  memory_list: [
    { input: {}, argv: ['memory', 'list'] },
    { input: { status: 'lost' }, argv: ['memory', 'list', '--status', 'lost'], fails: 'invalid_argument' },
  ],
  memory_inspect: [
    { input: { id: '$record' }, argv: ['memory', 'inspect', '$record'] },
    { input: { id: 'mem_none' }, argv: ['memory', 'inspect', 'mem_none'], fails: 'record_not_found' },
  ],
  memory_approve: [
    { input: { id: '$record' }, argv: ['memory', 'approve', '$record'] },
    { input: { id: 'mem_none' }, fails: 'record_not_found' },
  ],
  memory_reject: [{ input: { id: '$record' } }, { input: { id: 'mem_none' }, fails: 'record_not_found' }],
  memory_forget: [{ input: { id: '$record' } }, { input: { id: 'mem_none' }, fails: 'record_not_found' }],
  export: [
    { input: { agent: 'desk', out: '$out' }, argv: ['export', '--agent', 'desk', '--out', '$out'], libraryOnly: true },
    { input: { agent: 'No!' }, argv: ['export', '--agent', 'No!'], fails: 'invalid_argument', libraryOnly: true },
  ],
  import_archive: [
    { input: { file: '$archive' }, argv: ['import-archive', '$archive'], libraryOnly: true },
    { input: { file: '$folder' }, argv: ['import-archive', '$folder'], fails: 'archive_invalid', libraryOnly: true },
  ],
  memory_prune: [
    { input: { dryRun: true }, argv: ['memory', 'prune', '--dry-run'] },
    { input: { olderThan: 'old' }, argv: ['memory', 'prune', '--older-than', 'old'], fails: 'time_invalid' },
  ],
  memory_consolidate: [
    { input: { dryRun: true }, argv: ['memory', 'consolidate', '--dry-run'] },
    { input: { dryRun: 'yes' }, fails: 'invalid_argument' },
  ],
  memory_reflect: [
    { input: { dryRun: true }, argv: ['memory', 'reflect', '--dry-run'] },
    { input: { dryRun: 'yes' }, fails: 'invalid_argument' },
  ],
  erase: [
    { input: { session: MAIN, dryRun: true }, argv: ['erase', '--session', MAIN, '--dry-run'] },
    {
      input: { session: MAIN, thread: 't' },
      argv: ['erase', '--session', MAIN, '--thread', 't', '--yes'],
      fails: 'invalid_argument',
    },
  ],
};
