// What a source's entry becomes in the transcript: role, kind and blocks (sources.md §3).
import type { Pointer, Role, StoredBlock } from '../model/session.ts';
import type { SourceEntry } from '../sources/contract.ts';

export interface Shape {
  readonly kind: 'message' | 'compaction';
  readonly role?: Role;
  readonly prompt: boolean;
  readonly blocks: StoredBlock[];
}

const ROLES: Readonly<Record<SourceEntry['kind'], Role>> = {
  prompt: 'user',
  answer: 'assistant',
  'tool-call': 'assistant',
  'tool-result': 'tool',
  thinking: 'assistant',
  summary: 'system',
  injected: 'system',
  image: 'user',
};

/** The message that these blocks of one record make. `file`: number of the file's row, for pointers. */
export function shapeOf(entries: readonly SourceEntry[], file: number): Shape {
  let summary = false;
  let prompt = false;
  let leading: SourceEntry | undefined;
  const blocks: StoredBlock[] = [];
  for (const entry of entries) {
    if (entry.kind === 'summary') summary = true;
    else if (entry.kind === 'prompt') prompt = true;
    if (!leading && (entry.kind === 'prompt' || entry.kind === 'answer')) leading = entry;
    blocks.push(blockOf(entry, file));
  }
  leading ??= entries[0];
  return {
    kind: summary ? 'compaction' : 'message',
    role: leading ? ROLES[leading.kind] : 'system',
    prompt,
    blocks,
  };
}

// Most pointers are of one shape: written out, so that it stays one.
function pointerOf({ pointer }: SourceEntry, file: number): Pointer {
  if (!('offset' in pointer)) return { ...pointer, file };
  return { file, offset: pointer.offset, length: pointer.length, path: pointer.path, digest: pointer.digest };
}

function blockOf(entry: SourceEntry, file: number): StoredBlock {
  switch (entry.kind) {
    case 'prompt':
    case 'answer':
    case 'summary':
    case 'injected':
      return { type: 'text', text: entry.text ?? '' };
    case 'tool-call': {
      const { id = '', name = '', input } = entry.tool ?? {};
      const pointer = pointerOf(entry, file);
      return input === undefined
        ? { type: 'tool_call', id, name, pointer }
        : { type: 'tool_call', id, name, input, pointer };
    }
    case 'tool-result':
      return { type: 'tool_result', id: entry.tool?.id ?? '', pointer: pointerOf(entry, file) };
    case 'thinking':
      return { type: 'reasoning', pointer: pointerOf(entry, file) };
    case 'image':
      return {
        type: entry.media?.type ?? 'image',
        ...(entry.media?.mediaType === undefined ? {} : { mediaType: entry.media.mediaType }),
        bytes: entry.media?.bytes ?? 0,
      };
  }
}

/** Two messages say the same: equal blocks, wherever they stand in a file. */
export function sameContent(a: readonly StoredBlock[], b: readonly StoredBlock[]): boolean {
  return a.length === b.length && a.every((block, index) => JSON.stringify(block) === JSON.stringify(b[index]));
}

/** Equal text blocks: enough for two records to be copies of one message (SRC-15). */
export function sameTexts(a: readonly StoredBlock[], b: readonly StoredBlock[]): boolean {
  const texts = (blocks: readonly StoredBlock[]): string[] =>
    blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const left = texts(a);
  const right = texts(b);
  return left.length === right.length && left.every((text, index) => text === right[index]);
}
