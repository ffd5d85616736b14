// The receipt of an erasure for people, whichever command made it, and the exit code that it means (SUR-21, SUR-73).
import type { EraseReceipt } from '../../api/face.ts';
import { EXIT } from '../answer.ts';
import { bytesOf, count, counted } from './time.ts';

/** What exit code 3 means for bytes. */
export const PENDING = 'bytes are still to go: with the next write, or on PostgreSQL with a vacuum (docs/postgres.md).';

const FILES: Readonly<Record<EraseReceipt['verified']['file'], string>> = {
  absent: 'Looked for again: nothing is left in rows, index or files.',
  pending: `Rows and index are clear; ${PENDING}`,
  found: 'Something was found again in the files.',
};

export function renderReceipt(receipt: EraseReceipt): string {
  const kept = receipt.kept.length === 0 ? '' : `Kept: ${receipt.kept.join(', ')}.\n`;
  const verb = receipt.dryRun ? 'Would erase' : 'Erased';
  const file = receipt.dryRun ? '' : `${FILES[receipt.verified.file]}\n`;
  return `${verb} ${toldOf(receipt)}.\n${kept}${file}`;
}

/** 3 while bytes are still to go. */
export function exitOfReceipt({ dryRun, verified }: EraseReceipt): number {
  return !dryRun && verified.file === 'pending' ? EXIT.incomplete : EXIT.done;
}

const NOUNS: readonly (readonly [keyof EraseReceipt['deleted'], one: string, many: string])[] = [
  ['sessions', 'session', 'sessions'],
  ['entries', 'entry', 'entries'],
  ['records', 'record', 'records'],
  ['candidates', 'candidate', 'candidates'],
  ['derived', 'record made from them', 'records made from them'],
  ['parked', 'parked run', 'parked runs'],
  ['runIndexes', 'index of a run', 'indexes of a run'],
];

/** `2 sessions, 9 entries (1.2 KiB)`, or `nothing`. */
export function toldOf({ deleted, revived }: EraseReceipt): string {
  const parts = NOUNS.flatMap(([name, one, many]) => {
    const number = deleted[name];
    return number === 0 ? [] : [`${count(number)} ${number === 1 ? one : many}`];
  });
  if (parts.length === 0) return 'nothing';
  const again = revived === 0 ? '' : `; ${counted(revived, 'source')} active again`;
  return `${parts.join(', ')} (${bytesOf(deleted.bytes)})${again}`;
}
