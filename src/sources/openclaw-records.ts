// OpenClaw's records → entries (SRC-141, SRC-146): the same events in its files and in its database.

import type { Pointer } from '../model/session.ts';
import { type Block, blocksOf, callOf, countedName, mediaOf, textOf } from './content.ts';
import type { EntrySink, PlannedFile, ReadOptions, SessionFacts, SessionRef, SourceEntry } from './contract.ts';
import { EntryIds, lineDigest } from './digest.ts';
import type { Line, LineReader } from './jsonl.ts';
import { namedAuthor, openEnvelope } from './openclaw-envelope.ts';
import { Timeline } from './timeline.ts';

type Fields = Record<string, unknown>;

const META = new Set(['custom', 'custom_message', 'label', 'model_change', 'thinking_level_change', 'session_info']);
const KNOWN = new Set([...META, 'session', 'message', 'compaction', 'branch_summary', 'reset', 'leaf']);

interface Saved {
  readonly time?: number;
  /** Of messages without an id; absent where all have one. */
  readonly ids?: unknown;
  readonly automation?: true;
  readonly model?: string;
  /** The last author told: id and name. */
  readonly author?: string;
  readonly key?: string;
}

export class ClawReader implements LineReader {
  readonly #out: EntrySink;
  readonly #options: ReadOptions;
  readonly #session: SessionRef;
  readonly #times: Timeline;
  readonly #ids: EntryIds;
  #automation: boolean;
  #model: string;
  #author: string;
  readonly #key: string;

  constructor(saved: unknown, out: EntrySink, file: PlannedFile, options: ReadOptions, nativeKey: string | undefined) {
    const state = (saved ?? {}) as Saved;
    this.#out = out;
    this.#options = options;
    this.#session = file.session;
    this.#times = new Timeline(out, options.clock.now(), Number(file.stat.mtimeMs), state.time);
    this.#ids = new EntryIds(state.ids);
    this.#automation = state.automation === true;
    this.#model = state.model ?? '';
    this.#author = state.author ?? '';
    this.#key = nativeKey ?? state.key ?? '';
    if (this.#key !== (state.key ?? '')) out.facts(this.#session, { nativeKey: this.#key });
  }

  known(record: Fields): boolean {
    return typeof record.type === 'string' && KNOWN.has(record.type);
  }

  fast(): boolean {
    return false;
  }

  save(): Saved {
    const time = this.#times.save();
    return {
      ...(time === undefined ? {} : { time }),
      ...(this.#ids.isEmpty ? {} : { ids: this.#ids.save() }),
      ...(this.#automation ? { automation: true } : {}),
      model: this.#model,
      author: this.#author,
      key: this.#key,
    };
  }

  end(): boolean {
    return this.#times.guess();
  }

  record(record: Fields, line: Line): void {
    const pointer: Pointer = { file: 0, offset: line.offset, length: line.length, path: [], digest: line.digest() };
    this.event(record, pointer, line.number);
  }

  /** One event, wherever it stands. `place`: a pointer to it, to which paths are added. */
  event(record: Fields, place: Pointer, number: number): void {
    const type = textOf(record.type);
    const at = this.#times.see(record.timestamp);
    if (type === 'session') {
      const cwd = textOf(record.cwd);
      if (cwd !== '') this.#out.facts(this.#session, { cwd });
      return;
    }
    // A message without one is named by what it says (SRC-13); of other records nothing hangs on it.
    const id = textOf(record.id) || (type === 'message' ? this.#ids.next(type, JSON.stringify(record.message)) : '');
    const parent = textOf(record.parentId) || undefined;
    if (id === '') {
      this.#out.count('odd_shape', number);
      return;
    }
    const node = { id, parent, aside: record.appendMode === 'side' };
    let entries = 0;
    if (type === 'message') entries = this.#message(record, node, place, number, at);
    else if (type === 'compaction' || type === 'branch_summary') {
      if (type === 'compaction') this.#out.mark(this.#session, { type: 'compacted' });
      entries = this.#give(node, 'summary', place, ['summary'], at, { text: textOf(record.summary) });
    } else if (type === 'reset') {
      this.#reset(record, node, at);
      return;
    } else if (type === 'leaf') {
      this.#out.mark(this.#session, { type: 'leaf', target: textOf(record.targetId) });
      return;
    } else if (type === 'session_info') this.#info(record);
    else if (!META.has(type)) this.#out.count(`type:${countedName(type)}`, number);
    if (entries === 0) this.#out.link(this.#session, id, parent);
  }

  #message(
    record: Fields,
    node: { id: string; parent: string | undefined; aside: boolean },
    place: Pointer,
    number: number,
    at: number | undefined,
  ): number {
    const message = (typeof record.message === 'object' && record.message !== null ? record.message : {}) as Fields;
    const role = textOf(message.role);
    const blocks = blocksOf(message.content);
    if (!blocks) {
      this.#out.count('odd_shape', number);
      return 0;
    }
    const model = textOf(message.model);
    if (model !== '' && model !== this.#model) {
      this.#model = model;
      this.#out.facts(this.#session, { model });
    }
    if (role === 'toolResult' || role === 'tool') {
      const tool = { id: textOf(message.toolCallId), name: textOf(message.toolName) };
      return this.#give(node, 'tool-result', place, ['message', 'content'], at, { tool });
    }
    const own = message.__openclaw as Fields | null | undefined;
    const author = role === 'user' ? namedAuthor(own?.senderId, own?.senderName) : undefined;
    if (author) this.#from(author);
    let given = 0;
    for (const block of blocks) given += this.#block(block, role, node, place, number, at);
    return given;
  }

  #block(
    block: Block,
    role: string,
    node: { id: string; parent: string | undefined; aside: boolean },
    place: Pointer,
    number: number,
    at: number | undefined,
  ): number {
    const path = ['message', 'content', ...(block.index === undefined ? [] : [block.index])];
    switch (block.type) {
      case 'text':
        return this.#text(block.text, role, node, place, path, at);
      case 'tool-call':
        return this.#give(node, 'tool-call', place, path, at, { tool: callOf(block, this.#options.toolInputChars) });
      case 'tool-result':
        return this.#give(node, 'tool-result', place, path, at, { tool: { id: block.id, name: '' } });
      case 'thinking':
        if (block.text !== '') return this.#give(node, 'thinking', place, path, at, {});
        this.#out.count('thinking_empty', number);
        return 0;
      case 'image':
        return this.#give(node, 'image', place, path, at, { media: mediaOf(block) });
      case 'other':
        this.#out.count(`block:${countedName(block.name)}`, number);
        return 0;
    }
  }

  #text(
    text: string,
    role: string,
    node: { id: string; parent: string | undefined; aside: boolean },
    place: Pointer,
    path: readonly (string | number)[],
    at: number | undefined,
  ): number {
    if (role === 'assistant') return this.#give(node, 'answer', place, path, at, { text });
    if (role !== 'user') return this.#give(node, 'injected', place, path, at, { text });
    const { prompt, injected, author } = openEnvelope(text);
    if (author) this.#from(author);
    if (prompt !== undefined) this.#give(node, 'prompt', place, path, at, { text: prompt });
    else if (injected.length > 0 && !this.#automation) {
      this.#automation = true;
      this.#out.facts(this.#session, { automation: true });
    }
    if (injected.length > 0) {
      const id = prompt === undefined ? node.id : `${node.id}~injected`;
      this.#give({ ...node, id }, 'injected', place, path, at, { text: injected.join('\n') });
    }
    return 1;
  }

  #from(author: NonNullable<SessionFacts['author']>): void {
    const named = `${author.id}\n${author.name ?? ''}`;
    if (this.#author === named) return;
    this.#author = named;
    this.#out.facts(this.#session, { author });
  }

  #reset(record: Fields, node: { id: string; parent: string | undefined }, at: number | undefined): void {
    const reason = textOf(record.reason);
    const firstKept = textOf(record.firstKeptEntryId);
    this.#out.mark(this.#session, {
      type: 'reset',
      id: node.id,
      at: at ?? this.#times.last,
      ...(node.parent === undefined ? {} : { parent: node.parent }),
      ...(reason === '' ? {} : { reason }),
      ...(firstKept === '' ? {} : { firstKept }),
    });
  }

  #info(record: Fields): void {
    const name = textOf(record.name);
    if (name !== '') this.#out.facts(this.#session, { title: { text: name, rank: 0 } });
  }

  #give(
    node: { readonly id: string; readonly parent: string | undefined; readonly aside: boolean },
    kind: SourceEntry['kind'],
    place: Pointer,
    path: readonly (string | number)[],
    at: number | undefined,
    rest: Partial<SourceEntry>,
  ): number {
    const parent = node.parent === undefined ? {} : { parent: node.parent };
    // Ids are short here, and unrelated sessions may share one: a copy has the same words as well (SRC-142).
    const copyId = rest.text === undefined ? {} : { copyId: `${node.id}/${lineDigest(Buffer.from(rest.text))}` };
    const aside = node.aside ? { aside: true as const } : {};
    const pointer = { ...place, path };
    this.#times.give(
      { session: this.#session, id: node.id, kind, ...parent, ...copyId, ...aside, pointer, ...rest },
      at,
    );
    return 1;
  }
}
