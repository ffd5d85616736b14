// Several maskers as one, left to right (MASK-8).
import { fingerprintOf } from './fingerprint.ts';
import type { Masker } from './masker.ts';
import { type Noted, type Sectioned, sectioned, sectionedOf } from './sections.ts';

// What a later masker hides may be a border for an earlier one; texts that were not made for it settle in the second round.
const MAX_ROUNDS = 4;
/** Between the states of the parts: none of ours holds it. */
const SEPARATOR = '|';

export function composed(maskers: readonly Masker[], off: Masker): Masker {
  const parts = maskers.filter((masker) => masker !== off);
  if (parts.length === 0) return off;
  if (parts.length === 1) return parts[0]!;
  const fingerprint = fingerprintOf('compose', ...parts.map((part) => part.fingerprint));
  const ours = parts.map(sectionedOf);
  if (ours.every((part) => part !== undefined)) return sectioned(fingerprint, together(ours));
  const mask = (text: string): string => parts.reduce((masked, part) => part.mask(masked), text);
  if (!parts.every((part) => part.maskPart)) return { fingerprint, mask };
  // A host's masker with parts of its own: it gets the sections of ours as units that go on (`last` is the unit's end).
  return sectioned(fingerprint, together(parts.map((part, index) => ours[index] ?? foreign(part))));
}

function together(parts: readonly Sectioned[]): Sectioned {
  const once = (text: string, note?: Noted): string =>
    parts.reduce((masked, part) => (part.once ?? part.mask)(masked, note), text);
  const isOurs = parts.every((part) => !foreignParts.has(part));
  const settled = (text: string, note?: Noted): string => {
    let masked = once(text, note);
    if (!isOurs || masked === text) return masked;
    for (let round = 1; round < MAX_ROUNDS; round++) {
      const before = masked;
      masked = once(before, note);
      if (masked === before) break;
    }
    return masked;
  };
  return {
    mask: settled,
    section(text, state, note) {
      const states = state === '' ? [] : state.split(SEPARATOR);
      let masked = text;
      const next = parts.map((part, index) => {
        if (!part.section) {
          masked = (part.once ?? part.mask)(masked, note);
          return '';
        }
        const given = part.section(masked, states[index] ?? '', note);
        masked = given.text;
        return given.state;
      });
      if (isOurs && masked !== text) masked = settled(masked, note);
      return { text: masked, state: next.every((one) => one === '') ? '' : next.join(SEPARATOR) };
    },
    safeEnds(window) {
      const all = parts.flatMap((part) => part.safeEnds?.(window) ?? []);
      return (at) => all.every((isSafe) => isSafe(at));
    },
  };
}

const foreignParts = new WeakSet<Sectioned>();

/** What it holds back at a section's end cannot be kept for it: there the section is masked as if the unit ended. */
function foreign(masker: Masker): Sectioned {
  const part: Sectioned = {
    mask: (text) => masker.mask(text),
    section(text, state) {
      const going = masker.maskPart!(text, state, false);
      if (going.held === 0 && !going.state.includes(SEPARATOR)) return { text: going.text, state: going.state };
      return { text: masker.maskPart!(text, state, true).text, state: '' };
    },
  };
  foreignParts.add(part);
  return part;
}
