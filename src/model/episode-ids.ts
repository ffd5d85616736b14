// Ids and digests of memory: what a run's record is called, and what erasing by thread, run or namespace finds it by.
import { createHash } from 'node:crypto';
import { RECORD_BOUNDS } from './episode.ts';

/** A thread or run id as it is stored: as given up to 256 characters, else its digest (EPI-7). */
export function storedId(id: string): string {
  return id.length <= RECORD_BOUNDS.id ? id : `sha256:${sha256(id)}`;
}

/** The id of the record of a run that has an id of its own (EPI-38). */
export function runRecordId(namespace: string, runId: string, attempt: number): string {
  return `ep_${sha256(JSON.stringify([namespace, 'run', runId, attempt])).slice(0, 32)}`;
}

/** What erasing a thread or a run reaches a record by, 32 hex digits. Takes the id as given or as stored. */
export function traceOf(sort: 'thread' | 'run', id: string): string {
  const name = `${sort}\0${id}`;
  const known = traces.get(name);
  if (known !== undefined) return known;
  const made = sha256(JSON.stringify([sort, storedId(id)])).slice(0, 32);
  // Asked several times for each record: a digest costs as much as an index page.
  if (traces.size >= MOST_TRACES) traces.clear();
  traces.set(name, made);
  return made;
}

const traces = new Map<string, string>();
const MOST_TRACES = 512;

/** The digest under which a fact's identity is unique within its namespace, 32 hex digits (EPI-106). */
export function identityDigest(canonical: string): string {
  return sha256(canonical).slice(0, 32);
}

/** The one string of a JSON value: keys sorted, strings in NFC. Throws for what is no JSON, such as a cycle. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(JSON.parse(JSON.stringify(value) ?? 'null')));
}

/** Canonical JSON with the strings as they are: for what is shown and not compared. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(sorted(JSON.parse(JSON.stringify(value) ?? 'null'), (text) => text));
}

function sorted(value: unknown, text: (text: string) => string = (one) => one.normalize('NFC')): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((each) => sorted(each, text));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, each]) => [text(key), sorted(each, text)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
