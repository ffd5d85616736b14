// What a text must hold so that an expression can match it (TXT-40): read from the expression's own syntax, and too little
// rather than too much. The engine decides; this only saves looking. The expression is known to be valid.
import type { Clause, Term } from './query.ts';
import type { QueryToken } from './query-tokens.ts';

/** Any of these strings, in lower case, where `EDGE` stands for a place with no letter or digit on one of its sides. */
export type Required = readonly string[];

// At an end of a line nothing stands beside; at `\b` a mask marker's name or an accented letter may.
const LINE_EDGE = '\x01';
const WORD_EDGE = '\x02';
const EDGES = /[\x01\x02]/g;
const MIN_LITERAL = 3;
const MAX_BRANCHES = 16;
const MAX_WORD = 60;

/** Every one must occur. Empty when nothing is known. */
export function requiredLiterals(typed: string): Required[] {
  return new Reader(typed).read().filter((anyOf) => anyOf.every((one) => bare(one).length >= MIN_LITERAL));
}

/** What to look for in the lower-cased text before the engine runs. */
export function needlesOf(required: readonly Required[]): string[][] {
  return required.flatMap((anyOf) => {
    const needles = anyOf.map((one) => longest(one.split(EDGES).filter((part) => /^[\x20-\x7e]*$/.test(part))));
    return needles.every((needle) => needle.length >= MIN_LITERAL) ? [needles] : [];
  });
}

/**
 * Clauses of which the index finds every text that may match: whole words, and beginnings of words, that have a border in
 * the literal itself. A literal in the middle of a word is in no index.
 */
export function indexClauses(required: readonly Required[]): Clause[] {
  return required.flatMap((anyOf) => {
    const terms = anyOf.map(termsOf);
    return terms.every((some) => some.length > 0) ? [{ anyOf: terms.flat() }] : [];
  });
}

function longest(parts: readonly string[]): string {
  return parts.reduce((best, part) => (part.length > best.length ? part : best), '');
}

function bare(literal: string): string {
  return literal.replace(EDGES, '');
}

// Behind one of these begins a word that is in no mask marker; `'`, `_`, `-`, `:` and brackets do not tell.
const BEFORE = '\\x01\\s.,;/\\\\()<>{}="!?@$%^&*|~`';
const WORD = new RegExp(`(?<=[${BEFORE}\\x02])([a-z0-9][a-z0-9_]*)(?=([^'_\\x80-\\uffff])?)`, 'g');
const IDEOGRAPHS = /[\u4e00-\u9fff]{2,}/g;

/** The longest word that the index finds wherever the literal stands; none when there is no such word. */
function termsOf(literal: string): Term[] {
  let best: Term[] = [];
  let length = MIN_LITERAL - 1;
  for (const { 1: word, 2: after, index } of literal.matchAll(WORD)) {
    // At `\b` an accented letter or an apostrophe may go on with the word.
    const whole = after !== undefined && after !== WORD_EDGE && word!.length <= MAX_WORD;
    const text = whole ? word!.replace(/_+$/, '') : word!.replace(/_+$/, '').slice(0, MAX_WORD);
    if (text.length <= length) continue;
    length = text.length;
    best = [term([{ text, prefix: !whole, cut: false }])];
    // `\bkey` also matches inside [hidden:private-key], which is one token.
    if (literal[index - 1] === WORD_EDGE) best.push(term([{ text: 'hidden:', prefix: true, cut: false }]));
  }
  if (best.length > 0) return best;
  const run = longest(literal.match(IDEOGRAPHS) ?? []);
  if (run === '') return [];
  return [term([...run].slice(0, -1).map((one, at) => ({ text: one + run[at + 1]!, prefix: false, cut: false })))];
}

function term(tokens: readonly QueryToken[]): Term {
  return { typed: tokens.map(({ text, prefix }) => text + (prefix ? '*' : '')).join(' '), kind: 'literal', tokens };
}

/** What is known of a part of an expression: that it is one string, or what every match of it holds. */
interface Known {
  readonly exact?: string;
  readonly required: readonly Required[];
}

const ANYTHING: Known = { required: [] };

class Reader {
  readonly #typed: string;
  #at = 0;

  constructor(typed: string) {
    this.#typed = typed;
  }

  read(): Required[] {
    const known = this.#alternatives();
    return all(known);
  }

  #alternatives(): Known {
    const branches: Known[] = [this.#sequence()];
    while (this.#typed[this.#at] === '|') {
      this.#at++;
      branches.push(this.#sequence());
    }
    if (branches.length === 1) return branches[0]!;
    if (branches.length > MAX_BRANCHES) return ANYTHING;
    // The best that each branch has.
    const each = branches.map((branch) => {
      const lists = all(branch);
      return lists.reduce<Required>((best, list) => (shortest(list) > shortest(best) ? list : best), ['']);
    });
    if (each.some((list) => shortest(list) < MIN_LITERAL)) return ANYTHING;
    const anyOf = each.flat();
    return anyOf.length > MAX_BRANCHES ? ANYTHING : { required: [anyOf] };
  }

  #sequence(): Known {
    const required: Required[] = [];
    let literal = '';
    let only = true;
    const flush = (): void => {
      if (literal !== '') required.push([literal]);
      literal = '';
    };
    while (this.#at < this.#typed.length && this.#typed[this.#at] !== '|' && this.#typed[this.#at] !== ')') {
      const known = this.#repeated(this.#item());
      if (known.exact !== undefined) {
        literal += known.exact;
        continue;
      }
      only = false;
      flush();
      required.push(...known.required);
    }
    if (only) return { exact: literal, required: [] };
    flush();
    return { required };
  }

  #repeated(item: Known): Known {
    const rest = this.#typed.slice(this.#at, this.#at + 12);
    const repetition = /^(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??/.exec(rest)?.[0];
    if (repetition === undefined) return item;
    this.#at += repetition.length;
    const never = /^(?:[*?]|\{0+[,}])/.test(repetition);
    // More than once: it occurs, but what follows does not follow the first of them.
    return never ? ANYTHING : { required: all(item) };
  }

  #item(): Known {
    const character = this.#typed[this.#at]!;
    if (character === '(') return this.#group();
    if (character === '[') return this.#class();
    if (character === '\\') return this.#escape();
    this.#at++;
    if (character === '.') return ANYTHING;
    if (character === '^' || character === '$') return { exact: LINE_EDGE, required: [] };
    return literalOf(character);
  }

  #group(): Known {
    this.#at++;
    const opening = /^\?(?:P?<[^>]*>|[a-zA-Z-]*:?)/.exec(this.#typed.slice(this.#at, this.#at + 200))?.[0] ?? '';
    this.#at += opening.length;
    // `(?i)` holds for what follows, and matches nothing.
    const flagsOnly =
      opening !== '' && this.#typed[this.#at] === ')' && !opening.endsWith(':') && !opening.endsWith('>');
    const known: Known = flagsOnly ? { exact: '', required: [] } : this.#alternatives();
    this.#at++;
    return known;
  }

  #class(): Known {
    let at = this.#at + 1;
    if (this.#typed[at] === '^') at++;
    if (this.#typed[at] === ']') at++;
    for (; at < this.#typed.length && this.#typed[at] !== ']'; at++) {
      if (this.#typed.startsWith('[:', at)) at = Math.max(at, this.#typed.indexOf(':]', at) + 1);
      else if (this.#typed[at] === '\\') at++;
    }
    this.#at = at + 1;
    return ANYTHING;
  }

  #escape(): Known {
    const letter = this.#typed[this.#at + 1] ?? '';
    if (letter === 'Q') {
      const end = this.#typed.indexOf('\\E', this.#at);
      const text = this.#typed.slice(this.#at + 2, end < 0 ? undefined : end);
      this.#at = end < 0 ? this.#typed.length : end + 2;
      // A repetition after it repeats its last character only.
      return { required: text.length > 1 ? [[text.slice(0, -1).toLowerCase()]] : [] };
    }
    if (letter === 'p' || letter === 'P' || letter === 'x') {
      const braced = this.#typed[this.#at + 2] === '{' ? this.#typed.indexOf('}', this.#at) + 1 : 0;
      this.#at = braced > 0 ? braced : this.#at + (letter === 'x' ? 4 : 3);
      return ANYTHING;
    }
    this.#at += 2;
    if (/[0-7]/.test(letter)) {
      while (/[0-7]/.test(this.#typed[this.#at] ?? '')) this.#at++;
      return ANYTHING;
    }
    if (letter === 'b') return { exact: WORD_EDGE, required: [] };
    if (letter === 'A' || letter === 'z') return { exact: LINE_EDGE, required: [] };
    if (letter === 'B') return { exact: '', required: [] };
    return /[a-zA-Z0-9]/.test(letter) ? ANYTHING : literalOf(letter);
  }
}

function literalOf(character: string): Known {
  return { exact: character.toLowerCase(), required: [] };
}

function all({ exact, required }: Known): Required[] {
  return exact === undefined ? [...required] : exact === '' ? [] : [[exact]];
}

function shortest(list: Required): number {
  return Math.min(...list.map((one) => bare(one).length));
}
