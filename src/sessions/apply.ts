// Puts one batch of what a reader gave into an agent's store: rows, branches, copies and index rows in one transaction.
import { importedKey } from '../model/ids.ts';
import type { StoredBlock } from '../model/session.ts';
import type { SessionRef } from '../sources/contract.ts';
import type { EntryRow, NewEntry, SessionRecord, Writing } from '../store/writing.ts';
import { idsOf, type MessageOp, type Op, refName } from './batch.ts';
import { followLeaf, forgetBranches, leavePromptsBefore } from './branches.ts';
import { copyDigestOf, originalOf } from './copies.ts';
import { DeletedSessions } from './deleted-sessions.ts';
import { mergeFacts, offerPromptTitle } from './facts.ts';
import type { Live } from './live.ts';
import { applyMark } from './marks.ts';
import { type ApplyContext, openLive } from './open-live.ts';
import { parentOf } from './parents.ts';
import { type Shape, sameContent, sameTexts, shapeOf } from './shape.ts';

export interface Tally {
  added: number;
  changed: number;
  erased: number;
  dangling: number;
}

/** The life of one reading of one file: sessions it touches, from batch to batch. */
export class Applier {
  readonly #context: ApplyContext;
  readonly #live = new Map<string, Live>();
  readonly tally: Tally = { added: 0, changed: 0, erased: 0, dangling: 0 };
  #restarted = false;
  readonly #isLeft = new Map<string, boolean>();

  readonly #deleted: DeletedSessions;

  constructor(context: ApplyContext) {
    this.#context = context;
    this.#deleted = new DeletedSessions(context.agentId, context.again === true);
  }

  /** The file's own session, once something was read into it. */
  get mainSession(): SessionRecord | undefined {
    if (this.#context.file.remainder) return undefined;
    const live = this.#live.get(refName(this.#context.file.session)) ?? this.#live.values().next().value;
    return live?.record;
  }

  /** Applies operations in order within the given transaction. `fileNo`: for pointers. */
  async apply(writing: Writing, given: readonly Op[], fileNo: number): Promise<void> {
    const kept = this.#context.file.remainder ? await this.#left(writing, given) : given;
    const ops = await this.#deleted.without(writing, kept);
    await this.#prefetch(writing, ops);
    for (const op of ops) {
      if (op.type === 'message') await this.#message(writing, op, fileNo);
      else if (op.type === 'link') await this.#link(writing, op.session, op.id, op.parent);
      else if (op.type === 'mark') await applyMark(writing, await this.#session(writing, op.session), op.marker);
      else if (op.type === 'facts') {
        const { agentId, prepare, now } = this.#context;
        const live = await this.#session(writing, op.session);
        if (op.facts.archived) live.change.archivedAt ??= now;
        await mergeFacts(writing, live, agentId, op.facts, prepare);
      } else if (op.type === 'retract') await this.#retract(writing, op.session, op.id);
      else await this.#restart(writing);
    }
    for (const live of this.#live.values()) {
      if (live.moved) await followLeaf(writing, live);
      if (live.touched.size > 0) await writing.index([...live.touched], this.#context.prepare);
      live.touched.clear();
      await live.flush(writing);
    }
  }

  /** After a file was read again from its start: what was not met is no longer in it (SRC-45). */
  async finish(writing: Writing): Promise<void> {
    if (!this.#restarted) return;
    const live = this.#live.get(refName(this.#context.file.session));
    if (!live?.seen) return;
    const rows = await writing.entriesFrom(live.record.no, 0);
    await writing.markGone(rows.filter((row) => !live.seen?.has(row.messageId)).map((row) => row.id));
  }

  // Of a session that was read from a file of its own, the prompts are there already (SRC-100).
  async #left(writing: Writing, ops: readonly Op[]): Promise<readonly Op[]> {
    const left: Op[] = [];
    for (const op of ops) {
      if (op.type === 'restart') continue;
      const name = refName(op.session);
      const key = importedKey(this.#context.agentId, op.session.native, op.session.part);
      const known = this.#isLeft.get(name) ?? isRemainder(await writing.session(key));
      this.#isLeft.set(name, known);
      if (known) left.push(op);
    }
    return left;
  }

  async #prefetch(writing: Writing, ops: readonly Op[]): Promise<void> {
    let last: SessionRef | undefined;
    let knowsAll = true;
    for (const op of ops) {
      if (op.type === 'restart' || op.session === last) continue;
      last = op.session;
      if (!(await this.#session(writing, last)).knowsAll) knowsAll = false;
    }
    if (knowsAll) return;
    for (const { session, ids } of idsOf(ops)) await (await this.#session(writing, session)).prefetch(writing, ids);
  }

  async #session(writing: Writing, ref: SessionRef): Promise<Live> {
    const name = refName(ref);
    const known = this.#live.get(name);
    if (known) return known;
    const live = await openLive(writing, this.#context, ref, this.#restarted);
    this.#live.set(name, live);
    return live;
  }

  async #message(writing: Writing, op: MessageOp, fileNo: number): Promise<void> {
    const live = await this.#session(writing, op.session);
    const first = op.blocks[0];
    if (!first) return;
    const shape = shapeOf(op.blocks, fileNo);
    live.seen?.add(op.id);
    const known = live.known.get(op.id);
    if (known && 'entry' in known) {
      await this.#again(writing, live, known.entry, shape, op);
      return;
    }
    const parent = parentOf(live, this.#context.source.branches, first.parent, 'entry');
    if (parent.dangling) this.tally.dangling++;
    const at = first.at;
    const side = first.aside === true || parent.side;
    const copyOf = await originalOf(writing, live.record.no, op, shape.blocks);
    if (
      this.#context.source.branches === 'prompts' &&
      shape.prompt &&
      parent.recorded &&
      parent.id !== undefined &&
      !side
    ) {
      await leavePromptsBefore(writing, live, {
        parent: parent.id,
        at,
        isRepetitionOf: async (entry) => sameTexts((await writing.content(entry))?.blocks ?? [], shape.blocks),
      });
    }
    const digest = copyDigestOf(op);
    // Fields are set one by one here and in `rowOf`: conditional spreads make many shapes, and this runs per entry.
    const made: { -readonly [Name in keyof NewEntry]: NewEntry[Name] } = {
      session: live.record.no,
      window: live.record.window,
      kind: shape.kind,
      state: side ? 'side' : 'active',
      at,
      // Where parents are recorded, only a prompt that names its own can compete with another (SRC-107).
      prompt: shape.prompt && (parent.recorded || this.#context.source.branches !== 'prompts'),
      messageId: op.id,
      blocks: shape.blocks,
    };
    if (parent.id !== undefined) made.parent = parent.id;
    if (shape.role !== undefined) made.role = shape.role;
    if (first.atGuessed) made.atGuessed = true;
    if (copyOf !== undefined) made.copyOf = copyOf;
    if (digest !== undefined) made.copyDigest = digest;
    const id = await writing.insert(made);
    live.known.set(op.id, { entry: rowOf(id, parent.id, shape, side, at, op.id) });
    live.last = id;
    if (!first.aside) this.#moveLeaf(live, id, parent.id);
    if (shape.kind === 'message' && !side) live.addMessages(1);
    live.sawTime(at);
    if (shape.prompt) offerPromptTitle(live, textOf(shape.blocks), this.#context.prepare);
    if (shape.blocks.some((block) => block.type === 'text')) live.touched.add(id);
    this.tally.added++;
  }

  // An id that is there already: equal and untouched, or changed and replaced in place (SRC-42, SRC-45).
  async #again(writing: Writing, live: Live, row: EntryRow, shape: Shape, op: MessageOp): Promise<void> {
    const content = await writing.content(row.id);
    const at = op.blocks[0]?.at ?? row.at;
    if (!content || !sameContent(content.blocks, shape.blocks) || content.at !== at) {
      const copyOf = await originalOf(writing, live.record.no, op, shape.blocks);
      for (const heir of await writing.replace(row.id, shape.blocks, at, copyOf)) live.touched.add(heir);
      live.touched.add(row.id);
      live.sawTime(at);
      this.tally.changed++;
    }
    live.last = row.id;
    if (live.leaf !== row.id && this.#restarted) this.#moveLeaf(live, row.id, undefined);
  }

  async #link(writing: Writing, ref: SessionRef, id: string, parentId: string | undefined): Promise<void> {
    const live = await this.#session(writing, ref);
    if (live.known.has(id)) return;
    const parent = parentOf(live, this.#context.source.branches, parentId, 'link');
    if (parent.dangling) this.tally.dangling++;
    const ancestor = parent.id ?? null;
    await writing.link(live.record.no, id, ancestor);
    live.known.set(id, { ancestor });
    if (this.#context.source.branches === 'strict' && parent.id !== undefined && parent.id !== live.leaf) {
      live.leaf = parent.id;
      live.moved = true;
    }
  }

  #moveLeaf(live: Live, id: number, parent: number | undefined): void {
    if (this.#context.source.branches === 'strict' && parent !== live.leaf) live.moved = true;
    live.leaf = id;
  }

  async #retract(writing: Writing, ref: SessionRef, id: string): Promise<void> {
    const live = await this.#session(writing, ref);
    const known = live.known.get(id);
    if (!known || !('entry' in known)) return;
    const { entry } = known;
    await writing.setState([entry.id], 'side');
    await writing.index([entry.id], this.#context.prepare);
    await writing.remove(entry.id);
    await live.lostTime(writing, entry.at);
    live.touched.delete(entry.id);
    live.known.delete(id);
    if (entry.kind === 'message' && entry.state !== 'side') live.addMessages(-1);
    if (live.last === entry.id) live.last = entry.parent;
    if (live.leaf === entry.id) live.leaf = entry.parent;
  }

  async #restart(writing: Writing): Promise<void> {
    this.#restarted = true;
    const { agentId, file } = this.#context;
    const { native, part } = file.session;
    // A session that is not there yet has nothing to be matched, and its name may only stand in the file (SRC-102).
    const known = this.#live.get(refName(file.session));
    const there = native !== '' && (await writing.session(importedKey(agentId, native, part))) !== undefined;
    if (known?.complete || (!known && !there)) return;
    const live = known ?? (await this.#session(writing, file.session));
    live.seen = new Set();
    if (this.#context.source.branches === 'marked') await forgetBranches(writing, live);
    live.moved = this.#context.source.branches === 'strict';
    live.last = undefined;
  }
}

function isRemainder(session: SessionRecord | undefined): boolean {
  return session === undefined || session.origin?.promptsOnly === true;
}

function textOf(blocks: readonly StoredBlock[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function rowOf(
  id: number,
  parent: number | undefined,
  shape: Shape,
  side: boolean,
  at: number,
  messageId: string,
): EntryRow {
  const row: { -readonly [Name in keyof EntryRow]: EntryRow[Name] } = {
    id,
    kind: shape.kind,
    prompt: shape.prompt,
    state: side ? 'side' : 'active',
    at,
    messageId,
  };
  if (parent !== undefined) row.parent = parent;
  if (shape.role !== undefined) row.role = shape.role;
  return row;
}
