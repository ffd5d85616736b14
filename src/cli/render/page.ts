// A page of history as a conversation: times, roles, tool calls on one line, markers, and how to go on (SUR-22).
import type { HistoryResult } from '../../api/face.ts';
import type { Cut, HistoryEntry, ShownBlock } from '../../model/session.ts';
import type { Look } from './hits.ts';
import { harmless, oneLine, wrapped } from './text.ts';
import { bytesOf, count, counted, timeWithAge } from './time.ts';

const MARKERS: Readonly<Record<Exclude<HistoryEntry['type'], 'message' | 'custom'>, string>> = {
  reset: 'reset: the conversation began anew',
  rewind: 'rewound: what came after was taken back',
  switch: 'switched to another branch',
  compaction: 'compacted: the agent went on with a summary',
  erased: 'erased',
};
const INDENT = '    ';

/** More of a block of the anchor, from somewhere inside it: where the words found stand. */
export interface Slice {
  readonly messageId: string;
  readonly block: number;
  readonly from: number;
  readonly text: string;
}

export function renderPage(page: HistoryResult, look: Look, slice?: Slice): string {
  const { paint } = look;
  const key = oneLine(page.sessionKey);
  const head = [paint.bold(key), `${count(page.entries.length)} of ${counted(page.total, 'entry')}`];
  if (page.view === 'interval') head.push('before the last reset');
  if (page.view === 'window') head.push(`window ${oneLine(page.sessionId)}`);
  const lines = [head.join(paint.dim(' · ')), ''];
  if (page.more.older) lines.push(paint.dim(`↑ earlier: ${goOn(page, 'before', look)}`), '');
  for (const [index, entry] of page.entries.entries()) {
    const isAnchor = page.anchor?.found === true && (page.anchor.index ?? -1) === index;
    lines.push(...renderEntry(entry, isAnchor, page, look), '');
    if (slice && isAnchor) lines.push(...renderSlice(slice, look), '');
  }
  if (page.more.newer) lines.push(paint.dim(`↓ later: ${goOn(page, 'after', look)}`), '');
  const left = [
    ...(page.omitted.tools > 0 ? [`${counted(page.omitted.tools, 'tool message')}: --include-tools`] : []),
    ...(page.omitted.reasoning > 0
      ? [`${counted(page.omitted.reasoning, 'reasoning message')}: --include-reasoning`]
      : []),
    ...(page.truncated ? [`cut to ${bytesOf(page.bytes)}: --max-bytes`] : []),
  ];
  if (left.length > 0) lines.push(paint.dim(`Not shown: ${left.join('; ')}`), '');
  return `${lines.join('\n').trimEnd()}\n`;
}

function renderSlice({ from, text }: Slice, look: Look): string[] {
  const width = Math.max(20, look.columns - INDENT.length);
  const head = INDENT + look.paint.dim(`… where the words were found, from character ${count(from)} on:`);
  return [head, ...wrapped(harmless(text), width).map((line) => INDENT + line)];
}

function renderEntry(entry: HistoryEntry, isAnchor: boolean, page: HistoryResult, look: Look): string[] {
  const { paint, zone, now } = look;
  const time = timeWithAge(entry.timestamp, zone, now) + (entry.atGuessed ? ' (guessed)' : '');
  if (entry.type !== 'message' && entry.type !== 'custom') {
    const lines = [paint.dim(`──  ${MARKERS[entry.type]}  ${time}`)];
    return [...lines, ...entry.blocks.flatMap((block) => renderBlock(block, entry, page, look))];
  }
  const mark = isAnchor ? paint.good('▶ ') : '  ';
  const role = paint.bold(entry.role ?? entry.type);
  const head = `${mark}${role}  ${paint.dim(time)}${entry.shadowed ? paint.dim('  (compacted)') : ''}`;
  return [head, ...entry.blocks.flatMap((block) => renderBlock(block, entry, page, look))];
}

function renderBlock(block: ShownBlock, entry: HistoryEntry, page: HistoryResult, look: Look): string[] {
  const { paint, columns } = look;
  const width = Math.max(20, columns - INDENT.length);
  const text = block.text ?? '';
  const folded = (sign: string, what: string): string[] => [
    INDENT + paint.dim(oneLine(`${sign} ${what}`, width)),
    ...cutLines(block.cut, entry, page, look, 'folded'),
  ];
  switch (block.type) {
    case 'text':
      return [
        ...wrapped(harmless(text), width).map((line) => INDENT + line),
        ...cutLines(block.cut, entry, page, look),
      ];
    case 'reasoning':
      return [
        ...wrapped(harmless(text), width - 2).map((line) => INDENT + paint.dim(`┆ ${line}`)),
        ...cutLines(block.cut, entry, page, look),
      ];
    case 'tool_call':
      return folded('▸', `${block.name ?? 'tool'} ${text}`);
    case 'tool_result':
      return folded('◂', text);
    case 'image':
    case 'file':
      return folded(
        '▫',
        `${block.type} ${block.mediaType ?? ''} ${block.bytes === undefined ? '' : bytesOf(block.bytes)}`,
      );
    default:
      return folded('▫', `${block.name ?? block.type} ${text}`);
  }
}

// A folded line is short anyway: there only a source that cannot be read is worth saying.
function cutLines(
  cut: Cut | undefined,
  entry: HistoryEntry,
  page: HistoryResult,
  look: Look,
  as: 'whole' | 'folded' = 'whole',
): string[] {
  if (!cut) return [];
  if ('reason' in cut) {
    return cut.reason === 'binary' ? [] : [INDENT + look.paint.dim(`(not shown: ${cut.reason})`)];
  }
  if (as === 'folded' || !cut.next) return [];
  const rest = `--message ${entry.messageId} --session-id ${entry.sessionId} --block ${cut.next.block} --from ${cut.next.from}`;
  const shown = `${count(cut.shown)} of ${count(cut.total)} characters`;
  return [
    INDENT + look.paint.dim(`(${shown}; the rest: backstory open ${shellWord(page.sessionKey)} ${rest}${look.again})`),
  ];
}

function goOn(page: HistoryResult, direction: 'before' | 'after', look: Look): string {
  const ends = page.entries;
  const id = page.more[direction] ?? (direction === 'before' ? ends[0] : ends.at(-1))?.messageId ?? '';
  return `backstory open ${shellWord(page.sessionKey)} --${direction} ${shellWord(id)}${look.again}`;
}

/** A word as a POSIX shell reads it unchanged. */
export function shellWord(text: string): string {
  const shown = oneLine(text);
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}
