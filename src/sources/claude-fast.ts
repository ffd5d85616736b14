// What of a Claude Code line can be told by its bytes alone (SRC-61): tool results, empty thinking, records without content.
import { META } from './claude-types.ts';
import { isNull, plainString, type Range, scanLine } from './scan.ts';

export interface FastView {
  readonly uuid: string | undefined;
  readonly parent: string | undefined;
  readonly at: string | undefined;
  readonly facts: Readonly<Record<string, string>>;
  /** Tool ids, when every block is a tool's result. */
  readonly results: readonly string[];
  readonly emptyThinking: number;
}

/** Undefined: the line must be parsed. Nothing is decided by luck (SRC-62). */
export function fastView(bytes: Buffer): FastView | undefined {
  const scanned = scanLine(bytes);
  if (!scanned) return undefined;
  const { fields, message, blocks } = scanned;
  const type = plainString(bytes, fields.get('type'));
  if (type === undefined || fields.has('isCompactSummary') || fields.has('isMeta') || fields.has('agentId'))
    return undefined;
  const names = ['uuid', 'parentUuid', 'timestamp', 'cwd', 'gitBranch', 'version'] as const;
  const values = names.map((name) => optional(bytes, fields.get(name)));
  if (values.includes(false)) return undefined;
  const [uuid, parent, at, cwd, gitBranch, version] = values as (string | undefined)[];
  const facts = Object.fromEntries(
    Object.entries({ cwd, gitBranch, version }).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const node = { uuid, parent, at, facts };
  if (type === 'user' || type === 'assistant') {
    if (uuid === undefined || plainString(bytes, message.get('role')) !== type || blocks.length === 0) return undefined;
    return type === 'user' ? results(bytes, blocks, node) : emptyThinking(bytes, blocks, message, node);
  }
  const passes = META.has(type) || (type === 'progress' && isPlainProgress(bytes, fields.get('data')));
  return passes ? { ...node, results: [], emptyThinking: 0 } : undefined;
}

type Node_ = Pick<FastView, 'uuid' | 'parent' | 'at' | 'facts'>;

function results(bytes: Buffer, blocks: readonly Map<string, Range>[], node: Node_): FastView | undefined {
  const ids: string[] = [];
  for (const block of blocks) {
    const id = plainString(bytes, block.get('tool_use_id'));
    if (id === undefined || plainString(bytes, block.get('type')) !== 'tool_result') return undefined;
    ids.push(id);
  }
  return { ...node, results: ids, emptyThinking: 0 };
}

// A reply's blocks are compared with its others (SRC-24), which needs their text: only empty ones are quick.
function emptyThinking(
  bytes: Buffer,
  blocks: readonly Map<string, Range>[],
  message: ReadonlyMap<string, Range>,
  node: Node_,
): FastView | undefined {
  // The model is a fact, told by the slow path.
  if (message.has('model') || !message.has('id')) return undefined;
  for (const block of blocks) {
    const text = block.get('thinking');
    if (plainString(bytes, block.get('type')) !== 'thinking' || !text || text[1] - text[0] !== 2) return undefined;
  }
  return { ...node, results: [], emptyThinking: blocks.length };
}

function isPlainProgress(bytes: Buffer, data: Range | undefined): boolean {
  return data !== undefined && !bytes.subarray(data[0], data[1]).includes('"agent_progress"');
}

// Undefined: absent, null or empty. False: not a plain string, so the slow path decides.
function optional(bytes: Buffer, range: Range | undefined): string | undefined | false {
  if (!range || isNull(bytes, range)) return undefined;
  const text = plainString(bytes, range);
  return text === undefined ? false : text || undefined;
}
