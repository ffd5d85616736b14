// Claude Code's records → entries (SRC-101 … SRC-107), one line at a time. Expect drift: the vendor calls them internal.
import { fastView } from './claude-fast.ts';
import { ENVELOPE, KNOWN, META, TITLES } from './claude-types.ts';
import { type Block, blockName, blocksOf, callOf, countedName, mediaOf, textOf } from './content.ts';
import type { EntrySink, PlannedFile, ReadOptions, SessionRef, SourceEntry } from './contract.ts';
import { EntryIds } from './digest.ts';
import { peel } from './envelopes.ts';
import { Groups } from './groups.ts';
import type { Line, LineReader } from './jsonl.ts';
import { Queued } from './queued.ts';
import { Timeline, type Untimed } from './timeline.ts';

type Fields = Record<string, unknown>;
type Path = readonly (string | number)[];

const UUID = /^[0-9a-f-]{36}$/;

interface Saved {
  readonly time?: number;
  readonly groups?: unknown;
  readonly ids?: unknown;
  readonly queued?: unknown;
  readonly facts?: Record<string, string>;
  readonly session?: SessionRef;
}

/** Ids and parents of one record. */
interface Node_ {
  readonly session: SessionRef;
  readonly uuid: string | undefined;
  readonly parent: string | undefined;
}

export class ClaudeReader implements LineReader {
  readonly #out: EntrySink;
  readonly #options: ReadOptions;
  readonly #file: PlannedFile;
  readonly #times: Timeline;
  readonly #groups: Groups;
  readonly #ids: EntryIds;
  #session: SessionRef | undefined;
  readonly #queued: Queued;
  readonly #facts: Record<string, string>;

  constructor(saved: unknown, out: EntrySink, file: PlannedFile, options: ReadOptions) {
    const state = (saved ?? {}) as Saved;
    this.#out = out;
    this.#options = options;
    this.#file = file;
    this.#times = new Timeline(out, options.clock.now(), Number(file.stat.mtimeMs), state.time);
    this.#groups = new Groups(state.groups);
    this.#ids = new EntryIds(state.ids);
    this.#queued = new Queued(state.queued);
    this.#facts = state.facts ?? {};
    this.#session = state.session ?? (file.session.native === '' ? undefined : file.session);
  }

  known(record: Fields): boolean {
    return typeof record.type === 'string' && (KNOWN.has(record.type) || 'uuid' in record);
  }

  save(): Saved {
    const time = this.#times.save();
    return {
      ...(time === undefined ? {} : { time }),
      groups: this.#groups.save(),
      ids: this.#ids.save(),
      queued: this.#queued.save(),
      facts: this.#facts,
      ...(this.#session ? { session: this.#session } : {}),
    };
  }

  end(): boolean {
    return this.#times.guess();
  }

  fast(bytes: Buffer, line: Line): boolean {
    const view = this.#session && fastView(bytes, this.#facts, this.#session.part !== undefined);
    if (!view || !this.#session) return false;
    this.#queued.step();
    const at = this.#times.see(view.at);
    const { uuid, parent } = view;
    if (uuid !== undefined && view.results.length === 0) this.#out.link(this.#session, uuid, parent);
    for (const [index, id] of view.results.entries()) {
      const tool = { id, name: '' };
      this.#give(this.#session, { uuid: uuid!, parent }, 'tool-result', ['message', 'content', index], line, at, {
        tool,
      });
    }
    return true;
  }

  record(record: Fields, line: Line): void {
    const type = textOf(record.type);
    this.#session ??= this.#sessionOf(record);
    const session = this.#partOf(record);
    const uuid = textOf(record.uuid) || undefined;
    const node: Node_ = { session, uuid, parent: textOf(record.parentUuid) || undefined };
    this.#learn(record);
    this.#queued.step();
    const at = this.#times.see(record.timestamp);
    const title = TITLES[type];
    let entries = 0;
    if (type === 'user' || type === 'assistant') entries = this.#message(record, type, node, ['message'], line, at);
    else if (title) this.#title(textOf(record[title[1]]), title[0]);
    else if (type === 'system') {
      if (record.subtype === 'compact_boundary') this.#out.mark(session, { type: 'compacted' });
    } else if (type === 'progress') this.#progress(record, line);
    else if (type === 'attachment') this.#attachment(record, line, at);
    else if (!META.has(type)) this.#out.count(`type:${countedName(type)}`, line.number);
    if (entries === 0 && uuid !== undefined) this.#out.link(session, uuid, node.parent);
  }

  // `path`: where the message stands in its line. Returns how many entries it gave.
  #message(
    record: Fields,
    type: 'user' | 'assistant',
    node: Node_,
    path: Path,
    line: Line,
    at: number | undefined,
  ): number {
    const { message } = record;
    const fields = typeof message === 'object' && message !== null ? (message as Fields) : undefined;
    const content = fields?.content ?? (typeof message === 'string' ? message : undefined);
    const blocks = blocksOf(content);
    if (!blocks || !fields) this.#out.count('odd_shape', line.number);
    if (!blocks) return 0;
    const model = textOf(fields?.model);
    if (model !== '' && model !== '<synthetic>') this.#fact('model', model);
    const named = { ...node, uuid: node.uuid ?? this.#ids.next(type, JSON.stringify(content)) };
    if (record.isCompactSummary === true) {
      this.#out.mark(node.session, { type: 'compacted' });
      const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
      return this.#give(node.session, named, 'summary', path, line, at, { text });
    }
    const injected = record.isMeta === true || model === '<synthetic>';
    const group = type === 'assistant' ? textOf(fields?.id) : '';
    let given = 0;
    for (const block of blocks) {
      const where = block.index === undefined ? [...path, 'content'] : [...path, 'content', block.index];
      given += this.#block(block, type, named, { group, alone: blocks.length === 1, injected }, where, line, at);
    }
    return given;
  }

  #block(
    block: Block,
    type: 'user' | 'assistant',
    node: Node_ & { uuid: string },
    how: { readonly group: string; readonly alone: boolean; readonly injected: boolean },
    path: Path,
    line: Line,
    at: number | undefined,
  ): number {
    const { session } = node;
    if (block.type === 'text' && type === 'user') return this.#typed(block.text, node, how.injected, path, line, at);
    if (how.group !== '') {
      const text = block.type === 'text' ? { text: block.text } : {};
      const verdict = this.#groups.judge(`${session.part ?? ''}/${how.group}`, node.uuid, {
        ...text,
        name: blockName(block),
        alone: how.alone,
      });
      if (verdict.kind === 'equal') return 0;
      if (verdict.kind === 'grown' && block.type === 'text') {
        this.#out.link(session, node.uuid, verdict.message);
        return this.#give(session, { uuid: verdict.message, parent: node.parent }, 'answer', path, line, at, {
          text: block.text,
        });
      }
    }
    switch (block.type) {
      case 'text':
        return this.#give(session, node, how.injected ? 'injected' : 'answer', path, line, at, { text: block.text });
      case 'tool-call':
        return this.#give(session, node, 'tool-call', path, line, at, {
          tool: callOf(block, this.#options.toolInputChars),
        });
      case 'tool-result':
        return this.#give(session, node, 'tool-result', path, line, at, { tool: { id: block.id, name: '' } });
      case 'thinking':
        if (block.text !== '') return this.#give(session, node, 'thinking', path, line, at, {});
        this.#out.count('thinking_empty', line.number);
        return 0;
      case 'image':
        return this.#give(session, node, 'image', path, line, at, { media: mediaOf(block) });
      case 'other':
        this.#out.count(`block:${countedName(block.name)}`, line.number);
        return 0;
    }
  }

  #typed(
    text: string,
    node: Node_ & { uuid: string },
    injected: boolean,
    path: Path,
    line: Line,
    at: number | undefined,
  ): number {
    const { prompts, injected: rest } = injected ? { prompts: [], injected: [text] } : peel(text, ENVELOPE);
    for (const prompt of prompts) {
      const repeated = this.#queued.repeatedBy(prompt);
      if (repeated !== undefined) this.#out.retract(this.#session!, repeated);
      this.#give(node.session, node, 'prompt', path, line, at, { text: prompt });
    }
    if (rest.length > 0) {
      const id = prompts.length === 0 ? node.uuid : `${node.uuid}~injected`;
      this.#give(node.session, { uuid: id, parent: node.parent }, 'injected', path, line, at, {
        text: rest.join('\n'),
      });
    }
    return prompts.length + rest.length;
  }

  #give(
    session: SessionRef,
    node: { readonly uuid: string; readonly parent: string | undefined },
    kind: SourceEntry['kind'],
    path: Path,
    line: Line,
    at: number | undefined,
    rest: Pick<SourceEntry, 'text' | 'tool' | 'media'>,
  ): number {
    const { text, tool, media } = rest;
    const pointer = { file: 0, offset: line.offset, length: line.length, path, digest: line.digest() };
    const entry: Untimed = { session, id: node.uuid, kind, pointer };
    if (node.parent !== undefined) entry.parent = node.parent;
    if (node.uuid.length === 36 && UUID.test(node.uuid)) entry.copyId = node.uuid;
    if (text !== undefined) entry.text = text;
    if (tool) entry.tool = tool;
    if (media) entry.media = media;
    this.#times.give(entry, at);
    return 1;
  }

  // A message of a subagent inside its parent's progress belongs to the part (SRC-101).
  #progress(record: Fields, line: Line): void {
    const data = record.data as Fields | undefined;
    const inner = data?.message as Fields | undefined;
    const agent = textOf(data?.agentId);
    const type = inner?.type;
    if (data?.type !== 'agent_progress' || agent === '' || (type !== 'user' && type !== 'assistant')) return;
    const session = { native: this.#session!.native, part: agent };
    const uuid = textOf(inner?.uuid) || undefined;
    this.#message(
      inner!,
      type,
      { session, uuid, parent: undefined },
      ['data', 'message', 'message'],
      line,
      this.#times.see(inner?.timestamp),
    );
  }

  // A queued command has no uuid; the user record that repeats it takes its place (SRC-101).
  #attachment(record: Fields, line: Line, at: number | undefined): void {
    const attachment = record.attachment as Fields | undefined;
    const prompt = textOf(attachment?.prompt);
    if (attachment?.type !== 'queued_command' || attachment.commandMode !== 'prompt' || prompt === '') return;
    const uuid = this.#ids.next('prompt', prompt);
    this.#give(this.#session!, { uuid, parent: undefined }, 'prompt', ['attachment', 'prompt'], line, at, {
      text: prompt,
    });
    this.#queued.add(uuid, prompt);
  }

  #learn(record: Fields): void {
    for (const name of ['cwd', 'gitBranch', 'version']) {
      const value = record[name];
      if (typeof value === 'string' && value !== '') this.#fact(name, value);
    }
  }

  #fact(name: string, value: string): void {
    if (this.#facts[name] === value || !this.#session) return;
    this.#facts[name] = value;
    this.#out.facts(this.#session, { [name]: value });
  }

  #title(text: string, rank: number): void {
    if (text !== '') this.#out.facts(this.#session!, { title: { text, rank } });
  }

  // Where the file's name does not tell the session, its first record does (SRC-102).
  #sessionOf(record: Fields): SessionRef {
    const native = textOf(record.sessionId) || 'unknown';
    return this.#file.session.part === undefined ? { native } : { native, part: this.#file.session.part };
  }

  #partOf(record: Fields): SessionRef {
    const agent = textOf(record.agentId);
    const own = this.#session!;
    if (own.part !== undefined || agent === '' || record.isSidechain !== true) return own;
    return { native: own.native, part: agent };
  }
}
