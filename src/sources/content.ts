// The blocks of a message's content, in the spellings that products use (SRC-26).
import type { SourceEntry } from './contract.ts';

export type Block =
  | { readonly type: 'text'; readonly text: string; readonly index: number | undefined }
  | { readonly type: 'thinking'; readonly text: string; readonly index: number }
  | {
      readonly type: 'tool-call';
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly index: number;
    }
  | { readonly type: 'tool-result'; readonly id: string; readonly index: number }
  | {
      readonly type: 'image';
      readonly media: 'image' | 'file';
      readonly mediaType: string;
      readonly bytes: number;
      readonly index: number;
    }
  | { readonly type: 'other'; readonly name: string; readonly index: number };

const TEXT = new Set(['text', 'inputtext', 'outputtext']);
const THINKING = new Set(['thinking', 'reasoning', 'redactedthinking']);
const CALL = new Set(['tooluse', 'toolcall', 'functioncall', 'servertooluse']);
const RESULT = new Set(['toolresult', 'functioncalloutput', 'websearchtoolresult']);
const FILE = new Set(['image', 'document', 'file', 'inputimage', 'imageurl']);

const MAX_NAME = 40;

/** A type as it is counted (SRC-27): whole or not at all, because a cut name may be half of a secret, which no rule knows (MASK-14). */
export function countedName(type: string): string {
  if (type === '') return 'untyped';
  return type.length <= MAX_NAME ? type : `over ${MAX_NAME} characters`;
}

/** Undefined: neither a string nor a list (`odd_shape`). A string is one text block, without an index. */
export function blocksOf(content: unknown): Block[] | undefined {
  if (typeof content === 'string') return [{ type: 'text', text: content.toWellFormed(), index: undefined }];
  if (!Array.isArray(content)) return undefined;
  return content.map((block: unknown, index) => blockOf(block, index));
}

function blockOf(block: unknown, index: number): Block {
  if (typeof block === 'string') return { type: 'text', text: block.toWellFormed(), index };
  if (typeof block !== 'object' || block === null) return { type: 'other', name: typeof block, index };
  const fields = block as Record<string, unknown>;
  const name = typeof fields.type === 'string' ? fields.type : '';
  const type = name.replace(/[_-]/g, '').toLowerCase();
  if (TEXT.has(type) || (name === '' && typeof fields.text === 'string')) {
    return { type: 'text', text: textOf(fields.text), index };
  }
  if (THINKING.has(type)) return { type: 'thinking', text: textOf(fields.thinking ?? fields.text), index };
  if (CALL.has(type)) {
    const input = fields.input ?? fields.arguments;
    return {
      type: 'tool-call',
      id: textOf(fields.id ?? fields.call_id),
      name: textOf(fields.name),
      input,
      index,
    };
  }
  if (RESULT.has(type)) {
    return {
      type: 'tool-result',
      id: textOf(fields.tool_use_id ?? fields.toolCallId ?? fields.call_id),
      index,
    };
  }
  if (FILE.has(type)) return fileOf(fields, type, index);
  return { type: 'other', name: name === '' ? 'untyped' : name, index };
}

function fileOf(fields: Record<string, unknown>, type: string, index: number): Block {
  const source = (typeof fields.source === 'object' && fields.source !== null ? fields.source : fields) as Record<
    string,
    unknown
  >;
  const data = textOf(source.data ?? fields.image_url ?? fields.data);
  const mediaType = textOf(source.media_type ?? source.mimeType ?? fields.mimeType);
  return {
    type: 'image',
    media: type === 'document' || type === 'file' ? 'file' : 'image',
    mediaType: mediaType.slice(0, 80),
    bytes: Math.floor((data.length * 3) / 4),
    index,
  };
}

const MAX_WORD = 512;

/** A tool's arguments as JSON text, at most `max` characters. */
export function inputText(input: unknown, max: number): string | undefined {
  if (input === undefined || max === 0) return undefined;
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  if (text.length <= max) return text;
  // Cut between words: half a secret is known to no rule that hides it later (MASK-14).
  const cut = Math.max(...[' ', '"', ',', '=', ':', "'"].map((border) => text.lastIndexOf(border, max - 1)));
  return text.slice(0, cut > max - MAX_WORD ? cut : Math.max(0, max - MAX_WORD)).toWellFormed();
}

/** A tool's call as an entry tells it. */
export function callOf(block: Extract<Block, { type: 'tool-call' }>, max: number): NonNullable<SourceEntry['tool']> {
  const input = inputText(block.input, max);
  return { id: block.id, name: block.name, ...(input === undefined ? {} : { input }) };
}

export function mediaOf(block: Extract<Block, { type: 'image' }>): NonNullable<SourceEntry['media']> {
  return { type: block.media, mediaType: block.mediaType, bytes: block.bytes };
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : '';
}

/** What makes a block itself, to tell an equal one (SRC-24). */
export function blockName(block: Block): string {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return `${block.type} ${block.text}`;
    case 'tool-call':
    case 'tool-result':
      return `${block.type} ${block.id}`;
    case 'image':
      return `${block.type} ${block.mediaType} ${block.bytes}`;
    case 'other':
      return `${block.type} ${block.name} ${block.index}`;
  }
}
