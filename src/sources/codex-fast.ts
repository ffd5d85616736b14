// What of a Codex line can be told by its bytes alone (SRC-61): contexts, which repeat whole instructions in each turn,
// outputs, encrypted reasoning and events that say nothing of ours. Together four fifths of the bytes of real files.
import { META_EVENTS, OUTPUTS } from './codex-types.ts';
import { isSound } from './line-text.ts';
import { has, isNull, optionalString, type Places, plainString, scannerOf } from './scan.ts';

export type FastView = { readonly at: string | undefined } & (
  | { readonly what: 'context'; readonly context: Readonly<Record<'turn_id' | 'cwd' | 'model', string | undefined>> }
  | { readonly what: 'output'; readonly call: string }
  | { readonly what: 'empty-thinking' | 'nothing' }
);

const FIELDS = ['timestamp', 'type', 'payload'] as const;
const PAYLOAD = ['type', 'call_id', 'turn_id', 'cwd', 'model', 'summary', 'content', 'output'] as const;
const [AT, TYPE] = FIELDS.keys() as Iterable<number>;
const [KIND, CALL, TURN, CWD, MODEL, SUMMARY, CONTENT, OUTPUT] = PAYLOAD.keys() as Iterable<number>;
const scanner = scannerOf({ keys: FIELDS, inner: ['payload', { keys: PAYLOAD }] });
const EMPTY_LIST = 2;

/** Undefined: the line must be parsed (SRC-62). */
export function fastView(line: Buffer): FastView | undefined {
  if (!scanner.scan(line)) return undefined;
  const { fields, inner } = scanner;
  const at = optionalString(line, fields, AT!);
  const type = plainString(line, fields, TYPE!);
  if (at === false || type === undefined) return undefined;
  const view = type === 'turn_context' ? contextOf(line, inner) : itemOf(line, type, inner);
  return view && isSound(line) ? ({ at, ...view } as FastView) : undefined;
}

function contextOf(line: Buffer, payload: Places): object | undefined {
  const turn = optionalString(line, payload, TURN!);
  const cwd = optionalString(line, payload, CWD!);
  const model = optionalString(line, payload, MODEL!);
  if (turn === false || cwd === false || model === false) return undefined;
  // Without any of them there may be no payload at all.
  return turn === undefined ? undefined : { what: 'context', context: { turn_id: turn, cwd, model } };
}

function itemOf(line: Buffer, type: string, payload: Places): object | undefined {
  const kind = plainString(line, payload, KIND!);
  if (kind === undefined) return undefined;
  if (type === 'event_msg') return META_EVENTS.has(kind) ? { what: 'nothing' } : undefined;
  if (type !== 'response_item') return undefined;
  if (OUTPUTS.has(kind)) {
    const call = plainString(line, payload, CALL!);
    return call === undefined || !has(payload, OUTPUT!) ? undefined : { what: 'output', call };
  }
  const isEmpty = kind === 'reasoning' && isNothing(line, payload, SUMMARY!) && isNothing(line, payload, CONTENT!);
  return isEmpty ? { what: 'empty-thinking' } : undefined;
}

// Absent, null or an empty list.
function isNothing(line: Buffer, places: Places, key: number): boolean {
  if (!has(places, key) || isNull(line, places, key)) return true;
  return line[places[key * 2]!] === 0x5b && places[key * 2 + 1]! - places[key * 2]! === EMPTY_LIST;
}
