// What makes two texts the same: the text by which echoes of the turn are left out and copies are given once (RUN-65 –
// RUN-67). Pure; which records are compared, and with what key, is the index's and the search's.
import { LINE_ENDS } from './line-ends.ts';

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
