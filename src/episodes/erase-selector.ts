// What an erasure reaches, and how a run that was under way finds out that it did (EPI-130, EPI-135). Pure.
import { sha256, traceOf } from '../model/episode-ids.ts';
import { BackstoryError, nearest } from '../model/errors.ts';

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

/** Throws `invalid_argument` for none, several, or an empty value; nothing is erased by what was left out. */
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
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value).normalize('NFC')]));
}

/** Whether a namespace is reached by a selector of namespaces. A prefix ends at a delimiter only (EPI-16). */
export function reachesNamespace(selector: EraseSelector, name: string): boolean {
  if ('subject' in selector) {
    const values = dimensionsOf(name);
    return Object.entries(selector.subject).every(([dimension, value]) => values.get(dimension) === value);
  }
  if (!('namespace' in selector)) return false;
  return name === selector.namespace || (selector.withinPrefix === true && name.startsWith(`${selector.namespace}|`));
}

/** What is kept of an erasure: a digest, which tells nothing of the selector (EPI-135). 32 hex digits. */
export function barrierOf(selector: EraseSelector): string {
  if ('thread' in selector) return traceOf('thread', selector.thread);
  if ('run' in selector) return traceOf('run', selector.run);
  if ('namespace' in selector) return digestOf(selector.withinPrefix ? 'prefix' : 'namespace', selector.namespace);
  return subjectDigest(Object.entries(selector.subject));
}

/** The digests of every erasure that would reach a run: when one of them was noted after its start, it is not recorded. */
export function barriersFor(run: {
  readonly namespace: string;
  readonly threadId?: string | undefined;
  readonly runId?: string | undefined;
}): string[] {
  const parts = run.namespace.split('|');
  const prefixes = parts.map((_, index) => parts.slice(0, index + 1).join('|'));
  const values = dimensionsOf(run.namespace);
  const subject = SUBJECT_DIMENSIONS.flatMap((name): [string, string][] => {
    const value = values.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  return [
    digestOf('namespace', run.namespace),
    ...prefixes.map((prefix) => digestOf('prefix', prefix)),
    ...subsetsOf(subject).map(subjectDigest),
    ...(run.threadId === undefined ? [] : [traceOf('thread', run.threadId)]),
    ...(run.runId === undefined ? [] : [traceOf('run', run.runId)]),
  ];
}

// Values as they were before they were encoded into the name (EPI-11).
function dimensionsOf(namespace: string): ReadonlyMap<string, string> {
  const pairs = namespace.split('|').map((part): [string, string] => {
    const at = part.indexOf('=');
    return [part.slice(0, at), decoded(part.slice(at + 1))];
  });
  return new Map(pairs);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function subjectDigest(entries: readonly (readonly [string, string])[]): string {
  return digestOf('subject', ...[...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function subsetsOf<T>(items: readonly T[]): T[][] {
  const sets = items.reduce<T[][]>((all, item) => [...all, ...all.map((set) => [...set, item])], [[]]);
  return sets.filter((set) => set.length > 0);
}

function digestOf(...values: readonly unknown[]): string {
  return sha256(JSON.stringify(['erased', ...values])).slice(0, 32);
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
  return (JSON.stringify(value) ?? String(value)).slice(0, 80);
}
