// Finds many exact texts in one pass: a rolling hash over the first units of all, then one look-up (MASK-50). Ten thousand
// texts cost what one costs, but for the places where one of them begins.

export interface FoundText {
  readonly start: number;
  readonly end: number;
  readonly more: number;
}

export type FindTexts = (text: string) => FoundText[];

const MOST_UNITS = 8;
const FACTOR = 0x9e3779b1 | 0;
const BITS = 21;

/** Texts of four and more units. `more` is handed through. */
export function textFinder(texts: readonly { readonly text: string; readonly more: number }[]): FindTexts {
  const size = Math.min(MOST_UNITS, ...texts.map(({ text }) => text.length));
  // By their first units: by length, longest first, so that one look-up per length decides.
  const heads = new Map<string, Map<number, Map<string, number>>>();
  const gate = new Uint32Array(1 << (BITS - 5));
  for (const { text, more } of texts) {
    const head = text.slice(0, size);
    const lengths = heads.get(head) ?? new Map<number, Map<string, number>>();
    const ofLength = lengths.get(text.length) ?? new Map<string, number>();
    heads.set(head, lengths.set(text.length, ofLength.set(text, more)));
    let hash = 0;
    for (let at = 0; at < size; at++) hash = (Math.imul(hash, FACTOR) + text.charCodeAt(at)) | 0;
    const bit = mixed(hash) >>> (32 - BITS);
    gate[bit >> 5]! |= 1 << (bit & 31);
  }
  for (const [head, lengths] of heads) heads.set(head, new Map([...lengths].sort(([a], [b]) => b - a)));
  let leaving = 1;
  for (let at = 0; at < size; at++) leaving = Math.imul(leaving, FACTOR);

  return (text) => {
    const found: FoundText[] = [];
    let hash = 0;
    for (let at = 0; at < text.length; at++) {
      hash = (Math.imul(hash, FACTOR) + text.charCodeAt(at)) | 0;
      if (at >= size) hash = (hash - Math.imul(leaving, text.charCodeAt(at - size))) | 0;
      if (at < size - 1) continue;
      const bit = mixed(hash) >>> (32 - BITS);
      if ((gate[bit >> 5]! & (1 << (bit & 31))) === 0) continue;
      const start = at - size + 1;
      const lengths = heads.get(text.slice(start, at + 1));
      if (!lengths) continue;
      for (const [length, ofLength] of lengths) {
        const more = ofLength.get(text.slice(start, start + length));
        if (more === undefined) continue;
        found.push({ start, end: start + length, more });
        break;
      }
    }
    return found;
  };
}

/** The high bits of the rolling hash say little of the last units. */
function mixed(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
}
