// What a search says in words about its own answer: agents without sessions, a loosened query, an index in the making.
import type { ParsedQuery, Stage } from '../text/index.ts';
import type { Failed } from './page-snapshots.ts';

/** One text for an agent that does not exist and one of which nothing is visible (SES-85). */
export function absentAgents(asked: readonly string[], seen: ReadonlySet<string>, failed: readonly Failed[]): string[] {
  const absent = asked.filter((id) => !seen.has(id) && !failed.some(({ agentId }) => agentId === id));
  return absent.map((id) => `no visible session of agent ${id}`);
}

const LOOSENED: Readonly<Record<Stage, string>> = {
  prefix: 'No message holds the query as typed; the last word was taken as the beginning of a word.',
  words: 'No message holds the query as typed; its words were looked for apart from each other.',
  some: 'No message holds all words; each hit names the ones it lacks.',
};

export function loosenedWarning({ stage }: ParsedQuery): string[] {
  return stage === undefined ? [] : [LOOSENED[stage]];
}

export function staleWarning(sessions: number, none: boolean): string {
  const begin = none ? 'No match yet: ' : '';
  return `${begin}${sessions} ${sessions === 1 ? 'session is' : 'sessions are'} being indexed, so the answer may be incomplete. Search again in a moment.`;
}
