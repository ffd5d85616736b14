// What of a Claude Code line can be told by its bytes alone (SRC-61): tool results, empty thinking, records without content.
import { isUtf8 } from 'node:buffer';
import { META } from './claude-types.ts';
import { has, isNull, isText, type Places, plainString, scannerOf } from './scan.ts';

export interface FastView {
  readonly uuid: string | undefined;
  readonly parent: string | undefined;
  readonly at: string | undefined;
  /** Tool ids, when every block is a tool's result. */
  readonly results: readonly string[];
  readonly emptyThinking: number;
}

const FIELDS = [
  ...['type', 'uuid', 'parentUuid', 'timestamp', 'message', 'data', 'cwd', 'gitBranch', 'version'],
  ...['isCompactSummary', 'isMeta', 'agentId'],
] as const;
const MESSAGE = ['role', 'content', 'id', 'model'] as const;
const BLOCK = ['type', 'tool_use_id', 'thinking'] as const;
const [TYPE, UUID, PARENT, AT, , DATA, CWD, BRANCH, VERSION, SUMMARY, IS_META, AGENT] =
  FIELDS.keys() as Iterable<number>;
const [ROLE, , ID, MODEL] = MESSAGE.keys() as Iterable<number>;
const [BLOCK_TYPE, TOOL, THINKING] = BLOCK.keys() as Iterable<number>;
const FACTS: readonly (readonly [key: number, name: string])[] = [
  [CWD!, 'cwd'],
  [BRANCH!, 'gitBranch'],
  [VERSION!, 'version'],
];
const scanner = scannerOf({
  keys: FIELDS,
  inner: ['message', { keys: MESSAGE, list: ['content', { keys: BLOCK }] }],
});
// Bytes that no string of JSON holds as they are, and that broken writers leave there.
const RAW = [0x00, 0x09, 0x0d, 0x1b];

/**
 * Undefined: the line must be parsed. Nothing is decided by luck (SRC-62). `facts`: what is known of the session; a line
 * that says something else is parsed. `isPart`: the file is a subagent's, whose lines name it.
 */
export function fastView(line: Buffer, facts: Readonly<Record<string, string>>, isPart: boolean): FastView | undefined {
  if (!scanner.scan(line)) return undefined;
  const { fields } = scanner;
  if (has(fields, SUMMARY!) || has(fields, IS_META!) || (has(fields, AGENT!) && !isPart)) return undefined;
  if (!FACTS.every(([key, name]) => isKnown(line, fields, key, facts[name]))) return undefined;
  const view = viewOf(line, fields);
  if (!view || RAW.some((code) => line.includes(code)) || !isUtf8(line)) return undefined;
  const [uuid, parent, at] = [UUID!, PARENT!, AT!].map((key) => optional(line, fields, key));
  if (uuid === false || parent === false || at === false) return undefined;
  if (uuid === undefined && (view.results.length > 0 || view.emptyThinking > 0)) return undefined;
  return { uuid, parent, at, ...view };
}

const NOTHING = { results: [], emptyThinking: 0 } as const;

function viewOf(line: Buffer, fields: Places): Pick<FastView, 'results' | 'emptyThinking'> | undefined {
  const type = plainString(line, fields, TYPE!);
  if (type === undefined) return undefined;
  if (type !== 'user' && type !== 'assistant') {
    return META.has(type) || (type === 'progress' && isPlainProgress(line, fields)) ? NOTHING : undefined;
  }
  const { inner, list, listed } = scanner;
  if (listed < 1 || !isText(line, inner, ROLE!, type)) return undefined;
  const blocks = list.slice(0, listed);
  return type === 'user' ? results(line, blocks) : emptyThinking(line, blocks, inner);
}

function results(line: Buffer, blocks: readonly Places[]): Pick<FastView, 'results' | 'emptyThinking'> | undefined {
  const ids: string[] = [];
  for (const block of blocks) {
    const id = isText(line, block, BLOCK_TYPE!, 'tool_result') ? plainString(line, block, TOOL!) : undefined;
    if (id === undefined) return undefined;
    ids.push(id);
  }
  return { results: ids, emptyThinking: 0 };
}

// A reply's blocks are compared with its others (SRC-24), which needs their text: only empty ones are quick.
function emptyThinking(
  line: Buffer,
  blocks: readonly Places[],
  message: Places,
): Pick<FastView, 'results' | 'emptyThinking'> | undefined {
  // The model is a fact, told by the slow path; without an id there is no group.
  if (has(message, MODEL!) || !has(message, ID!)) return undefined;
  const empty = blocks.every(
    (block) => isText(line, block, BLOCK_TYPE!, 'thinking') && isText(line, block, THINKING!, ''),
  );
  return empty ? { results: [], emptyThinking: blocks.length } : undefined;
}

function isPlainProgress(line: Buffer, fields: Places): boolean {
  const data = fields.subarray(DATA! * 2, DATA! * 2 + 2);
  return data[0] !== 0 && !line.subarray(data[0], data[1]).includes('agent_progress');
}

// Absent, null or empty, or what was known before.
function isKnown(line: Buffer, fields: Places, key: number, known: string | undefined): boolean {
  if (!has(fields, key) || isNull(line, fields, key) || isText(line, fields, key, '')) return true;
  return known !== undefined && isText(line, fields, key, known);
}

// Undefined: absent, null or empty. False: not a plain string, so the slow path decides.
function optional(line: Buffer, fields: Places, key: number): string | undefined | false {
  if (!has(fields, key) || isNull(line, fields, key)) return undefined;
  const text = plainString(line, fields, key);
  return text === undefined ? false : text || undefined;
}
