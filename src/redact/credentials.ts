// The credential masker: runs the passes that have hints in a text, each on the output of the one before (MASK-19, MASK-62).
import { BackstoryError } from '../model/errors.ts';
import { fingerprintOf } from './fingerprint.ts';
import { GROUPS, type Group } from './groups.ts';
import { hintScanner, type Scan } from './hints.ts';
import { ESCAPE_HINTS, withoutInvisible } from './invisible.ts';
import { jsonStrings, withinStrings } from './json-strings.ts';
import { keyBlocks, type OpenBlock, openBlockEnd } from './key-blocks.ts';
import { kubernetesSection } from './kubernetes.ts';
import type { Masker } from './masker.ts';
import { PASSES } from './passes.ts';
import { unsafePart } from './pattern-check.ts';
import { hide, markerOf, type Range } from './ranges.ts';
import { safeEnds } from './section-ends.ts';
import { type Noted, sectioned } from './sections.ts';
import { SHAPES } from './shape-table.ts';

export interface CredentialOptions {
  /** Values that one of these matches stay; bodies of private keys never do. */
  readonly allow?: readonly RegExp[];
  /** Also hides what looks random, in windows of 32 units. Default false. */
  readonly entropy?: boolean;
  /** Groups that are off by default, each with a marker of its own (MASK-39). */
  readonly cards?: boolean;
  readonly iban?: boolean;
  readonly emails?: boolean;
  readonly phones?: boolean;
}

/** Raised by hand when a rule changes that is code and not a literal or a pattern of a table. */
const RULES_VERSION = 2;
// What one round hides can uncover something in the next only in texts made for it; the bound keeps those linear too.
const MAX_ROUNDS = 4;
/** What `allow` is asked about: longer values are looked at in part. */
const MAX_ALLOWED = 4_096;

const ESCAPES = PASSES.length;
const KEY_BLOCKS = PASSES.findIndex(({ rule }) => rule === 'key-block');
const KUBERNETES = PASSES.findIndex(({ rule }) => rule === 'kubernetes-secret');
/** Blocks and documents are hidden whole before anything in them is looked for. */
const FIRST_OF_VALUES = 2;
let scanner: ((text: string) => Scan) | undefined;
// Made at the first text: a command that masks nothing does not wait for its tables.
function scan(text: string): Scan {
  scanner ??= hintScanner([...PASSES.map((pass) => pass.hints), ESCAPE_HINTS]);
  return scanner(text);
}

/** Throws `invalid_argument` and `mask_rule_unsafe` for a pattern of `allow`. */
export function credentialMasker(options: CredentialOptions = {}): Masker {
  const allow = (options.allow ?? []).map(allowed);
  const groups = GROUPS.filter(({ name }) => options[name] === true);
  const parts: readonly unknown[] =
    allow.length + groups.length === 0 ? [] : [allow.map(String), groups.map(({ name }) => name)];
  const rules = { allow, groups };
  return sectioned(fingerprintOf('credentials', RULES_VERSION, rulesInUse(), ...parts), {
    mask: (text, note) => maskCredentials(text, rules, note),
    section: (text, state, note) => maskSection(text, state, rules, note),
    safeEnds,
  });
}

let inUse: string | undefined;
function rulesInUse(): string {
  inUse ??= fingerprintOf(
    PASSES.map((pass) => pass.hints),
    SHAPES.map((shape) => String(shape.pattern)),
  );
  return inUse;
}

function allowed(pattern: RegExp, index: number): RegExp {
  if (!(pattern instanceof RegExp)) {
    throw new BackstoryError('invalid_argument', `allow[${index}] is no regular expression.`, 'Write it as /…/.');
  }
  const unsafe = unsafePart(pattern);
  if (unsafe && unsafe.why !== 'it matches the empty text') {
    throw new BackstoryError(
      'mask_rule_unsafe',
      `allow[${index}] can take more than linear time: ${unsafe.why}, in ${unsafe.part}.`,
      'Give repeats an upper bound such as {1,64}.',
      { details: { rule: `allow[${index}]`, part: unsafe.part } },
    );
  }
  return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
}

interface Rules {
  /** Kubernetes documents that were open before the section. */
  readonly documents?: string;
  readonly allow: readonly RegExp[];
  readonly groups: readonly Group[];
}

/** One section of a unit: what was open before it is ended first, what it leaves open is told (MASK-24). */
function maskSection(text: string, state: string, rules: Rules, note?: Noted): { text: string; state: string } {
  const [, before, documents = ''] = /^(?:k(b|\d+))?(y.*)?$/.exec(state) ?? [];
  let shown = '';
  let rest = text;
  let open: OpenBlock | undefined;
  if (before !== undefined) {
    const block = openBlockEnd(text, scan(text).hits?.[KEY_BLOCKS] ?? [], before === 'b' ? 'block' : Number(before));
    shown = insideOf(text.slice(0, block.end));
    rest = text.slice(block.end);
    open = block.open;
  }
  const hits = open === undefined ? scan(rest).hits?.[KEY_BLOCKS] : undefined;
  if (hits && hits.length > 0) open = keyBlocks(rest, hits).open;
  const kubernetes = kubernetesSection(rest, documents);
  const masked = maskCredentials(rest, documents === '' ? rules : { ...rules, documents }, note);
  const blockState = open === undefined ? '' : `k${open === 'block' ? 'b' : open}`;
  return { text: shown + masked, state: blockState + kubernetes.state };
}

const KEY_MARKER = markerOf('private-key');

/** What shows of the rest of a block whose marker stands in a section before: line feeds, and markers that stood there. */
function insideOf(block: string): string {
  const range = { start: KEY_MARKER.length, end: KEY_MARKER.length + block.length };
  return hide(KEY_MARKER + block, [range], 'private-key').slice(KEY_MARKER.length);
}

/** A text with what was scanned of it: looked for when it is first asked for, and once. */
interface Scanned {
  readonly text: string;
  scan?: Scan;
}

function scanOf(scanned: Scanned): Scan {
  scanned.scan ??= scan(scanned.text);
  return scanned.scan;
}

function maskCredentials(text: string, rules: Rules, note?: Noted): string {
  let masked: Scanned = { text };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = masked;
    masked = maskOnce(masked, rules, note);
    if (masked === before) break;
  }
  return masked.text;
}

/** The same object when nothing was hidden. */
function maskOnce(given: Scanned, rules: Rules, note?: Noted): Scanned {
  let masked = given;
  const show = (text: string): void => {
    if (text !== masked.text) masked = { text };
  };
  for (let number = 0; number < PASSES.length; number++) {
    if (number === FIRST_OF_VALUES && mayHoldInvisible(scanOf(masked))) {
      show(maskThroughInvisible(masked.text, rules, note));
    }
    const hits = scanOf(masked).hits?.[number];
    const isOpen = number === KUBERNETES && rules.documents !== undefined;
    if (!isOpen && (!hits || hits.length === 0)) continue;
    const { find, kind, rule } = PASSES[number]!;
    const found = isOpen ? kubernetesSection(masked.text, rules.documents!).found : find(masked.text, hits!);
    show(hideFound(masked.text, found, { kind, rule }, rules, note));
  }
  for (const { find, marker, name } of rules.groups) {
    show(hideFound(masked.text, find(masked.text), { kind: marker, rule: name }, rules, note));
  }
  return masked;
}

function mayHoldInvisible({ invisible, hits }: Scan): boolean {
  return invisible || (hits !== undefined && hits[ESCAPES]!.length > 0);
}

/** What the passes find in the copy is hidden at its place in the original, in one step: they do not see each other. */
function maskThroughInvisible(text: string, rules: Rules, note?: Noted): string {
  const visible = withoutInvisible(text);
  const hits = visible && scan(visible.text).hits;
  if (!visible || !hits) return text;
  const found: Range[] = [];
  PASSES.forEach((pass, number) => {
    if (!pass.throughInvisible || hits[number]!.length === 0) return;
    for (const range of pass.find(visible.text, hits[number]!)) {
      // Ranges that hold no invisible character are found in the original as well, by the passes in their order.
      const place = visible.original(range);
      if (place.end - place.start !== range.end - range.start) found.push({ rule: pass.rule, ...place });
    }
  });
  return hideFound(text, found, { kind: 'credential', rule: 'credential' }, rules, note);
}

function hideFound(
  text: string,
  found: readonly Range[],
  { kind, rule }: { readonly kind: string; readonly rule: string },
  { allow }: Rules,
  note?: Noted,
): string {
  if (found.length === 0) return text;
  const isAllowed = ({ start, end }: Range): boolean => {
    const value = text.slice(start, Math.min(end, start + MAX_ALLOWED));
    return allow.some((pattern) => pattern.test(value));
  };
  const hidden = allow.length === 0 || kind === 'private-key' ? found : found.filter((range) => !isAllowed(range));
  const named = note ? hidden.map((range) => (range.rule === undefined ? { ...range, rule } : range)) : hidden;
  const strings = jsonStrings(text);
  return hide(text, strings ? withinStrings(text, strings, named) : named, kind, note);
}
