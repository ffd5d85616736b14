// Tool results and reasoning, indexed where sessions.index.extra asks for it (SES-45, SRC-23): what of a message they are,
// and the pass that brings a store's extra index up to its entries, in small steps behind searches and syncs.
import { wholeScope } from '../access/scope.ts';
import type { Pointer, StoredBlock } from '../model/session.ts';
import type { Masked } from '../redact/masked.ts';
import type { Reopened } from '../sources/contract.ts';
import type { AgentStore } from '../store/contract.ts';
import { EXTRA_ROLES, type ExtraEntry, type ExtraRole } from '../store/extra.ts';
import type { Reading } from '../store/reading.ts';
import type { IndexText } from '../store/writing.ts';
import { safeCut } from '../text/index.ts';
import { wholeBlocks } from './blocks-shown.ts';

/** Values of the setting and of `include`, and what a hit of each calls its role. */
export type ExtraName = 'tools' | 'thinking';
export const EXTRA_NAMES: Readonly<Record<ExtraName, ExtraRole>> = { tools: 'tool', thinking: 'thinking' };

export interface ExtraContext {
  /** The setting `sessions.index.extra`. */
  readonly extra: readonly ExtraName[];
  /** Masks and sanitizes a stored text for the index (TXT-2). */
  readonly prepare: (text: string) => IndexText;
  /** Of the index as it should be, by tokenizer and maskers; a new store gets it. */
  readonly fingerprint: string;
}

export type ExtraTexts = Readonly<Partial<Record<ExtraRole, Masked>>>;
type Reopen = (pointer: Pointer) => Promise<Reopened>;
type Apart = (place: number) => Promise<string | undefined>;

/** Of each block, masked (SES-45). */
const MAX_BYTES = 16_384;
// One transaction holds at most so many entries, a mebibyte of texts.
const CHUNK = 64;

const TYPES: Readonly<Record<ExtraRole, StoredBlock['type']>> = { tool: 'tool_result', thinking: 'reasoning' };

/** What a store's extra index should be made by; undefined where none is wanted. */
export function extraVersion({ extra, fingerprint }: Pick<ExtraContext, 'extra' | 'fingerprint'>): string | undefined {
  const roles = rolesOf(extra);
  return roles.length === 0 ? undefined : `${roles.join('+')} ${fingerprint}`;
}

export function rolesOf(names: readonly ExtraName[]): readonly ExtraRole[] {
  return EXTRA_ROLES.filter((role) => names.some((name) => EXTRA_NAMES[name] === role));
}

/** At most how many messages the extra index is behind by; 1 for one that nobody wants any more. */
export async function extraWork(
  reading: Reading,
  context: Pick<ExtraContext, 'extra' | 'fingerprint'>,
): Promise<number> {
  const wanted = extraVersion(context);
  if (wanted === undefined) return (await reading.extraProgress(wholeScope())) === undefined ? 0 : 1;
  const { messages } = await reading.extraPending(wholeScope(), {}, wanted);
  // Its place may have to be moved on past messages that hold none.
  return messages === 0 && (await reading.extraProgress(wholeScope()))?.of === wanted ? 0 : Math.max(messages, 1);
}

/** Undefined where a message holds none. Each block is masked whole and then cut (SES-141). */
export async function extraTexts(
  { extra, prepare }: ExtraContext,
  blocks: readonly StoredBlock[],
  reopen: Reopen,
  apart: Apart,
): Promise<ExtraTexts | undefined> {
  const found: { -readonly [Role in ExtraRole]?: Masked } = {};
  for (const role of rolesOf(extra)) {
    const own = blocks.map((block) => (block.type === TYPES[role] ? block : { type: 'other' as const, name: '' }));
    if (own.every(({ type }) => type === 'other')) continue;
    const shown = await wholeBlocks(own, { tools: true, reasoning: true, masker: undefined }, reopen, apart);
    const texts = shown.flatMap(({ block: { text } }) => (text === undefined ? [] : [begun(prepare(text).masked)]));
    if (texts.length > 0) found[role] = texts.join('\n') as Masked;
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

/** The first 16 KiB, not cut within a character or a marker. */
function begun(masked: Masked): string {
  if (masked.length * 3 <= MAX_BYTES || Buffer.byteLength(masked) <= MAX_BYTES) return masked;
  const bytes = Buffer.from(masked).subarray(0, MAX_BYTES);
  const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
  return masked.slice(0, safeCut(masked, whole.length, -1, 0));
}

/** How values that stand in files are read, for the length of one pass. */
export type Reopener = (store: AgentStore) => Reopen;

/** Looks at what is new or changed, until all is indexed or `stopped` says so. Goes on where whoever stopped it was. */
export async function indexExtra(
  context: ExtraContext,
  store: AgentStore,
  reopener: () => Reopener,
  stopped: () => boolean,
): Promise<void> {
  const wanted = extraVersion(context);
  let reopen: Reopen | undefined;
  while (!stopped()) {
    const { progress, entries, through } = await store.read(async (reading) => {
      const known = await reading.extraProgress(wholeScope());
      return known?.of === wanted && known !== undefined
        ? { progress: known, ...(await reading.extraNext(known.through, CHUNK)) }
        : { progress: known, entries: [], through: -1 };
    });
    if (progress === undefined && wanted === undefined) return;
    if (progress?.of !== wanted) {
      await store.write((writing) => writing.resetExtra(wanted));
      if (wanted === undefined) await mergedAway(store);
      continue;
    }
    if (entries.length === 0 && through === progress!.through) return;
    reopen ??= reopener()(store);
    const made = await textsOf(context, store, entries, reopen);
    await store.write(async (writing) => {
      if (!(await writing.advanceExtra(progress!, through))) return;
      for (const [entry, texts] of made) await writing.putExtra(entry, texts);
    });
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function textsOf(
  context: ExtraContext,
  store: AgentStore,
  entries: readonly ExtraEntry[],
  reopen: Reopen,
): Promise<(readonly [ExtraEntry, ExtraTexts])[]> {
  const made: (readonly [ExtraEntry, ExtraTexts])[] = [];
  for (const entry of entries) {
    const apart: Apart = (place) => store.read((reading) => reading.apart(wholeScope(), entry.id, place));
    made.push([entry, (await extraTexts(context, entry.blocks, reopen, apart)) ?? {}]);
  }
  return made;
}

// What is no longer wanted is not to stay in the file's bytes either.
async function mergedAway(store: AgentStore): Promise<void> {
  for (let begin = true, more = true; more; begin = false)
    more = await store.write((writing) => writing.mergeIndex(begin));
  await store.truncate();
}
