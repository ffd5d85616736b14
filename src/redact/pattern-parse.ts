// Reads a regular expression into a tree, as far as its cost depends on it (MASK-52). Knows nothing of rules.

/** Which units a place takes: one bit per ASCII unit, and whether any other unit is taken. */
export interface Units {
  readonly ascii: readonly [number, number, number, number];
  readonly other: boolean;
}

export type Node =
  | { readonly kind: 'units'; readonly units: Units }
  | { readonly kind: 'sequence'; readonly items: readonly Node[] }
  | { readonly kind: 'choice'; readonly items: readonly Node[] }
  | {
      readonly kind: 'repeat';
      readonly body: Node;
      readonly min: number;
      readonly max: number;
      readonly at: number;
      readonly end: number;
    }
  | { readonly kind: 'look'; readonly behind: boolean; readonly body: Node; readonly at: number; readonly end: number }
  | { readonly kind: 'assert'; readonly start: boolean }
  | { readonly kind: 'back'; readonly at: number; readonly end: number };

/** The tree of a pattern that this engine accepts: the pattern was compiled before. */
export function parsePattern(source: string, flags: string): Node {
  return new Parser(source, flags).pattern();
}

class Parser {
  readonly #source: string;
  readonly #ignoreCase: boolean;
  readonly #dotAll: boolean;
  #at = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#ignoreCase = flags.includes('i');
    this.#dotAll = flags.includes('s');
  }

  pattern(): Node {
    const items = [this.#sequence()];
    while (this.#take('|')) items.push(this.#sequence());
    return items.length === 1 ? items[0]! : { kind: 'choice', items };
  }

  #sequence(): Node {
    const items: Node[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) items.push(this.#term());
    return items.length === 1 ? items[0]! : { kind: 'sequence', items };
  }

  #term(): Node {
    const at = this.#at;
    const body = this.#atom();
    const quantifier = /^(?:([*+?])|\{(\d{1,9})(?:(,)(\d{0,9}))?\})\??/.exec(
      this.#source.slice(this.#at, this.#at + 24),
    );
    if (!quantifier) return body;
    this.#at += quantifier[0].length;
    const [, sign, least, comma, most] = quantifier;
    const min = sign ? (sign === '+' ? 1 : 0) : Number(least);
    const max = sign
      ? sign === '?'
        ? 1
        : Number.POSITIVE_INFINITY
      : !comma
        ? min
        : most
          ? Number(most)
          : Number.POSITIVE_INFINITY;
    return { kind: 'repeat', body, min, max, at, end: this.#at };
  }

  #atom(): Node {
    const at = this.#at;
    if (this.#take('(')) return this.#group(at);
    const unit = this.#source[this.#at++]!;
    if (unit === '^' || unit === '$') return { kind: 'assert', start: unit === '^' };
    if (unit === '.') return units(this.#dotAll ? ANY : without(ANY, LINE_ENDS));
    if (unit === '[') return units(this.#class());
    if (unit !== '\\') return units(this.#cased(only(unit.charCodeAt(0))));
    const next = this.#source[this.#at]!;
    if (next === 'b' || next === 'B') {
      this.#at++;
      return { kind: 'assert', start: false };
    }
    const back = /^(?:[1-9]\d*|k<[^>]*>)/.exec(this.#source.slice(this.#at));
    if (back) {
      this.#at += back[0].length;
      return { kind: 'back', at, end: this.#at };
    }
    return units(this.#cased(this.#escape()));
  }

  #group(at: number): Node {
    const prefix = /^\?(?:[:=!]|<[=!]|<[^>]+>|[ims-]+:)/.exec(this.#source.slice(this.#at, this.#at + 80))?.[0] ?? '';
    this.#at += prefix.length;
    const body = this.pattern();
    this.#take(')');
    if (!/^\?<?[=!]/.test(prefix)) return body;
    return { kind: 'look', behind: prefix.includes('<'), body, at, end: this.#at };
  }

  #class(): Units {
    const negated = this.#take('^');
    let set = NONE;
    while (this.#at < this.#source.length && !this.#take(']')) {
      const first = this.#member();
      if (this.#source[this.#at] === '-' && this.#source[this.#at + 1] !== ']' && first.single !== undefined) {
        const back = this.#at++;
        const last = this.#member();
        if (last.single !== undefined) {
          set = union(set, range(first.single, last.single));
          continue;
        }
        this.#at = back;
      }
      set = union(set, first.units);
    }
    const cased = this.#cased(set);
    return negated ? without(ANY, cased) : cased;
  }

  #member(): { readonly units: Units; readonly single?: number } {
    const unit = this.#source[this.#at++]!;
    if (unit !== '\\') return { units: only(unit.charCodeAt(0)), single: unit.charCodeAt(0) };
    const letter = this.#source[this.#at]!;
    if (letter === 'b') {
      this.#at++;
      return { units: only(8), single: 8 };
    }
    const found = this.#escape();
    return /[dDwWsSpP]/.test(letter) ? { units: found } : { units: found, single: firstOf(found) };
  }

  /** Behind a backslash. */
  #escape(): Units {
    const letter = this.#source[this.#at++]!;
    const named = CLASSES[letter];
    if (named) return named;
    if (letter === 'p' || letter === 'P') {
      this.#at = this.#source.indexOf('}', this.#at) + 1;
      return ANY;
    }
    const control = CONTROLS[letter];
    if (control !== undefined) return only(control);
    const rest = this.#source.slice(this.#at, this.#at + 12);
    const hex =
      letter === 'x' ? /^[\da-f]{2}/i.exec(rest) : letter === 'u' ? /^(?:[\da-f]{4}|\{[\da-f]+\})/i.exec(rest) : null;
    if (hex) {
      this.#at += hex[0].length;
      return only(Number.parseInt(hex[0].replace(/[{}]/g, ''), 16));
    }
    if (letter === 'c') return only(this.#source.charCodeAt(this.#at++) & 31);
    return only(letter.charCodeAt(0));
  }

  #cased(set: Units): Units {
    if (!this.#ignoreCase) return set;
    let result = set;
    for (let code = 65; code <= 90; code++) {
      if (holds(set, code) || holds(set, code + 32)) result = union(result, union(only(code), only(code + 32)));
    }
    return result;
  }

  #take(text: string): boolean {
    if (this.#source[this.#at] !== text) return false;
    this.#at++;
    return true;
  }
}

function units(set: Units): Node {
  return { kind: 'units', units: set };
}

const NONE: Units = { ascii: [0, 0, 0, 0], other: false };
const ANY: Units = { ascii: [-1, -1, -1, -1], other: true };

function only(code: number): Units {
  return range(code, code);
}

function range(from: number, to: number): Units {
  const ascii: [number, number, number, number] = [0, 0, 0, 0];
  for (let code = from; code <= Math.min(to, 127); code++) ascii[code >> 5]! |= 1 << (code & 31);
  return { ascii, other: to > 127 };
}

export function union(a: Units, b: Units): Units {
  return combined(a, b, (x, y) => x | y, a.other || b.other);
}

function without(a: Units, b: Units): Units {
  // Not all units past ASCII are taken away by a class that holds some of them.
  return combined(a, b, (x, y) => x & ~y, a.other);
}

function combined(a: Units, b: Units, of: (x: number, y: number) => number, other: boolean): Units {
  const [a0, a1, a2, a3] = a.ascii;
  const [b0, b1, b2, b3] = b.ascii;
  return { ascii: [of(a0, b0), of(a1, b1), of(a2, b2), of(a3, b3)], other };
}

/** Whether some unit is in both. */
export function overlaps(a: Units, b: Units): boolean {
  return (a.other && b.other) || a.ascii.some((bits, index) => (bits & b.ascii[index]!) !== 0);
}

function holds(set: Units, code: number): boolean {
  return (set.ascii[code >> 5]! & (1 << (code & 31))) !== 0;
}

function firstOf(set: Units): number {
  for (let code = 0; code < 128; code++) if (holds(set, code)) return code;
  return 128;
}

const LINE_ENDS = union(only(10), only(13));
const DIGITS = range(48, 57);
const WORD = [range(65, 90), range(97, 122), only(95)].reduce(union, DIGITS);
const SPACES = union(range(9, 13), { ...only(32), other: true });
const CLASSES: Readonly<Record<string, Units>> = {
  d: DIGITS,
  D: without(ANY, DIGITS),
  w: WORD,
  W: without(ANY, WORD),
  s: SPACES,
  S: without(ANY, SPACES),
};
const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, v: 11, f: 12, 0: 0 };
