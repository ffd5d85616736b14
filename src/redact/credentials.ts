// The credential masker: which passes run, in which order, and only where their hints occur (MASK-19, MASK-62).
import { createHash } from 'node:crypto';
import { ASSIGNMENT_HINTS, BUNDLE_HINTS, findAssignments, findBundles } from './assignments.ts';
import { type Hits, hintScanner } from './hints.ts';
import { withinJsonStrings } from './json-strings.ts';
import { findKeyBlocks, KEY_BLOCK_HINTS } from './key-blocks.ts';
import type { Masker } from './masker.ts';
import { hide, type MarkerKind, type Range } from './ranges.ts';
import { SHAPES } from './shape-table.ts';
import { findShapes, SHAPE_HINTS } from './shapes.ts';

interface Pass {
  readonly kind: MarkerKind;
  readonly hints: readonly string[];
  readonly find: (text: string, hits: Hits) => Range[];
}

/** In the order of MASK-19. Each pass works on the output of the one before. */
const PASSES: readonly Pass[] = [
  { kind: 'private-key', hints: KEY_BLOCK_HINTS, find: findKeyBlocks },
  { kind: 'credential', hints: SHAPE_HINTS, find: findShapes },
  { kind: 'credential', hints: ASSIGNMENT_HINTS, find: findAssignments },
  { kind: 'credential', hints: BUNDLE_HINTS, find: findBundles },
];

/** Raised by hand when a rule changes that is code and not a literal or a pattern of a table. */
const RULES_VERSION = 1;
// What one round hides can uncover nothing in the next but in texts made for it; the bound keeps those linear too.
const MAX_ROUNDS = 4;

const scan = hintScanner(PASSES.map((pass) => pass.hints));
const fingerprint = createHash('sha256')
  .update(JSON.stringify(['credentials', RULES_VERSION, PASSES.map((pass) => pass.hints)]))
  .update(SHAPES.map((shape) => String(shape.pattern)).join('\n'))
  .digest('hex')
  .slice(0, 32);

export function credentialMasker(): Masker {
  return { fingerprint, mask: maskCredentials };
}

function maskCredentials(text: string): string {
  let masked = text;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = masked;
    masked = maskOnce(masked);
    if (masked === before) break;
  }
  return masked;
}

function maskOnce(text: string): string {
  let masked = text;
  let hits = scan(masked).hits;
  for (let number = 0; number < PASSES.length && hits; number++) {
    if (hits[number]!.length === 0) continue;
    const pass = PASSES[number]!;
    const hidden = hide(masked, withinJsonStrings(masked, pass.find(masked, hits[number]!)), pass.kind);
    if (hidden === masked) continue;
    masked = hidden;
    hits = scan(masked).hits;
  }
  return masked;
}
