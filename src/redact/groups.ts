// What hides only when it is asked for: cards, IBANs, e-mail addresses, phone numbers (MASK-39), and what looks random
// (MASK-27). Each has a marker of its own.
import type { Hits } from './hints.ts';
import type { Range } from './ranges.ts';

export interface Group {
  readonly name: 'cards' | 'iban' | 'emails' | 'phones' | 'entropy';
  readonly marker: string;
  find(text: string): Range[];
}

export const GROUPS: readonly Group[] = [
  { name: 'cards', marker: 'card', find: findCards },
  { name: 'iban', marker: 'iban', find: findIbans },
  { name: 'emails', marker: 'email', find: findEmails },
  { name: 'phones', marker: 'phone', find: findPhones },
  { name: 'entropy', marker: 'credential', find: findRandom },
];

export type GroupHits = Hits;

const CARD = /(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])/g;
const ISSUER =
  /^(?:4|5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720|3[47]|30[0-5]|36|38|39|6011|64[4-9]|65|35|62|50|5[6-9])/;

function findCards(text: string): Range[] {
  return matches(text, CARD, 'cards', (value) => {
    const digits = value.replace(/\D/g, '');
    return ISSUER.test(digits) && passesLuhn(digits);
  });
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

const IBAN = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])/g;

function findIbans(text: string): Range[] {
  return matches(text, IBAN, 'iban', (value) => {
    const compact = value.replaceAll(' ', '');
    if (compact.length < 15 || compact.length > 34) return false;
    let rest = 0;
    for (const unit of compact.slice(4) + compact.slice(0, 4)) {
      const number = Number.parseInt(unit, 36);
      rest = (rest * (number > 9 ? 100 : 10) + number) % 97;
    }
    return rest === 1;
  });
}

const EMAIL = /(?<![\w.%+-])[A-Za-z0-9][\w.%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])/g;

function findEmails(text: string): Range[] {
  return text.includes('@') ? matches(text, EMAIL, 'emails', () => true) : [];
}

const PHONE =
  /(?<![\w.+-])(?:\+\d(?:[ ().-]{0,2}\d){7,14}|\(\d{3}\) ?\d{3}[ .-]\d{4}|\d{3}[.-]\d{3}[.-]\d{4})(?![\w-])/g;

function findPhones(text: string): Range[] {
  return matches(text, PHONE, 'phones', (value) => {
    const count = value.replace(/\D/g, '').length;
    return count >= 8 && count <= 15;
  });
}

const RUN = /[A-Za-z0-9+/=_-]{32,}/g;
const WINDOW = 32;
/** Bits per unit. Hexadecimal never reaches it: commit ids and checksums stay. */
const RANDOM = 4.2;

/** Windows of 32 units, so that padding does not dilute what is random. */
function findRandom(text: string): Range[] {
  const found: Range[] = [];
  for (const match of text.matchAll(RUN)) {
    const run = match[0];
    let end = -1;
    for (let at = 0; at + WINDOW <= run.length; at += 8) {
      const window = run.slice(at, at + WINDOW);
      if (!/\d/.test(window) || !/[A-Z]/.test(window) || !/[a-z]/.test(window) || entropyOf(window) < RANDOM) continue;
      const start = match.index + (at === 0 || end === -1 ? at : at);
      end = match.index + at + WINDOW;
      found.push({ start, end, rule: 'entropy' });
    }
    // Not a few units of the run are left beside what is hidden.
    const last = found[found.length - 1];
    if (end !== -1 && last) found.push({ start: match.index, end: match.index + run.length, rule: 'entropy' });
  }
  return found;
}

function entropyOf(window: string): number {
  const counts = new Map<string, number>();
  for (const unit of window) counts.set(unit, (counts.get(unit) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / WINDOW) * Math.log2(count / WINDOW);
  return bits;
}

function matches(text: string, pattern: RegExp, rule: string, is: (value: string) => boolean): Range[] {
  const found: Range[] = [];
  for (const match of text.matchAll(pattern)) {
    if (is(match[0])) found.push({ start: match.index, end: match.index + match[0].length, rule });
  }
  return found;
}
