// A checked message as its entry stores it: text in one body, other blocks as their JSON, large ones apart (SES-13).
import { isDeepStrictEqual } from 'node:util';
import type { Role, StoredBlock } from '../model/session.ts';
import {
  type Author,
  type CheckedMessage,
  type JsonBlock,
  REASONING_TYPES,
  TEXT_TYPES,
} from '../model/session-message.ts';
import { applyMask } from '../redact/masked.ts';
import type { WholeEntry } from '../store/host.ts';
import type { HostContext } from './host.ts';

/** One thing to append, as it was asked for. */
export interface AskedItem {
  /** What errors call it. */
  readonly path: string;
  readonly message?: CheckedMessage;
  readonly custom?: { readonly data: unknown; readonly display: boolean; readonly id?: string; readonly at?: number };
  readonly idempotencyKey?: string;
}

/** The same, ready to be stored and compared. */
export interface Item {
  readonly path: string;
  readonly kind: 'message' | 'custom';
  readonly id?: string;
  readonly idempotencyKey?: string;
  readonly role?: Role;
  readonly at?: number;
  readonly author?: Author;
  readonly content: string | readonly JsonBlock[];
  readonly data?: unknown;
  readonly blocks: readonly StoredBlock[];
  readonly list: boolean;
  readonly apart?: ReadonlyMap<number, string>;
  readonly displayed: boolean;
  /** Types of blocks that are none of SES-11. */
  readonly unknown: readonly string[];
}

const MAX_INLINE_BYTES = 32 * 1024;
const MOST_BYTES = 3;

export function storedItem(context: HostContext, { path, message, custom, idempotencyKey }: AskedItem): Item {
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  if (custom !== undefined) {
    const { id, at, display } = custom;
    const data = context.maskAtRest ? masked(context, custom.data) : custom.data;
    const { host, apart } = placed(JSON.stringify(data), 0, undefined);
    return {
      ...key,
      path,
      kind: 'custom',
      ...(id === undefined ? {} : { id }),
      ...(at === undefined ? {} : { at }),
      content: '',
      data,
      blocks: [{ type: 'data', host }],
      list: false,
      ...(apart === undefined ? {} : { apart }),
      displayed: display,
      unknown: [],
    };
  }
  const { id, role, at, author } = message!;
  const content = context.maskAtRest
    ? (masked(context, message!.content) as CheckedMessage['content'])
    : message!.content;
  return {
    ...key,
    path,
    kind: 'message',
    ...(id === undefined ? {} : { id }),
    role,
    ...(at === undefined ? {} : { at }),
    ...(author === undefined ? {} : { author }),
    content,
    ...storedContent(content),
    displayed: false,
  };
}

/** The same role, content and author, and the same time where one was given (SES-23). */
export function sameMessage(known: WholeEntry, item: Item): boolean {
  if (known.kind !== item.kind || (item.at !== undefined && item.at !== known.at)) return false;
  if (item.kind === 'custom') return isDeepStrictEqual(known.data, item.data);
  return (
    known.role === item.role &&
    isDeepStrictEqual(known.author, item.author) &&
    isDeepStrictEqual(asList(known.content), asList(item.content))
  );
}

function asList(content: string | readonly JsonBlock[]): readonly JsonBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function storedContent(content: string | readonly JsonBlock[]): Pick<Item, 'blocks' | 'list' | 'apart' | 'unknown'> {
  if (typeof content === 'string') return { blocks: [{ type: 'text', text: content }], list: false, unknown: [] };
  const apart = new Map<number, string>();
  const unknown: string[] = [];
  const blocks = content.map((block, place): StoredBlock => {
    const { type } = block;
    if (TEXT_TYPES.includes(type)) {
      const { text, ...rest } = block;
      const plain = type === 'text' && Object.keys(rest).length === 1;
      return { type: 'text', text: String(text), ...(plain ? {} : { host: JSON.stringify({ ...block, text: '' }) }) };
    }
    const { host } = placed(JSON.stringify(block), place, apart);
    if (REASONING_TYPES.includes(type)) return { type: 'reasoning', host };
    if (type === 'tool_call') return { type, id: String(block.id), name: String(block.name), host };
    if (type === 'tool_result') return { type, id: String(block.id), host };
    if (type === 'image' || type === 'file') {
      const { mediaType, data } = block;
      return {
        type,
        ...(typeof mediaType === 'string' ? { mediaType } : {}),
        ...(typeof data === 'string' ? { bytes: Buffer.byteLength(data, 'base64') } : {}),
        host,
      };
    }
    unknown.push(type.slice(0, 64));
    return { type: 'other', name: type, host };
  });
  return { blocks, list: true, ...(apart.size === 0 ? {} : { apart }), unknown };
}

/** JSON in the row, or its place where it is too long for it. */
function placed(
  json: string,
  place: number,
  known: Map<number, string> | undefined,
): { readonly host: string | number; readonly apart?: ReadonlyMap<number, string> } {
  if (json.length * MOST_BYTES <= MAX_INLINE_BYTES || Buffer.byteLength(json) <= MAX_INLINE_BYTES)
    return { host: json };
  const apart = known ?? new Map<number, string>();
  apart.set(place, json);
  return { host: place, apart };
}

/** The strings inside a value masked, keys kept (SES-43). */
function masked(context: HostContext, value: unknown): unknown {
  if (typeof value === 'string') return applyMask(context.masker, value);
  return JSON.parse(applyMask(context.masker, JSON.stringify(value)));
}
