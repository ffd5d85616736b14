// Codex CLI's records → entries (SRC-121 … SRC-126), one line at a time.

import { fastView } from './codex-fast.ts';
import { CALLS, decoded, digest, ENVELOPE, EVENTS, factsOf, META_EVENTS, OUTPUTS, TYPES } from './codex-types.ts';
import { type Block, blocksOf, countedName, inputText, mediaOf, textOf } from './content.ts';
import type { EntrySink, PlannedFile, ReadOptions, SessionRef, SourceEntry } from './contract.ts';
import { EntryIds } from './digest.ts';
import { peel } from './envelopes.ts';
import type { Line, LineReader } from './jsonl.ts';
import { Timeline } from './timeline.ts';

type Fields = Record<string, unknown>;

const MAX_PENDING = 64;
// Of the era without envelopes (SRC-126).
const ITEMS = new Set(['message', 'reasoning', ...CALLS, ...OUTPUTS]);

interface Saved {
  readonly time?: number;
  readonly ids?: unknown;
  readonly session?: SessionRef;
  readonly turn?: string;
  readonly facts?: Record<string, string>;
  /** Texts given from events, or from items, that the other kind may still repeat in this turn: digest → entry id. */
  readonly events?: [string, string][];
  readonly items?: [string, number][];
}

/** A session's records. Messages come twice, as events and as items: whichever comes second is the same one (SRC-121). */
export class CodexReader implements LineReader {
  readonly #out: EntrySink;
  readonly #options: ReadOptions;
  readonly #file: PlannedFile;
  readonly #times: Timeline;
  readonly #ids: EntryIds;
  readonly #facts: Record<string, string>;
  readonly #title: string | undefined;
  #session: SessionRef | undefined;
  #turn: string;
  #events: [string, string][];
  #items: [string, number][];

  constructor(saved: unknown, out: EntrySink, file: PlannedFile, options: ReadOptions, title: string | undefined) {
    const state = (saved ?? {}) as Saved;
    this.#out = out;
    this.#options = options;
    this.#file = file;
    this.#title = title;
    this.#times = new Timeline(out, options.clock.now(), Number(file.stat.mtimeMs), state.time);
    this.#ids = new EntryIds(state.ids);
    this.#session = state.session;
    this.#turn = state.turn ?? '';
    this.#facts = state.facts ?? {};
    this.#events = state.events ?? [];
    this.#items = state.items ?? [];
  }

  known(record: Fields): boolean {
    const { type } = record;
    if (typeof type === 'string' && TYPES.has(type))
      return 'payload' in record || 'role' in record || type === 'compacted';
    return 'instructions' in record && 'timestamp' in record;
  }

  fast(bytes: Buffer, line: Line): boolean {
    const view = this.#session && fastView(bytes);
    if (!view) return false;
    const at = this.#times.see(view.at);
    if (view.what === 'context') this.#context(view.context);
    else if (view.what === 'output') this.#output(view.call, ['payload'], line, at);
    else if (view.what === 'empty-thinking') this.#out.count('thinking_empty', line.number);
    return true;
  }

  save(): Saved {
    const time = this.#times.save();
    return {
      ...(time === undefined ? {} : { time }),
      ids: this.#ids.save(),
      ...(this.#session ? { session: this.#session } : {}),
      turn: this.#turn,
      facts: this.#facts,
      events: this.#events,
      items: this.#items,
    };
  }

  end(): boolean {
    return this.#times.guess();
  }

  record(record: Fields, line: Line): void {
    const type = textOf(record.type);
    const payload = (typeof record.payload === 'object' && record.payload !== null ? record.payload : record) as Fields;
    const inner = record.payload === undefined ? [] : ['payload'];
    const meta = type === 'session_meta' || (type === '' && 'instructions' in record);
    if (meta) this.#meta(payload);
    else this.#begin();
    if (meta) return;
    const at = this.#times.see(record.timestamp);
    if (type === 'turn_context') this.#context(payload);
    else if (type === 'response_item' || (inner.length === 0 && ITEMS.has(type))) this.#item(payload, inner, line, at);
    else if (type === 'event_msg') this.#event(payload, inner, line, at);
    else if (type === 'compacted') {
      this.#out.mark(this.#session!, { type: 'compacted' });
      const text = textOf(payload.message);
      if (text !== '') this.#give('summary', text, [...inner, 'message'], line, at, { text });
    } else this.#out.count(`type:${countedName(type)}`, line.number);
  }

  // The first one is the session's; later ones in the same file are of copied parents (SRC-125).
  #meta(payload: Fields): void {
    if (this.#session) return;
    const native = textOf(payload.id) || this.#file.session.native;
    this.#session = { native };
    this.#times.see(payload.timestamp);
    const title = this.#title === undefined ? {} : { title: { text: this.#title, rank: 0 } };
    this.#out.facts(this.#session, { ...factsOf(payload), ...title });
  }

  #begin(): void {
    if (!this.#session) this.#meta({});
  }

  #context(payload: Fields): void {
    const turn = textOf(payload.turn_id);
    if (turn !== '' && turn !== this.#turn) {
      this.#turn = turn;
      this.#events = [];
      this.#items = [];
    }
    for (const name of ['cwd', 'model'] as const) {
      const value = textOf(payload[name]);
      if (value === '' || this.#facts[name] === value) continue;
      this.#facts[name] = value;
      this.#out.facts(this.#session!, { [name]: value });
    }
  }

  #item(payload: Fields, inner: readonly string[], line: Line, at: number | undefined): void {
    const type = textOf(payload.type) || 'message';
    if (type === 'message') this.#message(payload, inner, line, at);
    else if (type === 'reasoning') this.#reasoning(payload, inner, line, at);
    else if (CALLS.has(type)) {
      const id = textOf(payload.call_id ?? payload.id);
      const name = textOf(payload.name) || type;
      const input = inputText(payload.arguments ?? payload.input ?? payload.action, this.#options.toolInputChars);
      const tool = { id, name, ...(input === undefined ? {} : { input: decoded(input) }) };
      this.#give('tool-call', `${id} ${name}`, inner, line, at, { tool });
    } else if (OUTPUTS.has(type)) {
      this.#output(textOf(payload.call_id), inner, line, at);
    } else this.#out.count(`item:${countedName(type)}`, line.number);
  }

  #output(id: string, inner: readonly string[], line: Line, at: number | undefined): void {
    this.#give('tool-result', id, [...inner, 'output'], line, at, { tool: { id, name: '' } });
  }

  #message(payload: Fields, inner: readonly string[], line: Line, at: number | undefined): void {
    const role = textOf(payload.role);
    const blocks = blocksOf(payload.content);
    if (!blocks) this.#out.count('odd_shape', line.number);
    if (!blocks) return;
    const typed: { prompt: string[]; injected: string[] } = { prompt: [], injected: [] };
    for (const block of blocks) {
      if (block.type !== 'text') this.#other(block, inner, line, at);
      else if (role === 'assistant')
        this.#text('answer', block.text, [...inner, 'content', block.index ?? 0], line, at);
      else if (role === 'user') {
        const { prompts, injected } = peel(block.text, ENVELOPE);
        typed.prompt.push(...prompts);
        typed.injected.push(...injected);
      } else typed.injected.push(block.text);
    }
    const path = [...inner, 'content'];
    for (const text of typed.prompt) this.#text('prompt', text, path, line, at);
    for (const text of typed.injected) this.#give('injected', text, path, line, at, { text });
  }

  #other(block: Block, inner: readonly string[], line: Line, at: number | undefined): void {
    if (block.type === 'image') {
      this.#give('image', `${block.bytes}`, [...inner, 'content', block.index], line, at, { media: mediaOf(block) });
    } else if (block.type === 'other') this.#out.count(`block:${countedName(block.name)}`, line.number);
  }

  // Encrypted reasoning has nothing to show: dropped, counted.
  #reasoning(payload: Fields, inner: readonly string[], line: Line, at: number | undefined): void {
    const summary = Array.isArray(payload.summary) ? payload.summary : [];
    const text = summary.map((part: unknown) => textOf((part as Fields | null)?.text)).join('\n');
    const own = text !== '' ? 'summary' : Array.isArray(payload.content) && payload.content.length > 0 ? 'content' : '';
    if (own === '') this.#out.count('thinking_empty', line.number);
    else this.#give('thinking', text || JSON.stringify(payload.content), [...inner, own], line, at, {});
  }

  #event(payload: Fields, inner: readonly string[], line: Line, at: number | undefined): void {
    const type = textOf(payload.type);
    if (type === 'thread_rolled_back') {
      const turns = Number(payload.num_turns);
      const when = at ?? this.#times.last;
      if (!Number.isInteger(turns) || turns < 1) this.#out.count('odd_shape', line.number);
      else this.#out.mark(this.#session!, { type: 'rolled-back', turns, offset: line.offset, at: when });
      return;
    }
    if (!EVENTS.has(type)) {
      if (!META_EVENTS.has(type)) this.#out.count(`event:${countedName(type)}`, line.number);
      return;
    }
    if (type === 'agent_reasoning') return;
    const text = textOf(payload.message);
    if (text.trim() === '') return;
    const answer = type === 'agent_message';
    const texts = answer ? [text] : peel(text, ENVELOPE).prompts;
    for (const one of texts) this.#heard(answer ? 'answer' : 'prompt', one, [...inner, 'message'], line, at);
  }

  // An item: what an event said before is taken back, and this one stands for both.
  #text(
    kind: 'prompt' | 'answer',
    text: string,
    path: readonly (string | number)[],
    line: Line,
    at: number | undefined,
  ): void {
    if (text.trim() === '') return;
    const name = digest(kind, text);
    const heard = this.#events.findIndex(([event]) => event === name);
    if (heard >= 0) {
      const [[, id] = ['', '']] = this.#events.splice(heard, 1);
      this.#out.retract(this.#session!, id);
    } else {
      this.#items.push([name, 1]);
      if (this.#items.length > MAX_PENDING) this.#items.shift();
    }
    this.#give(kind, text, path, line, at, { text });
  }

  // An event: nothing when an item said it already; else it is given, until an item says it too.
  #heard(
    kind: 'prompt' | 'answer',
    text: string,
    path: readonly (string | number)[],
    line: Line,
    at: number | undefined,
  ): void {
    const name = digest(kind, text);
    const said = this.#items.findIndex(([item]) => item === name);
    if (said >= 0) {
      this.#items.splice(said, 1);
      return;
    }
    const id = `event-${this.#ids.next(`event-${kind}`, text)}`;
    this.#events.push([name, id]);
    if (this.#events.length > MAX_PENDING) this.#events.shift();
    this.#entry({ id, kind, text }, path, line, at);
  }

  #give(
    kind: SourceEntry['kind'],
    content: string,
    path: readonly (string | number)[],
    line: Line,
    at: number | undefined,
    rest: Partial<SourceEntry>,
  ): void {
    this.#entry({ id: this.#ids.next(kind, content), kind, ...rest }, path, line, at);
  }

  #entry(
    entry: Pick<SourceEntry, 'id' | 'kind'> & Partial<SourceEntry>,
    path: readonly (string | number)[],
    line: Line,
    at: number | undefined,
  ): void {
    const pointer = { file: 0, offset: line.offset, length: line.length, path, digest: line.digest() };
    // A turn that a fork re-stamped is the same turn (SRC-125).
    const copyId =
      this.#turn === '' ? {} : { copyId: `${this.#turn}/${entry.kind}/${digest('', entry.text ?? entry.id)}` };
    this.#times.give({ session: this.#session!, ...entry, ...copyId, pointer }, at);
  }
}
