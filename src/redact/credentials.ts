// The credential masker: which passes run, in which order, and only where their hints occur (MASK-19, MASK-62).
import { ASSIGNMENT_HINTS, BUNDLE_HINTS, findAssignments, findBundles } from './assignments.ts';
import { findMysqlOptions, findUserOptions, MYSQL_HINTS, USER_HINTS } from './command-lines.ts';
import { fingerprintOf } from './fingerprint.ts';
import { findHeaders, findSchemes, HEADER_HINTS, SCHEME_HINTS } from './headers.ts';
import { type Hits, hintScanner } from './hints.ts';
import { ESCAPE_HINTS, withoutInvisible } from './invisible.ts';
import { jsonStrings, withinStrings } from './json-strings.ts';
import { findKeyBlocks, KEY_BLOCK_HINTS, keyBlocks, type OpenBlock, openBlockEnd } from './key-blocks.ts';
import { findKubernetesSecrets, KUBERNETES_HINTS } from './kubernetes.ts';
import type { Masker } from './masker.ts';
import { countLineFeeds, hide, type MarkerKind, type Range } from './ranges.ts';
import { safeEnds } from './section-ends.ts';
import { sectioned } from './sections.ts';
import { SHAPES } from './shape-table.ts';
import { findShapes, SHAPE_HINTS } from './shapes.ts';
import { findParameters, findUserInfo, PARAMETER_HINTS, USER_INFO_HINTS } from './urls.ts';

interface Pass {
  readonly kind: MarkerKind;
  readonly hints: readonly string[];
  readonly find: (text: string, hits: Hits) => readonly Range[];
  /** Also runs on a copy without invisible characters (MASK-20). */
  readonly throughInvisible?: true;
}

/** In the order of MASK-19. Each pass works on the output of the one before. */
const PASSES: readonly Pass[] = [
  { kind: 'private-key', hints: KEY_BLOCK_HINTS, find: findKeyBlocks },
  { kind: 'credential', hints: KUBERNETES_HINTS, find: findKubernetesSecrets },
  { kind: 'credential', hints: USER_INFO_HINTS, find: findUserInfo, throughInvisible: true },
  { kind: 'credential', hints: SHAPE_HINTS, find: findShapes, throughInvisible: true },
  { kind: 'credential', hints: HEADER_HINTS, find: findHeaders },
  { kind: 'credential', hints: SCHEME_HINTS, find: findSchemes },
  { kind: 'credential', hints: USER_HINTS, find: findUserOptions },
  { kind: 'credential', hints: MYSQL_HINTS, find: findMysqlOptions },
  { kind: 'credential', hints: PARAMETER_HINTS, find: findParameters },
  { kind: 'credential', hints: ASSIGNMENT_HINTS, find: findAssignments, throughInvisible: true },
  { kind: 'credential', hints: BUNDLE_HINTS, find: findBundles },
];

/** Raised by hand when a rule changes that is code and not a literal or a pattern of a table. */
const RULES_VERSION = 1;
// What one round hides can uncover something in the next only in texts made for it; the bound keeps those linear too.
const MAX_ROUNDS = 4;

const ESCAPES = PASSES.length;
let scanner: ReturnType<typeof hintScanner> | undefined;
// Made at the first text: a command that masks nothing does not wait for its tables.
const scan: ReturnType<typeof hintScanner> = (text) => {
  scanner ??= hintScanner([...PASSES.map((pass) => pass.hints), ESCAPE_HINTS]);
  return scanner(text);
};
const fingerprint = fingerprintOf(
  'credentials',
  RULES_VERSION,
  PASSES.map((pass) => pass.hints),
  SHAPES.map((shape) => String(shape.pattern)),
);

export type CredentialOptions = Record<never, never>;

export function credentialMasker(_options: CredentialOptions = {}): Masker {
  return sectioned(fingerprint, { mask: maskCredentials, section: maskSection, safeEnds });
}

/** One section of a unit: what was open before it is ended first, what it leaves open is told (MASK-24). */
function maskSection(text: string, state: string): { text: string; state: string } {
  const before = readState(state);
  let shown = '';
  let rest = text;
  let open = before;
  if (before !== undefined) {
    const block = openBlockEnd(text, scan(text).hits?.[0] ?? [], before);
    shown = '\n'.repeat(countLineFeeds(text.slice(0, block.end)));
    rest = text.slice(block.end);
    open = block.open;
  }
  const hits = open === undefined ? scan(rest).hits?.[0] : undefined;
  if (hits && hits.length > 0) open = keyBlocks(rest, hits).open;
  return { text: shown + maskCredentials(rest), state: open === undefined ? '' : `k${open === 'block' ? '' : open}` };
}

function readState(state: string): OpenBlock | undefined {
  if (!state.startsWith('k')) return undefined;
  return state.length === 1 ? 'block' : Number(state.slice(1));
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
  let scanned = scan(masked);
  if (scanned.invisible || (scanned.hits && scanned.hits[ESCAPES]!.length > 0)) {
    masked = maskThroughInvisible(masked);
    if (masked !== text) scanned = scan(masked);
  }
  for (let number = 0; number < PASSES.length && scanned.hits; number++) {
    const hits = scanned.hits[number]!;
    if (hits.length === 0) continue;
    const pass = PASSES[number]!;
    const hidden = hideFound(masked, pass.find(masked, hits), pass.kind);
    if (hidden === masked) continue;
    masked = hidden;
    scanned = scan(masked);
  }
  return masked;
}

/** What the passes find in the copy is hidden at its place in the original, in one step: they do not see each other. */
function maskThroughInvisible(text: string): string {
  const visible = withoutInvisible(text);
  const hits = visible && scan(visible.text).hits;
  if (!visible || !hits) return text;
  const found: Range[] = [];
  PASSES.forEach((pass, number) => {
    if (!pass.throughInvisible || hits[number]!.length === 0) return;
    for (const range of pass.find(visible.text, hits[number]!)) {
      // Ranges that hold no invisible character are found in the original as well, by the passes in their order.
      const place = visible.original(range);
      if (place.end - place.start !== range.end - range.start) found.push(place);
    }
  });
  return hideFound(text, found, 'credential');
}

function hideFound(text: string, found: readonly Range[], kind: MarkerKind): string {
  if (found.length === 0) return text;
  const strings = jsonStrings(text);
  return hide(text, strings ? withinStrings(text, strings, found) : found, kind);
}
