// Operation: sessions in scope, newest activity first (SES-130).
import type { ListParams, ListResult } from './face.ts';
import { defineOperation, type Operation } from './operation.ts';
import * as shared from './shared-parameters.ts';

export const sessionsList: Operation<ListParams, ListResult> = defineOperation<ListParams, ListResult>({
  name: 'sessions_list',
  summary: 'List sessions, newest activity first.',
  description: 'Lists the sessions the caller may see, newest activity first. Reads no message.',
  who: 'anyone',
  readOnly: true,
  spec: 'sessions.md §7',
  parameters: {
    agents: shared.agents,
    kinds: shared.kinds,
    archived: shared.archived,
    since: { ...shared.since, summary: 'Last active at this time or later.' },
    until: { ...shared.until, summary: 'Last active before this time.' },
    spawnedBy: { type: 'text', summary: 'Only sessions that this session key started.' },
    source: shared.source,
    project: shared.project,
    nativeKey: shared.nativeKey,
    limit: { type: 'integer', min: 1, max: 200, standard: '50', summary: 'Sessions on one page.' },
    cursor: shared.cursor,
    scope: shared.scope,
  },
  examples: [
    { title: 'Everything of today', input: { since: 'today' } },
    { title: 'What one agent did in a project', input: { agents: ['claude-code'], project: '/src/shop' } },
  ],
  run: (backstory, caller, input) => backstory.sessions.list(caller, input),
});
