// What of a Claude Code line can be told by its bytes alone (SRC-61): tool results, and records without content of ours.
import { META } from './claude-types.ts';
import { isSound } from './line-text.ts';
import { has, isNull, isText, optionalString, type Places, plainString, scannerOf } from './scan.ts';

export interface FastView {
  readonly uuid: string | undefined;
  readonly parent: string | undefined;
  readonly at: string | undefined;
  /** Tool ids, when every block is a tool's result. */
  readonly results: readonly string[];
}

const FIELDS = [
  ...['type', 'uuid', 'parentUuid', 'timestamp', 'message', 'data', 'cwd', 'gitBranch', 'version'],
  ...['isCompactSummary', 'isMeta', 'agentId'],
] as const;
const MESSAGE = ['role', 'content'] as const;
const BLOCK = ['type', 'tool_use_id'] as const;
const [TYPE, UUID, PARENT, AT, , DATA, CWD, BRANCH, VERSION, SUMMARY, IS_META, AGENT] =
  FIELDS.keys() as Iterable<number>;
const [ROLE] = MESSAGE.keys() as Iterable<number>;
const [BLOCK_TYPE, TOOL] = BLOCK.keys() as Iterable<number>;
const FACTS: readonly (readonly [key: number, name: string])[] = [
  [CWD!, 'cwd'],
  [BRANCH!, 'gitBranch'],
  [VERSION!, 'version'],
];
const scanner = scannerOf({
  keys: FIELDS,
  inner: ['message', { keys: MESSAGE, list: ['content', { keys: BLOCK }] }],
  // A reply nearly always holds text.
  unless: ['type', 'assistant'],
});

/**
 * Undefined: the line must be parsed. Nothing is decided by luck (SRC-62). `facts`: what is known of the session; a line
 * that says something else is parsed. `isPart`: the file is a subagent's, whose lines name it.
 */
export function fastView(line: Buffer, facts: Readonly<Record<string, string>>, isPart: boolean): FastView | undefined {
  if (!scanner.scan(line)) return undefined;
  const { fields } = scanner;
  if (has(fields, SUMMARY!) || has(fields, IS_META!) || (has(fields, AGENT!) && !isPart)) return undefined;
  for (const [key, name] of FACTS) if (!isKnown(line, fields, key, facts[name])) return undefined;
  const results = resultsOf(line, fields);
  if (!results || !isSound(line)) return undefined;
  const uuid = optionalString(line, fields, UUID!);
  const parent = optionalString(line, fields, PARENT!);
  const at = optionalString(line, fields, AT!);
  if (uuid === false || parent === false || at === false) return undefined;
  return uuid === undefined && results.length > 0 ? undefined : { uuid, parent, at, results };
}

const NONE: readonly string[] = [];

function resultsOf(line: Buffer, fields: Places): readonly string[] | undefined {
  const type = plainString(line, fields, TYPE!);
  if (type === undefined) return undefined;
  if (type !== 'user')
    return META.has(type) || (type === 'progress' && isPlainProgress(line, fields)) ? NONE : undefined;
  const { inner, list, listed } = scanner;
  if (listed < 1 || !isText(line, inner, ROLE!, type)) return undefined;
  const ids: string[] = [];
  for (let n = 0; n < listed; n++) {
    const id = isText(line, list[n]!, BLOCK_TYPE!, 'tool_result') ? plainString(line, list[n]!, TOOL!) : undefined;
    if (id === undefined) return undefined;
    ids.push(id);
  }
  return ids;
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
