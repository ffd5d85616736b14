// Writes messages under the leaf, each once, with their index rows in the same transaction (SES-20 … SES-29).
import { BackstoryError } from '../model/errors.ts';
import { makeTurn, type Turn } from '../model/turn.ts';
import type { Reopened } from '../sources/contract.ts';
import type { HostEntry, HostSession } from '../store/host.ts';
import type { Writing } from '../store/writing.ts';
import { type AppendManyParams, type AppendParams, type Asked, askedMany, askedOne } from './append-params.ts';
import { createdSession, type Place, placeOf, updatedProperties } from './append-session.ts';
import { type Item, sameMessage, storedItem } from './append-stored.ts';
import { moveTip } from './branch-moves.ts';
import { type ExtraTexts, extraTexts } from './extra.ts';
import { asLeaf, checkConditions, type HostContext, leafConflict } from './host.ts';
import { targetBeforeReset } from './host-markers.ts';

export type { AppendManyParams, AppendParams } from './append-params.ts';

export interface Appended {
  readonly sessionId: string;
  readonly messageId: string;
  readonly seq: number;
  /** False: this very message was already there. */
  readonly appended: boolean;
  /** The stale parent that was asked for (SES-25). */
  readonly rebasedFrom?: string;
}

export interface AppendedMany {
  /** Of the window that new messages went to. */
  readonly sessionId: string;
  /** One for each message given, in their order. */
  readonly messages: readonly Appended[];
}

/**
 * Appends one message or custom entry. When it resolves, the next search finds it; when it rejects, nothing was written.
 * Throws `key_invalid`, `invalid_argument`, `message_too_large`, and the conflicts of SES-190.
 */
export async function append(context: HostContext, params: AppendParams): Promise<Appended> {
  const { messages } = await appendAsked(context, askedOne(context, params));
  return messages[0]!;
}

/** Appends all or none (SES-27). Throws as `append` does, and `batch_too_large`. */
export async function appendMany(context: HostContext, params: AppendManyParams): Promise<AppendedMany> {
  return appendAsked(context, askedMany(context, params));
}

async function appendAsked(context: HostContext, asked: Asked): Promise<AppendedMany> {
  const place = await placeOf(context, asked);
  const done = await place.store.write((writing) => new Batch(context, writing, place, asked).write());
  if (place.incognito) context.incognito.add(asked.key);
  return done;
}

// Others get their turn between.
const INDEXED_AT_ONCE = 64;

/** What a host appends stands in no file. */
const NOT_THERE = async (): Promise<Reopened> => ({ reason: 'source_gone' });

/** One append in its transaction. */
class Batch {
  readonly #context: HostContext;
  readonly #writing: Writing;
  readonly #place: Place;
  readonly #asked: Asked;
  #session: HostSession | undefined;
  /** Where the next entry hangs; undefined until the first new one. */
  #under: { id: number; messageId: string } | undefined;
  #rebasedFrom: string | undefined;
  #written: number[] = [];
  #messages = 0;
  #firstAt = Number.MAX_SAFE_INTEGER;
  #lastAt = 0;
  #unknown: Record<string, number> = {};
  readonly #extra: (readonly [number, ExtraTexts])[] = [];

  constructor(context: HostContext, writing: Writing, place: Place, asked: Asked) {
    this.#context = context;
    this.#writing = writing;
    this.#place = place;
    this.#asked = asked;
  }

  async write(): Promise<AppendedMany> {
    // Whatever takes long is done in the transaction: a call that waited before it would be overtaken by the next one.
    const turn = makeTurn(this.#context.clock);
    this.#session = await this.#writing.hostSession(this.#asked.key);
    const messages: Appended[] = [];
    for (const asked of this.#asked.items) {
      const item = storedItem(this.#context, asked);
      const known = this.#session === undefined ? undefined : await this.#known(this.#session, item);
      messages.push(known ?? (await this.#append(item)));
      if (turn.isDue()) await turn.give();
    }
    await this.#finish(turn);
    return { sessionId: this.#session!.sessionId, messages };
  }

  /** The very message, written before (SES-23, SES-24). */
  async #known(session: HostSession, item: Item): Promise<Appended | undefined> {
    const { idempotencyKey, id, path } = item;
    const byKey = idempotencyKey === undefined ? undefined : await this.#writing.idempotent(session.no, idempotencyKey);
    const byId = id === undefined ? undefined : await this.#writing.entryInWindow(session.window, id);
    const entry = byKey ?? byId;
    if (entry === undefined) return undefined;
    const known = (await this.#writing.wholeEntry(entry))!;
    if (known.kind !== 'erased' && !sameMessage(known, item)) {
      if (byKey !== undefined) throw idempotencyConflict(idempotencyKey!, path);
      throw messageIdConflict(id!, path);
    }
    if (byKey === undefined && idempotencyKey !== undefined) {
      await this.#writing.setIdempotent(session.no, idempotencyKey, entry);
    }
    return { sessionId: known.sessionId, messageId: known.messageId, seq: entry, appended: false };
  }

  async #append(item: Item): Promise<Appended> {
    const { aside } = this.#asked;
    const at = item.at ?? this.#context.clock.now();
    if (this.#written.length === 0) await this.#begin(at);
    const session = this.#session!;
    const messageId = item.id ?? this.#context.newId();
    const entry: HostEntry = {
      session: session.no,
      window: session.window,
      ...(this.#under === undefined ? {} : { parent: this.#under.id }),
      kind: item.kind,
      ...(item.role === undefined ? {} : { role: item.role }),
      state: aside ? 'side' : 'active',
      at,
      messageId,
      blocks: item.blocks,
      ...(item.list ? { list: true } : {}),
      ...(item.apart === undefined ? {} : { apart: item.apart }),
      ...(item.author === undefined ? {} : { author: item.author }),
      ...(aside ? { aside: true } : {}),
      ...(item.displayed ? { displayed: true } : {}),
    };
    const seq = await this.#writing.hostInsert(entry);
    if (item.idempotencyKey !== undefined) {
      await this.#writing.setIdempotent(session.no, item.idempotencyKey, seq);
    }
    const rebasedFrom = this.#rebasedFrom;
    this.#rebasedFrom = undefined;
    if (this.#asked.index !== 'later') {
      const texts = await extraTexts(this.#context, item.blocks, NOT_THERE, async (place) => item.apart?.get(place));
      if (texts !== undefined) this.#extra.push([seq, texts]);
    }
    this.#written.push(seq);
    this.#under = { id: seq, messageId };
    this.#firstAt = Math.min(this.#firstAt, at);
    this.#lastAt = Math.max(this.#lastAt, at);
    if (item.kind === 'message' && !aside) this.#messages++;
    for (const type of item.unknown) this.#unknown[type] = (this.#unknown[type] ?? 0) + 1;
    return {
      sessionId: session.sessionId,
      messageId,
      seq,
      appended: true,
      ...(rebasedFrom === undefined ? {} : { rebasedFrom }),
    };
  }

  /** The session, the conditions and the parent: once, before the first entry that is new. */
  async #begin(at: number): Promise<void> {
    const [context, asked, writing] = [this.#context, this.#asked, this.#writing];
    if (this.#session === undefined) {
      if (asked.expectedLeaf !== undefined) throw leafConflict(asked.expectedLeaf, undefined);
      if (asked.parentId !== undefined) throw parentNotFound(asked.parentId);
      this.#session = await createdSession(context, writing, this.#place, asked, at);
      return;
    }
    await checkConditions(context, writing, this.#session, asked);
    await updatedProperties(writing, this.#session, this.#place, asked);
    this.#under = this.#session.leaf;
    if (asked.parentId !== undefined) await this.#hangUnder(this.#session, asked.parentId);
  }

  async #hangUnder(session: HostSession, parentId: string): Promise<void> {
    const named = await this.#writing.entryNamed(session.no, parentId);
    if (named === undefined) throw parentNotFound(parentId);
    if (named.id === session.leaf?.id) return;
    if (this.#asked.onStaleParent === 'reject') throw parentStale(parentId, session);
    if (this.#asked.aside && !named.aside) {
      this.#under = named;
      return;
    }
    if (this.#asked.onStaleParent !== 'branch' || this.#asked.aside) {
      this.#rebasedFrom = parentId;
      return;
    }
    const reset = (await this.#writing.latestReset(session.no)) ?? 0;
    if (named.id < reset) throw targetBeforeReset('parentId', parentId);
    if (named.aside) throw parentNotFound(parentId);
    const { incognito } = this.#place;
    const moved = await moveTip(this.#context, { writing: this.#writing, session, incognito }, named);
    this.#messages += moved.messagesAdded;
    this.#under = named;
  }

  async #index(turn: Turn): Promise<void> {
    for (let from = 0; from < this.#written.length; from += INDEXED_AT_ONCE) {
      await this.#writing.index(this.#written.slice(from, from + INDEXED_AT_ONCE), this.#context.prepare);
      if (turn.isDue()) await turn.give();
    }
  }

  async #finish(turn: Turn): Promise<void> {
    const session = this.#session!;
    const last = this.#written.at(-1);
    if (last === undefined) return;
    const { index, aside } = this.#asked;
    if (!this.#place.incognito && !aside) {
      if (index === 'later') await this.#writing.markDirty(session.no, this.#written[0]!, last);
      else await this.#index(turn);
    }
    if (!this.#place.incognito) for (const [id, texts] of this.#extra) await this.#writing.putExtra({ id }, texts);
    const unknown = Object.entries(this.#unknown);
    await this.#writing.hostUpdate(session.no, {
      ...(aside ? {} : asLeaf(session, last, this.#lastAt)),
      ...(this.#firstAt < session.firstAt ? { firstAt: this.#firstAt } : {}),
      ...(this.#messages === 0 ? {} : { messagesAdded: this.#messages }),
      ...(unknown.length === 0 ? {} : { unknown: added(session.unknown, unknown) }),
    });
  }
}

function added(
  known: Readonly<Record<string, number>> = {},
  more: readonly (readonly [string, number])[],
): Record<string, number> {
  const sum: Record<string, number> = { ...known };
  for (const [type, count] of more) sum[type] = (sum[type] ?? 0) + count;
  return sum;
}

function parentNotFound(parentId: string): BackstoryError {
  return new BackstoryError(
    'parent_not_found',
    `The session has no entry ${JSON.stringify(parentId.slice(0, 128))} to hang a message under.`,
    'Leave parentId out to append at the newest end.',
    { details: { parentId: parentId.slice(0, 128) } },
  );
}

function parentStale(parentId: string, session: HostSession): BackstoryError {
  const leaf = session.leaf?.messageId;
  return new BackstoryError(
    'parent_stale',
    `parentId ${JSON.stringify(parentId)} is not the newest entry any more, which is ${JSON.stringify(leaf)}.`,
    'Read sessions_current again, or let onStaleParent be rebase or branch.',
    { details: { parentId, ...(leaf === undefined ? {} : { leaf }) } },
  );
}

function idempotencyConflict(key: string, path: string): BackstoryError {
  return new BackstoryError(
    'idempotency_conflict',
    `The idempotency key ${JSON.stringify(key)} of ${path} was used before, with another message.`,
    'Use one key for one message, and a new one for each new message.',
    { details: { idempotencyKey: key } },
  );
}

function messageIdConflict(id: string, path: string): BackstoryError {
  return new BackstoryError(
    'message_id_conflict',
    `The window has another message of the id ${JSON.stringify(id)} that ${path} gives.`,
    'Give each message an id of its own, or none.',
    { details: { messageId: id } },
  );
}
