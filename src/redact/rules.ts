// A host's own rules (MASK-51, MASK-52): checked when they are added, run where one of their hints occurs.
import { type Clock, systemClock } from '../model/clock.ts';
import { BackstoryError } from '../model/errors.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Masker } from './masker.ts';
import { unsafePart } from './pattern-check.ts';
import { hide, isMarker, type Range } from './ranges.ts';
import { sectioned } from './sections.ts';

export interface MaskRule {
  /** The marker's name: `[a-z][a-z0-9-]{0,31}`. */
  readonly name: string;
  /** The flag `g` is added. */
  readonly pattern: RegExp;
  /** Hide only this group. Default: all. */
  readonly group?: number | string;
  /** Literals, one of which must occur, in this letter case. Default: always run. */
  readonly hints?: readonly string[];
  /** True: the value stays. */
  readonly keep?: (value: string) => boolean;
  /** Skips the check; then the time of the rules counts against 250 ms per text. */
  readonly unsafe?: boolean;
}

const RULES_VERSION = 1;
const MAX_ROUNDS = 4;
const BUDGET_MS = 250;

/** Throws `invalid_argument` for a name or shape that cannot be, `mask_rule_unsafe` for a pattern that is not linear. */
export function rulesMasker(rules: readonly MaskRule[], { clock = systemClock }: { clock?: Clock } = {}): Masker {
  const ready = rules.map((rule, index) => readyRule(rule, index));
  const fingerprint = fingerprintOf(
    'rules',
    RULES_VERSION,
    rules.map(({ name, pattern, group, hints, keep, unsafe }) => [
      name,
      String(pattern),
      group,
      hints,
      keep && String(keep),
      unsafe,
    ]),
  );
  return sectioned(fingerprint, {
    mask(text, note) {
      const budget: Budget = { clock, from: clock.elapsed() };
      let masked = text;
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const before = masked;
        for (const rule of ready) {
          const found = findMatches(masked, rule, budget);
          if (found.length > 0) masked = hide(masked, found, rule.rule.name, note);
        }
        if (masked === before) break;
      }
      return masked;
    },
    // What a rule finds over a section's end is not cut when it is seen whole.
    safeEnds(window) {
      const budget: Budget = { clock, from: clock.elapsed() };
      const found = ready.flatMap((rule) => findMatches(window, rule, budget));
      return (at) => !found.some(({ start, end }) => start < at && at < end);
    },
  });
}

interface ReadyRule {
  readonly rule: MaskRule;
  readonly pattern: RegExp;
}

interface Budget {
  readonly clock: Clock;
  readonly from: number;
}

function readyRule(rule: MaskRule, index: number): ReadyRule {
  const { name, pattern, group } = rule;
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,31}$/.test(name)) {
    throw invalid(
      `The name of mask rule ${index} is not a marker's name.`,
      'Use a-z, 0-9 and -, at most 32, a letter first.',
    );
  }
  if (!(pattern instanceof RegExp))
    throw invalid(`The pattern of mask rule ${name} is no regular expression.`, 'Write it as /…/.');
  if (group !== undefined && !hasGroup(pattern, group)) {
    throw invalid(
      `Mask rule ${name} has no group ${JSON.stringify(group)}.`,
      'Name a group of its pattern, or leave group out.',
    );
  }
  const unsafe = rule.unsafe ? undefined : unsafePart(pattern);
  if (unsafe) {
    throw new BackstoryError(
      'mask_rule_unsafe',
      `The pattern of mask rule ${name} can take more than linear time: ${unsafe.why}, in ${unsafe.part}.`,
      'Give repeats an upper bound such as {1,64}, or part them by a unit that neither takes.',
      { details: { rule: name, part: unsafe.part } },
    );
  }
  const flags = `${pattern.flags.replace(/[gyd]/g, '')}gd`;
  return { rule, pattern: new RegExp(pattern.source, flags) };
}

function invalid(message: string, hint: string): BackstoryError {
  return new BackstoryError('invalid_argument', message, hint);
}

function hasGroup(pattern: RegExp, group: number | string): boolean {
  const match = new RegExp(`${pattern.source}|`, pattern.flags.replace(/[gy]/g, '')).exec('')!;
  return typeof group === 'number'
    ? Number.isInteger(group) && group >= 0 && group < match.length
    : Object.hasOwn(match.groups ?? {}, group);
}

function findMatches(text: string, { rule, pattern }: ReadyRule, budget: Budget): Range[] {
  if (rule.hints && !rule.hints.some((hint) => text.includes(hint))) return [];
  const found: Range[] = [];
  for (const match of text.matchAll(pattern)) {
    if (rule.unsafe) assertInTime(rule, budget);
    const place = placeOf(match, rule.group);
    if (!place || place[1] <= place[0]) continue;
    const value = text.slice(place[0], place[1]);
    // What begins with this rule's own marker was found before.
    if (isMarker(value) || value.startsWith(`[hidden:${rule.name}]`) || rule.keep?.(value)) continue;
    found.push({ start: place[0], end: place[1], rule: rule.name });
  }
  if (rule.unsafe) assertInTime(rule, budget);
  return found;
}

function placeOf(match: RegExpExecArray, group: number | string | undefined): readonly [number, number] | undefined {
  const { indices } = match as RegExpExecArray & { indices: RegExpIndicesArray };
  return typeof group === 'string' ? indices.groups?.[group] : indices[group ?? 0];
}

/** Over the budget the whole text is left out (MASK-3): the caller sees a masker that threw. */
function assertInTime(rule: MaskRule, { clock, from }: Budget): void {
  if (clock.elapsed() - from <= BUDGET_MS) return;
  throw new Error(`Mask rule ${rule.name} took more than ${BUDGET_MS} ms.`);
}
