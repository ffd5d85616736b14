// What a source's entry becomes in the transcript: role, kind and blocks (sources.md §3).
import type { Role, StoredBlock } from '../model/session.ts';
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
  const summary = entries.some((entry) => entry.kind === 'summary');
  const leading = entries.find((entry) => entry.kind === 'prompt' || entry.kind === 'answer') ?? entries[0];
  return {
    kind: summary ? 'compaction' : 'message',
    role: leading ? ROLES[leading.kind] : 'system',
    prompt: entries.some((entry) => entry.kind === 'prompt'),
    blocks: entries.map((entry) => blockOf(entry, file)),
  };
}

function blockOf(entry: SourceEntry, file: number): StoredBlock {
  const pointer = { ...entry.pointer, file };
  switch (entry.kind) {
    case 'prompt':
    case 'answer':
    case 'summary':
    case 'injected':
      return { type: 'text', text: entry.text ?? '' };
    case 'tool-call':
      return {
        type: 'tool_call',
        id: entry.tool?.id ?? '',
        name: entry.tool?.name ?? '',
        ...(entry.tool?.input === undefined ? {} : { input: entry.tool.input }),
        pointer,
      };
    case 'tool-result':
      return { type: 'tool_result', id: entry.tool?.id ?? '', pointer };
    case 'thinking':
      return { type: 'reasoning', pointer };
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
