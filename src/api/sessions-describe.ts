// Operation: one session with its windows, links and the command that continues it (SES-131).
import type { DescribeParams, DescribeResult } from './face.ts';
import { defineOperation, type Operation } from './operation.ts';
import * as shared from './shared-parameters.ts';

export const sessionsDescribe: Operation<DescribeParams, DescribeResult> = defineOperation<
  DescribeParams,
  DescribeResult
>({
  name: 'sessions_describe',
  summary: 'Describe one session: windows, links, and how to continue it.',
  description:
    'One row of sessions_list with the windows of the session, the links that the caller may see, the state of its ' +
    'index, and the command that continues it in its own agent.',
  who: 'anyone',
  readOnly: true,
  spec: 'sessions.md §7',
  parameters: { session: { ...shared.session, required: true }, scope: shared.scope },
  examples: [{ title: 'By its key', input: { session: 'agent:codex:0199-aa' } }],
  run: (backstory, caller, input) => backstory.sessions.describe(caller, input),
});
