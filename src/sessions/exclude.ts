// Rules for what is never read, and is deleted where it had been (SRC-52).
import { BackstoryError } from '../model/errors.ts';

export interface ExcludeRule {
  readonly source?: string;
  readonly project?: string;
  readonly path?: string;
  readonly session?: string;
  readonly since?: number;
  readonly until?: number;
}

export interface Excludable {
  readonly source: string;
  readonly path: string;
  readonly session: string;
  readonly project?: string | undefined;
  readonly lastAt?: number | undefined;
}

type Test = (file: Excludable) => boolean;

/**
 * The number (from 1) of the first rule that matches, or undefined. All fields a rule gives must match; a rule that
 * needs what is not known yet (the project of a file never read) does not match. Throws `exclude_invalid`.
 */
export function excluderOf(rules: readonly ExcludeRule[]): (file: Excludable) => number | undefined {
  const tests = rules.map((rule, index) => testOf(rule, index + 1));
  return (file) => {
    const at = tests.findIndex((test) => test(file));
    return at < 0 ? undefined : at + 1;
  };
}

function testOf(rule: ExcludeRule, number: number): Test {
  const tests: Test[] = [];
  if (rule.source !== undefined) tests.push((file) => file.source === rule.source);
  const glob = (name: 'project' | 'path' | 'session'): void => {
    const pattern = rule[name];
    if (pattern === undefined) return;
    if (pattern.trim() === '') throw invalid(number, `its ${name} is empty`);
    const expression = globExpression(pattern);
    tests.push((file) => file[name] !== undefined && expression.test(file[name].replaceAll('\\', '/')));
  };
  glob('project');
  glob('path');
  glob('session');
  const { since, until } = rule;
  if (since !== undefined) tests.push((file) => file.lastAt !== undefined && file.lastAt >= since);
  if (until !== undefined) tests.push((file) => file.lastAt !== undefined && file.lastAt < until);
  if (tests.length === 0) throw invalid(number, 'it has no field');
  return (file) => tests.every((test) => test(file));
}

/** `*` within a segment, `**` over segments, `?` one character; matched whole. */
function globExpression(pattern: string): RegExp {
  let source = '';
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index]!;
    if (character === '*' && pattern[index + 1] === '*') {
      // `/a/**` is `/a` itself and everything below it.
      const below = source.endsWith('/') && index + 2 >= pattern.length;
      source = below ? `${source.slice(0, -1)}(?:/.*)?` : `${source}.*`;
      index += pattern[index + 2] === '/' ? 2 : 1;
    } else if (character === '*') source += '[^/]*';
    else if (character === '?') source += '[^/]';
    else source += character.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  }
  return new RegExp(`^${source}$`, 'su');
}

function invalid(number: number, what: string): BackstoryError {
  return new BackstoryError(
    'exclude_invalid',
    `Exclude rule ${number} is not valid: ${what}.`,
    'A rule has at least one of source, project, path, session, since, until; globs use *, ** and ?.',
  );
}
