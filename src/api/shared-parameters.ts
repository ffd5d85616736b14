// Parameters that several operations take, described once.
import { SESSION_KINDS } from '../model/session.ts';
import type { Parameter } from './parameters.ts';

export const agents: Parameter = { type: 'texts', maxItems: 200, summary: 'Only sessions of these agents.' };
export const kinds: Parameter = { type: 'choices', of: SESSION_KINDS, summary: 'Only sessions of these kinds.' };
export const since: Parameter = { type: 'time', summary: 'From this time on, inclusive.' };
export const until: Parameter = { type: 'time', summary: 'Before this time, exclusive.' };
export const source: Parameter = {
  type: 'text',
  summary: 'Only sessions read from this format, such as claude-code or codex.',
};
export const project: Parameter = {
  type: 'text',
  summary: 'Only sessions recorded in this folder or below it.',
};
export const nativeKey: Parameter = { type: 'text', summary: "Only sessions with this key in the host's own naming." };
export const archived: Parameter = {
  type: 'choice',
  of: ['include', 'exclude', 'only'],
  standard: 'include',
  summary: 'Whether archived sessions are included, excluded, or the only ones.',
};
export const session: Parameter = {
  type: 'text',
  summary: 'A session key, a session id, "current" (the caller\'s own) or "main" (its agent\'s main session).',
};
export const scope: Parameter = {
  type: 'choice',
  of: ['self', 'tree', 'agent', 'all'],
  standard: 'what may be seen',
  summary:
    "Narrows what is seen: the own session, it and its descendants, or the agent's own sessions. It never widens.",
};
export const cursor: Parameter = {
  type: 'text',
  summary: 'Goes on after the page that gave it, in coverage.cursor.',
};
export const waitMs: Parameter = {
  type: 'integer',
  min: 0,
  max: 30_000,
  standard: '150; on the command line 2 000',
  summary: 'How many milliseconds the answer may wait for files to be read and indexed.',
};

/** Of the host face. */
export const key: Parameter = { type: 'text', summary: 'The session key: agent:<agent>:….' };
export const currentWindow: Parameter = {
  type: 'text',
  summary: 'The window that must be the current one, by its session id.',
};
export const expectedLeaf: Parameter = {
  type: 'text',
  summary: 'The id of the entry that must be the newest: the write is refused when another came in between.',
};
