// Says what a masker hid, by which rule and on which line, and never the value (MASK-53).
import type { Masker } from './masker.ts';
import { type HiddenNote, sectionedOf } from './sections.ts';

/** One thing that was hidden. */
export interface Hidden {
  /** From 1. */
  readonly line: number;
  readonly marker: string;
  readonly rule: string;
}

export interface Explained {
  readonly text: string;
  /** By line; for a host's own masker empty, since it does not tell. */
  readonly hidden: readonly Hidden[];
}

/** Masks a whole text. */
export function explainMask(masker: Masker, text: string): Explained {
  const ours = sectionedOf(masker);
  if (!ours) return { text: masker.mask(text), hidden: [] };
  const hidden: Hidden[] = [];
  const lineOf = lineCounter();
  const note = ({ rule, marker, at, text: shown }: HiddenNote): void => {
    hidden.push({ line: lineOf(shown, at), marker, rule });
  };
  const masked = ours.mask(text, note);
  return { text: masked, hidden: hidden.sort((a, b) => a.line - b.line) };
}

/** How often each rule hid something, most often first. */
export function countByRule(hidden: readonly Hidden[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { rule } of hidden) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
}

/** Line feeds stay where they are (MASK-6), so a line of any pass's text is that line of the text. */
function lineCounter(): (text: string, at: number) => number {
  let [known, behind, line] = ['', 0, 1];
  return (text, at) => {
    if (text !== known || at < behind) [known, behind, line] = [text, 0, 1];
    for (let next = text.indexOf('\n', behind); next !== -1 && next < at; next = text.indexOf('\n', next + 1)) {
      line++;
      behind = next + 1;
    }
    behind = Math.max(behind, Math.min(at, text.length));
    return line;
  };
}
