// Operation: find messages by their exact words (sessions.md §5).
import { SEARCHED_ROLES, SESSION_KINDS } from '../model/session.ts';
import type { SearchParams, SearchResult } from './face.ts';
import { defineOperation, type Operation } from './operation.ts';
import * as shared from './shared-parameters.ts';

export const sessionsSearch: Operation<SearchParams, SearchResult> = defineOperation<SearchParams, SearchResult>({
  name: 'sessions_search',
  summary: 'Find messages in transcripts by their words.',
  description:
    'Finds exact words or phrases in raw transcripts. Words must all occur; "quoted words" are a phrase; -word excludes; ' +
    'word* is a prefix; OR between alternatives. Pass the session key, session id and message id of a hit together to ' +
    'sessions_history to reopen it. For durable memory use recall.',
  who: 'anyone',
  readOnly: true,
  spec: 'sessions.md §5',
  parameters: {
    query: { type: 'text', secret: true, required: true, summary: 'What to look for, 1 to 4 096 characters.' },
    session: { ...shared.session, summary: `Only this session. ${shared.session.summary}` },
    agents: shared.agents,
    kinds: shared.kinds,
    excludeKinds: { type: 'choices', of: SESSION_KINDS, summary: 'No sessions of these kinds.' },
    roles: {
      type: 'choices',
      of: SEARCHED_ROLES,
      standard: 'user, assistant, and what include names',
      summary: 'Only texts of these roles; tool and thinking come with include.',
    },
    since: shared.since,
    until: shared.until,
    source: shared.source,
    project: shared.project,
    nativeKey: shared.nativeKey,
    archived: shared.archived,
    include: {
      type: 'choices',
      of: ['tools', 'thinking'],
      standard: 'none',
      summary: 'Also what tools gave back, or reasoning, as far as the setting sessions.index.extra indexes them.',
    },
    sort: {
      type: 'choice',
      of: ['relevance', 'newest', 'oldest'],
      standard: 'relevance',
      summary: 'The order of the hits.',
    },
    exact: { type: 'boolean', standard: 'false', summary: 'Never relax the query when it finds nothing.' },
    regex: {
      type: 'boolean',
      standard: 'false',
      summary: 'The query is one regular expression (RE2 syntax), tried on each line of a message.',
    },
    ignoreCase: { type: 'boolean', standard: 'true', summary: 'Whether a regular expression ignores letter case.' },
    budgetMs: {
      type: 'integer',
      min: 1,
      max: 60_000,
      standard: '1 000',
      operatorOnly: true,
      summary: 'How many milliseconds a regular expression may look; the cursor goes on from there.',
    },
    group: {
      type: 'choice',
      of: ['none', 'session'],
      standard: 'none',
      summary: 'session: one hit per session, with the number of its matches.',
    },
    perSession: { type: 'integer', min: 1, max: 25, summary: 'At most this many hits of one session.' },
    limit: { type: 'integer', min: 1, max: 25, operatorMax: 500, standard: '10', summary: 'Hits on one page.' },
    cursor: shared.cursor,
    scope: shared.scope,
    waitMs: shared.waitMs,
    explain: { type: 'boolean', standard: 'false', summary: 'Add how the query was read, and what it was ranked by.' },
  },
  examples: [
    { title: 'Two words', input: { query: 'checkout slow' } },
    {
      title: 'A phrase of the last week, newest first',
      input: { query: '"rate limit"', since: '-7d', sort: 'newest' },
    },
    { title: 'One agent, one project', input: { query: 'migration', agents: ['codex'], project: '/src/shop' } },
  ],
  run: (backstory, caller, input) => backstory.sessions.search(caller, input),
});
