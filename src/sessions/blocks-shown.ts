// Stored blocks as history shows them: masked whole, then cut, every cut typed and beside what was cut (SES-111 … SES-114).
import type { Cut, HostJson, Pointer, ShownBlock, StoredBlock } from '../model/session.ts';
import { applyMask } from '../redact/masked.ts';
import type { Masker } from '../redact/masker.ts';
import type { Reopened } from '../sources/contract.ts';

export interface ShowOptions {
  readonly tools: boolean;
  readonly reasoning: boolean;
  /** Undefined: nothing is hidden (`raw`). */
  readonly masker: Masker | undefined;
}

/** A block with its place among the message's blocks, its text whole and masked. */
export interface WholeBlock {
  readonly index: number;
  readonly block: ShownBlock;
}

/** Blocks that are shown, with whole texts: cutting comes after masking (SES-141). */
export async function wholeBlocks(
  blocks: readonly StoredBlock[],
  options: ShowOptions,
  reopen: (pointer: Pointer) => Promise<Reopened>,
  apart: (place: number) => Promise<string | undefined> = async () => undefined,
): Promise<WholeBlock[]> {
  const whole: WholeBlock[] = [];
  for (const [index, stored] of blocks.entries()) {
    if (!isShown(stored, options)) continue;
    whole.push({ index, block: await wholeBlock(stored, options.masker, reopen, apart) });
  }
  return whole;
}

export function isShown(
  block: StoredBlock,
  options: { readonly tools: boolean; readonly reasoning: boolean },
): boolean {
  if (block.type === 'tool_call' || block.type === 'tool_result') return options.tools;
  return block.type === 'reasoning' ? options.reasoning : true;
}

/** Whether what the block says is shown: of an image or a file, only that it is there. */
export function isRead(block: StoredBlock, options: Pick<ShowOptions, 'tools' | 'reasoning'>): boolean {
  return block.type !== 'image' && block.type !== 'file' && block.type !== 'other' && isShown(block, options);
}

async function wholeBlock(
  block: StoredBlock,
  masker: Masker | undefined,
  reopen: (pointer: Pointer) => Promise<Reopened>,
  apart: (place: number) => Promise<string | undefined>,
): Promise<ShownBlock> {
  switch (block.type) {
    case 'text':
      return { type: 'text', ...maskedText(block.text, masker) };
    case 'image':
    case 'file':
      return {
        type: block.type,
        ...(block.mediaType === undefined ? {} : { mediaType: block.mediaType }),
        ...(block.bytes === undefined ? {} : { bytes: block.bytes }),
        cut: { reason: 'binary' },
      };
    case 'other':
      return { type: block.name };
    case 'data':
      return { type: 'data', ...maskedText(await jsonText(block.host, apart), masker) };
    default: {
      const named = {
        type: block.type,
        ...('id' in block ? { id: block.id } : {}),
        ...('name' in block ? { name: block.name } : {}),
      };
      if (block.host !== undefined) {
        const text = hostText(block.type, await jsonText(block.host, apart));
        return text === undefined ? named : { ...named, ...maskedText(text, masker) };
      }
      const stored = block.type === 'tool_call' ? block.input : block.text;
      if (stored !== undefined) return { ...named, ...maskedText(stored, masker) };
      if (block.pointer === undefined) return named;
      const reopened = await reopen(block.pointer);
      return 'value' in reopened
        ? { ...named, ...maskedText(textOf(reopened.value), masker) }
        : { ...named, cut: { reason: reopened.reason } };
    }
  }
}

async function jsonText(host: HostJson, apart: (place: number) => Promise<string | undefined>): Promise<string> {
  return typeof host === 'string' ? host : ((await apart(host)) ?? 'null');
}

/** What a block that a host appended says: the arguments of a call, what a tool gave back, or the reasoning. */
function hostText(type: 'tool_call' | 'tool_result' | 'reasoning', json: string): string | undefined {
  const block = JSON.parse(json) as Record<string, unknown> | null;
  if (type === 'tool_call') return block?.input === undefined ? undefined : JSON.stringify(block.input);
  if (type === 'tool_result') return textOf(withoutData(block?.content));
  const text = block?.text ?? block?.thinking;
  return typeof text === 'string' ? text : undefined;
}

/** Base64 of an image inside a tool's result is nothing to read (SES-112). */
function withoutData(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((block: Record<string, unknown>) => {
    if (block.type !== 'image' && block.type !== 'file') return block;
    const { data: _, ...rest } = block;
    return rest;
  });
}

/** A value of a host's file as text: texts and lists of text blocks as they read, anything else as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const texts = Array.isArray(value) ? value.map((item: { text?: unknown } | null) => item?.text) : [];
  if (texts.length > 0 && texts.every((text) => typeof text === 'string')) return texts.join('\n');
  return JSON.stringify(value, undefined, 1) ?? '';
}

function maskedText(text: string, masker: Masker | undefined): { text: string; redacted?: true } {
  if (masker === undefined) return { text };
  const masked = applyMask(masker, text);
  return masked === text ? { text } : { text: masked, redacted: true };
}

/** The block with at most `max` characters of its text from `from` on. Slices joined in order are the masked text. */
export function cutBlock({ index, block }: WholeBlock, max: number, from = 0): ShownBlock {
  const { text } = block;
  if (text === undefined || (from === 0 && text.length <= max)) return block;
  const start = isLowHalf(text, from) ? from + 1 : Math.min(from, text.length);
  const end = sliceEnd(text, start, max);
  const cut: Cut = {
    shown: end - start,
    total: text.length,
    ...(end < text.length ? { next: { block: index, from: end } } : {}),
  };
  return { ...block, text: text.slice(start, end), cut };
}

/** Where a slice ends: never inside a surrogate pair, and never where it began, so that reading on always moves. */
function sliceEnd(text: string, start: number, max: number): number {
  const end = Math.min(start + max, text.length);
  if (!isLowHalf(text, end)) return end;
  return end - 1 > start ? end - 1 : end + 1;
}

function isLowHalf(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}
