// Where a text may be cut: never within a surrogate pair, a combining or emoji sequence, or a mask marker (TXT-54, RUN-57).

const MARKER = /\[hidden:[a-z][a-z0-9-]{0,31}\]/g;
// A marker holds 41 units at most.
const MARKER_REACH = 45;
const MAX_SEQUENCE = 32;
// Letters of flags in a row that are counted; even, so that more of them change nothing in whole flags.
const MAX_FLAGS = 4_096;
// biome-ignore lint/suspicious/noMisleadingCharacterClass: these are the joining code points themselves
const CONTINUES = /^[\p{M}\u200d\ufe0f\u{1f3fb}-\u{1f3ff}]/u;
const FLAG = /^[\u{1f1e6}-\u{1f1ff}]/u;

/** A cut near `at`, moved by `step`, but not beyond `limit` for a sequence of characters. */
export function safeCut(text: string, at: number, step: 1 | -1, limit: number): number {
  let cut = at;
  for (let moved = 0; moved < MAX_SEQUENCE && cut !== limit && splitsSequence(text, cut); moved++) cut += step;
  if (splitsPair(text, cut)) cut += step;
  const from = Math.max(0, cut - MARKER_REACH);
  for (const marker of text.slice(from, cut + MARKER_REACH).matchAll(MARKER)) {
    const start = from + marker.index;
    const end = start + marker[0].length;
    if (cut > start && cut < end) return step === 1 ? end : start;
  }
  return cut;
}

function splitsSequence(text: string, cut: number): boolean {
  if (cut <= 0 || cut >= text.length) return false;
  if (splitsPair(text, cut)) return true;
  const next = text.slice(cut, cut + 2);
  return text.charCodeAt(cut - 1) === 0x200d || CONTINUES.test(next) || (FLAG.test(next) && splitsFlag(text, cut));
}

// Flags are pairs of letters, so an odd number of them before the cut leaves one without its other half.
function splitsFlag(text: string, cut: number): boolean {
  let before = 0;
  while (before < MAX_FLAGS && FLAG.test(text.slice(cut - 2 * before - 2, cut - 2 * before))) before++;
  return before % 2 === 1;
}

function splitsPair(text: string, cut: number): boolean {
  const before = text.charCodeAt(cut - 1);
  const after = text.charCodeAt(cut);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
