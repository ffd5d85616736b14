// Operation: why a caller sees a session, or does not (VIS-60).
import type { Explanation } from './face.ts';
import { defineOperation, type Operation } from './operation.ts';
import * as shared from './shared-parameters.ts';

export interface ExplainInput {
  readonly session: string;
  readonly agentId?: string;
  readonly sessionKey?: string;
  readonly sandboxed?: boolean;
  readonly person?: string;
  readonly operator?: boolean;
  readonly scope?: 'self' | 'tree' | 'agent' | 'all';
}

export const explain: Operation<ExplainInput, Explanation> = defineOperation<ExplainInput, Explanation>({
  name: 'explain',
  summary: 'Explain why a caller sees a session, or does not.',
  description:
    'Decides for one caller and one session, as every read does, and says which rule decided, with the settings and ' +
    'links that led there and the smallest change of settings that would flip it. The session need not exist.',
  who: 'operator',
  readOnly: true,
  spec: 'visibility.md §7',
  parameters: {
    session: { ...shared.session, required: true },
    agentId: { type: 'text', summary: "The caller's agent." },
    sessionKey: { type: 'text', summary: 'The session that the caller speaks in.' },
    sandboxed: { type: 'boolean', standard: 'false', summary: 'The caller runs in a sandbox.' },
    person: { type: 'text', summary: 'The person that the caller acts for.' },
    operator: { type: 'boolean', standard: 'false', summary: 'The caller is an operator.' },
    scope: shared.scope,
  },
  examples: [
    {
      title: 'Why desk does not see a session of home',
      input: { session: 'agent:home:main', agentId: 'desk', sessionKey: 'agent:desk:main' },
    },
  ],
  run: (backstory, asker, { session, scope, ...caller }) =>
    backstory.sessions.explain(asker, { caller, session, ...(scope === undefined ? {} : { scope }) }),
});
