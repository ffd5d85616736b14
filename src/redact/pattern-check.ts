// Refuses regular expressions whose time can grow faster than the text (MASK-52, MASK-60). Strict: what it accepts is
// linear up to a fixed factor, and some that it refuses would be as well.
import { type Node, overlaps, parsePattern, type Units, union } from './pattern-parse.ts';

/** What is wrong, and the part of the pattern. */
export interface Unsafe {
  readonly part: string;
  readonly why: string;
}

// Repeats up to here multiply the time by a bounded factor; a bound beyond is as good as none.
const SHORT = 64;
/** How often one text may be read by repeats that can take each other's units. */
const MAX_FACTOR = 65 * 65;

/** Undefined for a pattern that is linear. `starts`: the pattern is tried at every place, not only where it is told to. */
export function unsafePart(pattern: RegExp, { starts = true }: { readonly starts?: boolean } = {}): Unsafe | undefined {
  const tree = parsePattern(pattern.source, pattern.flags);
  const part = (node: { readonly at: number; readonly end: number }): string => pattern.source.slice(node.at, node.end);
  const back = first(tree, (node) => node.kind === 'back');
  if (back?.kind === 'back') return { part: part(back), why: 'a back reference' };
  const look = first(tree, (node) => node.kind === 'look' && node.behind && lengthOf(node.body).max > 4_096);
  if (look?.kind === 'look') return { part: part(look), why: 'a look-behind of unbounded length' };
  if (lengthOf(tree).min === 0) return { part: pattern.source, why: 'it matches the empty text' };
  const nested = nestedRepeat(tree);
  if (nested) return { part: part(nested), why: 'a repeat within a repeat that can take the same units' };
  const pair = overlapping(tree);
  if (pair) return { part: pattern.source.slice(pair.from, pair.to), why: 'two repeats that can take the same units' };
  const head = starts ? movingHead(tree, pattern.flags) : undefined;
  return head && { part: part(head), why: 'a repeat without a bound that every one of its units can begin again' };
}

type Repeat = Extract<Node, { kind: 'repeat' }>;

function first(node: Node, is: (node: Node) => boolean): Node | undefined {
  if (is(node)) return node;
  for (const child of childrenOf(node)) {
    const found = first(child, is);
    if (found) return found;
  }
  return undefined;
}

function childrenOf(node: Node): readonly Node[] {
  if (node.kind === 'sequence' || node.kind === 'choice') return node.items;
  return node.kind === 'repeat' || node.kind === 'look' ? [node.body] : [];
}

function lengthOf(node: Node): { readonly min: number; readonly max: number } {
  switch (node.kind) {
    case 'units':
      return { min: 1, max: 1 };
    case 'sequence':
      return node.items
        .map(lengthOf)
        .reduce((a, b) => ({ min: a.min + b.min, max: a.max + b.max }), { min: 0, max: 0 });
    case 'choice': {
      const lengths = node.items.map(lengthOf);
      return { min: Math.min(...lengths.map(({ min }) => min)), max: Math.max(...lengths.map(({ max }) => max)) };
    }
    case 'repeat': {
      const body = lengthOf(node.body);
      return { min: body.min * node.min, max: body.max === 0 || node.max === 0 ? 0 : body.max * node.max };
    }
    case 'back':
      return { min: 0, max: Number.POSITIVE_INFINITY };
    default:
      return { min: 0, max: 0 };
  }
}

/** What can be the first unit of a node, and whether nothing can stand for it. */
interface Head {
  readonly units: Units;
  readonly empty: boolean;
}

const NOTHING: Units = { ascii: [0, 0, 0, 0], other: false };

function headOf(node: Node): Head {
  switch (node.kind) {
    case 'units':
      return { units: node.units, empty: false };
    case 'sequence': {
      let units = NOTHING;
      for (const item of node.items) {
        const head = headOf(item);
        units = union(units, head.units);
        if (!head.empty) return { units, empty: false };
      }
      return { units, empty: true };
    }
    case 'choice': {
      const heads = node.items.map(headOf);
      return { units: heads.map((head) => head.units).reduce(union, NOTHING), empty: heads.some((head) => head.empty) };
    }
    case 'repeat': {
      const head = headOf(node.body);
      return { units: head.units, empty: head.empty || node.min === 0 };
    }
    default:
      return { units: NOTHING, empty: true };
  }
}

function allUnits(node: Node): Units {
  if (node.kind === 'units') return node.units;
  return node.kind === 'look' ? NOTHING : childrenOf(node).map(allUnits).reduce(union, NOTHING);
}

/**
 * A repeat whose body ends in a repeat that can also take what the next round begins with, or whose body has
 * alternatives that begin alike: the same text can then be read in more and more ways.
 */
function nestedRepeat(node: Node): Repeat | undefined {
  if (node.kind === 'repeat' && node.max > 1) {
    const inner = repeatsAtEnd(node.body);
    const head = headOf(node.body);
    // A body that may be empty, or one repeat alone: `(a*)*`, `(a+)+`.
    if (head.empty && lengthOf(node.body).max > 0 && node.max > SHORT) return node;
    if (inner.some((repeat) => repeat !== node && isSame(repeat, node.body) && overlaps(allUnits(repeat), head.units)))
      return node;
    if (node.max > SHORT && alternativesAlike(node.body)) return node;
  }
  for (const child of childrenOf(node)) {
    const found = nestedRepeat(child);
    if (found) return found;
  }
  return undefined;
}

/** Repeats of a variable count that a node can end in. */
function repeatsAtEnd(node: Node): readonly Repeat[] {
  if (node.kind === 'repeat') {
    const own = node.min === node.max ? [] : [node];
    return [...own, ...repeatsAtEnd(node.body)];
  }
  if (node.kind === 'choice') return node.items.flatMap(repeatsAtEnd);
  if (node.kind !== 'sequence') return [];
  const found: Repeat[] = [];
  for (const item of [...node.items].reverse()) {
    found.push(...repeatsAtEnd(item));
    if (!headOf(item).empty) break;
  }
  return found;
}

/** `(a|a)*`, `(\w|\d)*`: one unit, two ways. */
function alternativesAlike(node: Node): boolean {
  if (node.kind === 'choice') {
    return node.items.some((one, index) =>
      node.items.slice(index + 1).some((other) => overlaps(headOf(one).units, headOf(other).units)),
    );
  }
  return node.kind === 'sequence' && node.items.length === 1 && alternativesAlike(node.items[0]!);
}

/** Whether all of a body can be read by the repeat it ends in: `(?:_[a-z]+)+` has a `_` that tells its rounds apart. */
function isSame(repeat: Repeat, body: Node): boolean {
  return canMatch(body, allUnits(repeat));
}

/** Whether a node can stand for a text of nothing but `units`. */
function canMatch(node: Node, units: Units): boolean {
  switch (node.kind) {
    case 'units':
      return overlaps(node.units, units);
    case 'sequence':
      return node.items.every((item) => canMatch(item, units));
    case 'choice':
      return node.items.some((item) => canMatch(item, units));
    case 'repeat':
      return node.min === 0 || canMatch(node.body, units);
    default:
      return true;
  }
}

interface Pair {
  readonly from: number;
  readonly to: number;
}

interface Open {
  readonly repeat: Repeat;
  /** Units that both the repeat and all that stood behind it can take. */
  readonly units: Units;
  readonly factor: number;
}

/** Two repeats with nothing between them that tells one's units from the other's. */
function overlapping(tree: Node): Pair | undefined {
  let found: Pair | undefined;
  const walk = (node: Node, open: readonly Open[]): readonly Open[] => {
    if (found) return [];
    switch (node.kind) {
      case 'units':
        return open.filter((each) => overlaps(each.units, node.units));
      case 'sequence':
        return node.items.reduce<readonly Open[]>((before, item) => walk(item, before), open);
      case 'choice':
        return node.items.flatMap((item) => walk(item, open)).slice(0, 64);
      case 'look':
        walk(node.body, []);
        return open;
      case 'repeat': {
        const own = allUnits(node.body);
        const isVariable = node.min !== node.max;
        const next: Open[] = [];
        if (isVariable && node.max > 1) {
          let factor = 1;
          for (const each of open) {
            if (!overlaps(each.units, own) || !canMatch(each.repeat.body, own) || !canMatch(node.body, each.units))
              continue;
            const ways = Math.min(each.repeat.max, node.max, 1e9) + 1;
            factor = Math.max(factor, Math.max(each.factor, ways) * ways);
            if (factor > MAX_FACTOR) found ??= { from: each.repeat.at, to: node.end };
          }
          next.push({ repeat: node, units: own, factor });
        }
        const through = walk(node.body, open);
        const passed = node.min === 0 ? [...open, ...through] : through;
        return [...next, ...passed].slice(0, 64);
      }
      default:
        return open;
    }
  };
  walk(tree, []);
  return found;
}

/**
 * A repeat without a bound that what stands before it is a part of: each of its units can be a start that reads on to
 * the same end, as `\w+@` over a long word. Harmless where nothing behind can fail.
 */
function movingHead(tree: Node, flags: string): Repeat | undefined {
  if (flags.includes('y')) return undefined;
  const branches = tree.kind === 'choice' ? tree.items : [tree];
  for (const branch of branches) {
    const items = branch.kind === 'sequence' ? branch.items : [branch];
    for (let index = 0; index < items.length; index++) {
      const item = items[index]!;
      if (item.kind === 'assert' && item.start) break;
      const repeat = first(item, (node) => node.kind === 'repeat' && node.max > SHORT * 64);
      if (repeat?.kind === 'repeat') {
        const units = allUnits(repeat);
        const canFail = lengthOf({ kind: 'sequence', items: items.slice(index + 1) }).min > 0;
        const hasAssertion = items.slice(index + 1).some((node) => node.kind === 'assert' || node.kind === 'look');
        const beginsAgain = index === 0 || items.slice(0, index).every((before) => canMatch(before, units));
        if ((canFail || hasAssertion) && beginsAgain) return repeat;
      }
    }
  }
  return undefined;
}
