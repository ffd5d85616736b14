// What an erasure reaches, and what is noted of it for runs that are under way (EPI-130, EPI-135). Pure.
import { storedId } from '../model/episode-ids.ts';
import { BackstoryError, nearest, shownValue } from '../model/errors.ts';
import { barrierDigest, isWithinPrefix, normalValue, parseNamespace } from './namespace.ts';

/** Exactly one of them (EPI-130). */
export type EraseSelector =
  | { readonly namespace: string; readonly withinPrefix?: boolean }
  | { readonly subject: Subject }
  | { readonly thread: string }
  | { readonly run: string };

export interface Subject {
  readonly tenant?: string;
  readonly user?: string;
  readonly agent?: string;
}

const SELECTORS = ['namespace', 'subject', 'thread', 'run'] as const;
const SUBJECT_DIMENSIONS = ['tenant', 'user', 'agent'] as const;

/** Throws `invalid_argument` for none, several, or an empty value, and `namespace_invalid`; what was left out erases nothing. */
export function readSelector(given: unknown): EraseSelector {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw refused('It is no object.');
  const values = given as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(values)) {
    if (name === 'withinPrefix' || (SELECTORS as readonly string[]).includes(name)) continue;
    const near = nearest(name, SELECTORS);
    throw refused(`There is no selector ${shown(name)}${near === undefined ? '.' : `: did you mean ${near}?`}`);
  }
  const named = SELECTORS.filter((name) => values[name] !== undefined);
  if (named.length !== 1)
    throw refused(named.length === 0 ? 'None was given.' : `There are several: ${named.join(', ')}.`);
  const [name] = named;
  if (values.withinPrefix !== undefined && (name !== 'namespace' || typeof values.withinPrefix !== 'boolean')) {
    throw refused('withinPrefix is true or false, and stands beside namespace only.');
  }
  if (name === 'subject') return { subject: readSubject(values.subject) };
  const value = values[name!];
  if (typeof value !== 'string' || value === '') throw refused(`${name} is ${shown(value)}, not a text.`);
  if (name === 'thread') return { thread: value };
  if (name === 'run') return { run: value };
  parseNamespace(value);
  return { namespace: value, ...(values.withinPrefix === true ? { withinPrefix: true } : {}) };
}

function readSubject(given: unknown): Subject {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw refused('subject is no object.');
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  if (entries.length === 0) throw refused('subject names no dimension.');
  for (const [name, value] of entries) {
    if (!(SUBJECT_DIMENSIONS as readonly string[]).includes(name)) {
      throw refused(`subject has no dimension ${shown(name)}; it has ${SUBJECT_DIMENSIONS.join(', ')}.`);
    }
    if (typeof value !== 'string' || value === '') throw refused(`subject.${name} is ${shown(value)}, not a text.`);
  }
  return Object.fromEntries(entries.map(([name, value]) => [name, normalValue(String(value))]));
}

/** Whether a namespace is reached by a selector of namespaces. A prefix ends at a delimiter only (EPI-16). */
export function reachesNamespace(selector: EraseSelector, name: string): boolean {
  if ('subject' in selector) {
    const scope = parseNamespace(name);
    return Object.entries(selector.subject).every(([dimension, value]) => scope[dimension as keyof Subject] === value);
  }
  if (!('namespace' in selector)) return false;
  return selector.withinPrefix ? isWithinPrefix(name, selector.namespace) : name === selector.namespace;
}

/** What is kept of an erasure: a digest that tells the selector again without keeping it (EPI-135). */
export function barrierOf(selector: EraseSelector): string {
  if ('thread' in selector) return barrierDigest({ thread: storedId(selector.thread) });
  if ('run' in selector) return barrierDigest({ run: storedId(selector.run) });
  return barrierDigest(selector);
}

function refused(why: string): BackstoryError {
  return new BackstoryError(
    'invalid_argument',
    `An erasure takes exactly one selector. ${why}`,
    `Give one of: ${SELECTORS.join(', ')}; each with a value.`,
    { details: { parameter: 'selector', allowed: SELECTORS } },
  );
}

function shown(value: unknown): string {
  return shownValue(value, 80);
}
