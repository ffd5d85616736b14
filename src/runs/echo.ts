// What makes two texts the same, and what follows from it: echoes of the turn are left out, copies are given once
// (RUN-65 – RUN-67). Pure: who may see what was decided before, per request.
import { createHash } from 'node:crypto';
import { LINE_ENDS } from './line-ends.ts';
import type { Reading } from './reading.ts';

/** The kinds of readings that can be found. */
export type EvidenceKind = Exclude<Reading['kind'], 'leftOut'>;

/**
 * The compared text of a reading or of the turn message. `text` went through the retriever's masker and `sanitize`.
 * Every line end that our writer turns into `\n` is one here too: a turn with U+2028 is recorded with `\n` (RUN-7).
 */
export function comparedText(text: string): string {
  return text
    .replace(LINE_ENDS, '\n')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim()
    .normalize('NFC');
}

/**
 * True for a told reading that is the turn message itself (RUN-65). Said readings and notes with the same text are none,
 * and a part of the turn message is not the turn message. Both texts are `comparedText`; `turn` undefined: no turn given.
 */
export function isEcho(kind: EvidenceKind, compared: string, turn: string | undefined): boolean {
  return kind === 'told' && turn !== undefined && compared === turn;
}

/** Equal for copies: kind and compared text are equal, whatever the header says (RUN-66). 32 hex digits. */
export function copyKey(kind: EvidenceKind, compared: string): string {
  return createHash('sha256').update(`${kind}\n`).update(compared).digest('hex').slice(0, 32);
}

/** One record out of several that say the same. */
export interface Copies<T> {
  readonly given: T;
  /** In the order they came in. */
  readonly others: readonly T[];
}

/**
 * Visible records in the order of RUN-61, each with its `copyKey` → each text once, in that order, its first record
 * given. Called per request: a hidden copy is not among `records` and cannot displace a visible one (RUN-67).
 */
export function foldCopies<T>(records: Iterable<T>, keyOf: (record: T) => string): Copies<T>[] {
  const groups = new Map<string, { given: T; others: T[] }>();
  for (const record of records) {
    const key = keyOf(record);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { given: record, others: [] });
    else group.others.push(record);
  }
  return [...groups.values()];
}
