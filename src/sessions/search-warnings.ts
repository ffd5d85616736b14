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

/** Nothing found for several words: which of them are nowhere, and how common the others are (COM-30). */
export function absentWords(query: ParsedQuery, frequencies: readonly number[], found: number): string[] {
  if (found > 0 || query.clauses.length < 2) return [];
  const names = query.clauses.map(({ anyOf }) => anyOf.map(({ typed }) => JSON.stringify(typed)).join(' OR '));
  const absent = names.filter((_, index) => frequencies[index] === 0);
  const present = names.flatMap((name, index) => (frequencies[index]! > 0 ? [`${name} in ${frequencies[index]}`] : []));
  if (absent.length === 0) return ['Each of the words is in some message, but no message holds them together.'];
  return [
    `In no message: ${absent.join(', ')}.${present.length === 0 ? '' : ` Messages with ${present.join(', with ')}.`}`,
  ];
}
