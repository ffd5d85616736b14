// What a reader gives, gathered in the order of the file until it is applied: blocks joined to messages, repetitions
// within a batch already settled. Knows no store.

import { hash } from 'node:crypto';
import type { EntrySink, Marker, SessionFacts, SessionRef, SourceEntry } from '../sources/contract.ts';
import { rewindId } from './marks.ts';

export interface MessageOp {
  readonly type: 'message';
  readonly session: SessionRef;
  readonly id: string;
  blocks: SourceEntry[];
}
export type Op =
  | MessageOp
  | { readonly type: 'link'; readonly session: SessionRef; readonly id: string; readonly parent: string | undefined }
  | { readonly type: 'mark'; readonly session: SessionRef; readonly marker: Marker }
  | { readonly type: 'facts'; readonly session: SessionRef; readonly facts: SessionFacts }
  | { readonly type: 'retract'; readonly session: SessionRef; readonly id: string }
  | { readonly type: 'restart' };

/** One name for a session and part, within one file. */
export function refName(session: SessionRef): string {
  return session.part === undefined ? session.native : `${session.native}\n${session.part}`;
}

/** Gathers operations; `commit` hands them on. Text over the bound is still one batch: the applier cuts it (SRC-42). */
export class Batch implements EntrySink {
  #ops: (Op | undefined)[] = [];
  #messages = new Map<string, { op: MessageOp; index: number }>();
  #counts = new Map<string, number>();
  readonly #apply: (ops: Op[], counts: ReadonlyMap<string, number>, state: Uint8Array) => Promise<void>;

  constructor(apply: (ops: Op[], counts: ReadonlyMap<string, number>, state: Uint8Array) => Promise<void>) {
    this.#apply = apply;
  }

  entry(given: SourceEntry): void {
    const entry = withinBounds(given);
    const name = `${refName(entry.session)}\0${entry.id}`;
    const open = this.#messages.get(name);
    if (!open) {
      const op: MessageOp = { type: 'message', session: entry.session, id: entry.id, blocks: [entry] };
      this.#messages.set(name, { op, index: this.#ops.length });
      this.#ops.push(op);
    } else if (sameRecord(open.op, entry)) {
      open.op.blocks.push(entry);
    } else {
      // The same id once more: it replaces the message, in its place (SRC-24).
      const parent = open.op.blocks[0]?.parent;
      open.op.blocks = [parent === undefined ? entry : { ...entry, parent }];
    }
  }

  link(session: SessionRef, id: string, parent: string | undefined): void {
    this.#ops.push({ type: 'link', session, id: boundedId(id), parent: boundedId(parent) });
  }

  mark(session: SessionRef, marker: Marker): void {
    this.#ops.push({ type: 'mark', session, marker: boundedMarker(marker) });
  }

  facts(session: SessionRef, facts: SessionFacts): void {
    this.#ops.push({ type: 'facts', session, facts: boundedFacts(facts) });
  }

  retract(session: SessionRef, given: string): void {
    const id = boundedId(given);
    const name = `${refName(session)}\0${id}`;
    const open = this.#messages.get(name);
    if (open) {
      this.#ops[open.index] = undefined;
      this.#messages.delete(name);
    }
    // It may stand in the store from an earlier batch as well.
    this.#ops.push({ type: 'retract', session, id });
  }

  count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  restart(): void {
    this.rollback();
    this.#ops.push({ type: 'restart' });
  }

  async commit(state: Uint8Array): Promise<void> {
    const ops = this.#ops.filter((op) => op !== undefined);
    const counts = this.#counts;
    this.rollback();
    await this.#apply(ops, counts, state);
  }

  rollback(): void {
    this.#ops = [];
    this.#messages = new Map();
    this.#counts = new Map();
  }
}

// Ids and attributes stand in every hit. One of 100 000 characters fills a page (COM-2) that then shows nothing, and all that
// ranks below it is out of reach: a long id becomes its digest, a long attribute is none (cut, it could be half a secret).
const MAX_ID = 512;
const MAX_FACT = 4_096;

function boundedId(id: string): string;
function boundedId(id: string | undefined): string | undefined;
function boundedId(id: string | undefined): string | undefined {
  return id === undefined || id.length <= MAX_ID ? id : hash('sha256', id, 'hex').slice(0, 32);
}

function withinBounds(entry: SourceEntry): SourceEntry {
  const { id, parent } = entry;
  if (id.length <= MAX_ID && (parent === undefined || parent.length <= MAX_ID)) return entry;
  return { ...entry, id: boundedId(id), ...(parent === undefined ? {} : { parent: boundedId(parent) }) };
}

function boundedMarker(marker: Marker): Marker {
  if (marker.type === 'leaf') return { ...marker, target: boundedId(marker.target) };
  if (marker.type === 'rewound-to') return { ...marker, id: boundedId(marker.id) };
  if (marker.type !== 'reset') return marker;
  const { parent, firstKept } = marker;
  return {
    ...marker,
    id: boundedId(marker.id),
    ...(parent === undefined ? {} : { parent: boundedId(parent) }),
    ...(firstKept === undefined ? {} : { firstKept: boundedId(firstKept) }),
  };
}

function boundedFacts(facts: SessionFacts): SessionFacts {
  const kept = Object.entries(facts).filter(([, value]) => typeof value !== 'string' || value.length <= MAX_FACT);
  return Object.fromEntries(kept) as SessionFacts;
}

// Blocks of one record share its place in the file; a replacement comes from another line.
function sameRecord(op: MessageOp, entry: SourceEntry): boolean {
  const first = op.blocks[0]?.pointer;
  if (!first) return false;
  if ('offset' in first && 'offset' in entry.pointer) return first.offset === entry.pointer.offset;
  if ('row' in first && 'row' in entry.pointer)
    return first.row === entry.pointer.row && first.table === entry.pointer.table;
  return false;
}

/** The ids that applying these operations will ask about, by session. */
export function idsOf(ops: readonly Op[]): { readonly session: SessionRef; readonly ids: ReadonlySet<string> }[] {
  const bySession = new Map<string, { session: SessionRef; ids: Set<string> }>();
  for (const op of ops) {
    if (op.type === 'restart') continue;
    const name = refName(op.session);
    const entry = bySession.get(name) ?? { session: op.session, ids: new Set<string>() };
    bySession.set(name, entry);
    for (const id of idsOfOne(op)) if (id !== undefined) entry.ids.add(id);
  }
  return [...bySession.values()];
}

function idsOfOne(op: Exclude<Op, { type: 'restart' }>): (string | undefined)[] {
  if (op.type === 'message') return [op.id, ...op.blocks.map((block) => block.parent)];
  if (op.type === 'link') return [op.id, op.parent];
  if (op.type === 'retract') return [op.id];
  if (op.type === 'facts') return [];
  const { marker } = op;
  if (marker.type === 'rolled-back') return [rewindId(marker.offset)];
  if (marker.type === 'leaf') return [marker.target];
  if (marker.type === 'reset') return [marker.id, marker.parent, marker.firstKept];
  return [];
}
