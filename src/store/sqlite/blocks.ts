// How the blocks and ids of a message are written in a row: short, since most rows hold no text (SRC-79).
import type { HostJson, Pointer, StoredBlock } from '../../model/session.ts';

type EncodedPointer = [
  file: number,
  offset: number,
  length: number,
  digest: string,
  path: number | (string | number)[],
];
type RowPointer = [file: number, table: string, row: number | string, digest: string, path: (string | number)[]];
type Encoded =
  | number
  | ['x', number, string]
  | ['c', string, string, string | 0, (EncodedPointer | RowPointer | 0)?, HostJson?]
  | ['r', string, EncodedPointer | RowPointer | 0, (string | null)?, HostJson?]
  | ['t', EncodedPointer | RowPointer | 0, (string | null)?, HostJson?]
  | ['i' | 'f', string, number, HostJson?]
  | ['o', string, HostJson?]
  | ['d', HostJson];

/** `blocks` is null when the message is one text block. Text blocks stand in `text`, joined by line feeds (SES-40). */
export function encodeBlocks(blocks: readonly StoredBlock[]): { blocks: string | null; text: string | undefined } {
  const texts: string[] = [];
  const encoded = blocks.map((block): Encoded => {
    if (block.type === 'text') {
      texts.push(block.text);
      return block.host === undefined ? block.text.length : ['x', block.text.length, block.host];
    }
    return encodeBlock(block);
  });
  const text = texts.length === 0 ? undefined : texts.join('\n');
  const plain = blocks.length === 1 && typeof encoded[0] === 'number';
  return { blocks: plain ? null : JSON.stringify(encoded), text };
}

/** The blocks of a row, given the text of its body. */
export function decodeBlocks(value: unknown, text: string | undefined): StoredBlock[] {
  if (typeof value !== 'string') return text === undefined ? [] : [{ type: 'text', text }];
  let from = 0;
  return (JSON.parse(value) as Encoded[]).map((encoded): StoredBlock => {
    const length = typeof encoded === 'number' ? encoded : encoded[0] === 'x' ? encoded[1] : undefined;
    if (length === undefined) return decodeBlock(encoded as Exclude<Encoded, number>);
    const block = { type: 'text', text: (text ?? '').slice(from, from + length) } as const;
    from += length + 1;
    return typeof encoded === 'number' ? block : { ...block, host: encoded[2] as string };
  });
}

function encodeBlock(block: Exclude<StoredBlock, { type: 'text' }>): Encoded {
  switch (block.type) {
    case 'data':
      return ['d', block.host];
    case 'tool_call':
      if (block.host !== undefined) return ['c', block.id, block.name, 0, 0, block.host];
      return block.pointer === undefined
        ? ['c', block.id, block.name, block.input ?? 0]
        : ['c', block.id, block.name, block.input ?? 0, encodePointer(block.pointer)];
    case 'tool_result':
      if (block.host !== undefined) return ['r', block.id, 0, null, block.host];
      return block.text === undefined
        ? ['r', block.id, block.pointer ? encodePointer(block.pointer) : 0]
        : ['r', block.id, block.pointer ? encodePointer(block.pointer) : 0, block.text];
    case 'reasoning':
      if (block.host !== undefined) return ['t', 0, null, block.host];
      return block.text === undefined
        ? ['t', block.pointer ? encodePointer(block.pointer) : 0]
        : ['t', block.pointer ? encodePointer(block.pointer) : 0, block.text];
    case 'image':
    case 'file':
      return [block.type === 'image' ? 'i' : 'f', block.mediaType ?? '', block.bytes ?? 0, ...hostOf(block.host)];
    case 'other':
      return ['o', block.name, ...hostOf(block.host)];
  }
}

function hostOf(host: HostJson | undefined): [] | [HostJson] {
  return host === undefined ? [] : [host];
}

function hosted(host: HostJson | undefined): { host?: HostJson } {
  return host === undefined ? {} : { host };
}

function decodeBlock(encoded: Exclude<Encoded, number>): StoredBlock {
  switch (encoded[0]) {
    case 'x':
      throw new TypeError('A text block has no encoding of its own.');
    case 'd':
      return { type: 'data', host: encoded[1] };
    case 'c':
      return {
        type: 'tool_call',
        id: encoded[1],
        name: encoded[2],
        ...(encoded[3] === 0 ? {} : { input: encoded[3] }),
        ...(encoded[4] ? { pointer: decodePointer(encoded[4]) } : {}),
        ...hosted(encoded[5]),
      };
    case 'r':
      return {
        type: 'tool_result',
        id: encoded[1],
        ...(encoded[2] ? { pointer: decodePointer(encoded[2]) } : {}),
        ...(typeof encoded[3] === 'string' ? { text: encoded[3] } : {}),
        ...hosted(encoded[4]),
      };
    case 't':
      return {
        type: 'reasoning',
        ...(encoded[1] ? { pointer: decodePointer(encoded[1]) } : {}),
        ...(typeof encoded[2] === 'string' ? { text: encoded[2] } : {}),
        ...hosted(encoded[3]),
      };
    case 'i':
    case 'f':
      return {
        type: encoded[0] === 'i' ? 'image' : 'file',
        ...(encoded[1] === '' ? {} : { mediaType: encoded[1] }),
        bytes: encoded[2],
        ...hosted(encoded[3]),
      };
    case 'o':
      return { type: 'other', name: encoded[1], ...hosted(encoded[2]) };
  }
}

// Most pointers lead to message.content[n]: then the path is n alone, and the digest is base64 of its 8 bytes.
function encodePointer(pointer: Pointer): EncodedPointer | RowPointer {
  const digest = Buffer.from(pointer.digest, 'hex').toString('base64url');
  if ('table' in pointer) return [pointer.file, pointer.table, pointer.row, digest, [...pointer.path]];
  const [first, second, third] = pointer.path;
  const short = first === 'message' && second === 'content' && typeof third === 'number' && pointer.path.length === 3;
  return [pointer.file, pointer.offset, pointer.length, digest, short ? third : [...pointer.path]];
}

function decodePointer(encoded: EncodedPointer | RowPointer): Pointer {
  const digest = Buffer.from(encoded[3], 'base64url').toString('hex');
  if (typeof encoded[1] === 'string') {
    const [file, table, row, , path] = encoded as RowPointer;
    return { file, table, row, path, digest };
  }
  const [file, offset, length, , path] = encoded as EncodedPointer;
  return { file, offset, length, path: typeof path === 'number' ? ['message', 'content', path] : path, digest };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A message id as it is stored: 16 bytes for a UUID in lower case, else its text. */
export function nativeOf(messageId: string): string | Buffer {
  if (messageId.length !== 36 || !UUID.test(messageId)) return messageId;
  const bytes = Buffer.allocUnsafe(16);
  for (let at = 0, from = 0; at < 16; at++, from += 2) {
    if (at === 4 || at === 6 || at === 8 || at === 10) from++;
    bytes[at] = (digit(messageId.charCodeAt(from)) << 4) | digit(messageId.charCodeAt(from + 1));
  }
  return bytes;
}

function digit(code: number): number {
  return code < 0x3a ? code - 0x30 : code - 0x57;
}

/** The message id of a stored one. */
export function messageIdOf(native: unknown): string {
  if (typeof native === 'string') return native;
  const hex = (native as Buffer).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
