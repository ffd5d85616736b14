// Finds token shapes at the places their hints were found (MASK-26). What the shapes are is in shape-table.ts.
import { beginsAt } from './borders.ts';
import type { Hits } from './hints.ts';
import type { Range } from './ranges.ts';
import { SHAPES, type Shape } from './shape-table.ts';

const ROWS = SHAPES.flatMap((shape) => [shape.hint].flat().map((hint) => ({ hint, shape })));

/** The literals of all shapes, by number. */
export const SHAPE_HINTS: readonly string[] = ROWS.map((row) => row.hint);

export function findShapes(text: string, hits: Hits): Range[] {
  const found: Range[] = [];
  // Behind what a shape has matched or refused nothing new of that shape can begin: this keeps the cost linear.
  const done = new Map<Shape, number>();
  for (let index = 0; index < hits.length; index += 2) {
    const { hint, shape } = ROWS[hits[index]!]!;
    const start = startOf(text, hits[index + 1]! - hint.length, shape);
    if (start < 0 || start < (done.get(shape) ?? 0)) continue;
    // A path that is kept in part begins behind its host name, which is no border.
    if (!shape.keep && !beginsAt(text, start, shape.looseBorder)) continue;
    shape.pattern.lastIndex = start;
    const token = shape.pattern.exec(text)?.[0];
    if (token === undefined) continue;
    done.set(shape, start + token.length);
    if (shape.check && !shape.check(token)) continue;
    if (shape.context && !shape.context.test(text.slice(Math.max(0, start - 48), start))) continue;
    const kept = shape.keep ? keptPrefix(token, shape.keep) : 0;
    found.push({ start: start + kept, end: start + token.length, rule: `token-shape ${hint.trim()}` });
  }
  return found;
}

function startOf(text: string, at: number, shape: Shape): number {
  if (shape.back === undefined) return at;
  if (typeof shape.back === 'number') return at - shape.back;
  let start = at;
  while (start > 0 && at - start < shape.back.most && shape.back.of.test(text[start - 1]!)) start--;
  return start;
}

function keptPrefix(token: string, keep: RegExp): number {
  const match = keep.exec(token);
  return match ? match.index + match[0].length : 0;
}
