// The truth table of RUN-37 as one pure function: may this request see this record? The index says the same in SQL.
import { isLeftOut, NONE, type RawRecord } from './record.ts';
import { RunScope } from './scope.ts';

/** A record, or a line of an other file, with its place. */
export interface Placed {
  /** RUN-42. */
  readonly file: 'record' | 'other';
  /** Absent: unknown (RUN-40). */
  readonly episode?: number;
  /** Of record files only. */
  readonly record?: Pick<RawRecord, 'kind' | 'header' | 'enclosing'>;
}

/** What the request says of its turn. Conversation `''` or `-` is none. */
export interface TurnPlace {
  readonly episode?: number;
  readonly conversation?: string;
}

/** `no_conversation_field`: no, and the file is named in coverage and warned of once (RUN-37). */
export type Verdict = 'yes' | 'no' | 'no_conversation_field';

export function evidenceFor(placed: Placed, scope: RunScope, turn: TurnPlace): Verdict {
  const { record } = placed;
  if (placed.file === 'other' || record === undefined) return ofOtherFile(placed, scope, turn);
  if (isLeftOut(record)) return 'no';
  const conversation = conversationOf(turn);
  if (turn.episode === undefined || conversation === undefined) return 'no';
  if (record.enclosing?.unknownWriter) return 'no';
  if (placed.episode !== turn.episode) {
    if (scope === RunScope.EPISODE) return 'no';
    if (placed.episode !== undefined) return 'yes';
  }
  const own = ofConversation(record.header?.conversation, conversation);
  if (own === 'yes' && record.enclosing !== undefined) {
    return ofConversation(record.enclosing.conversation, conversation) === 'yes' ? 'yes' : 'no';
  }
  return own;
}

/** The conversation of a turn; `''` and `-` are none (§8). */
export function conversationOf(turn: TurnPlace): string | undefined {
  return turn.conversation === '' || turn.conversation === NONE ? undefined : turn.conversation;
}

function ofOtherFile(placed: Placed, scope: RunScope, turn: TurnPlace): Verdict {
  if (scope === RunScope.RUN) return 'yes';
  return turn.episode !== undefined && placed.episode === turn.episode ? 'yes' : 'no';
}

function ofConversation(own: string | undefined, asked: string): Verdict {
  if (own === undefined) return 'no_conversation_field';
  return own === asked || own === NONE ? 'yes' : 'no';
}
