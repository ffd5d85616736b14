// What a reader gives, kept as the contract means it: blocks joined to messages, the same id replaced, repetitions taken back.
import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { EntrySink, Marker, SessionFacts, SessionRef, SourceEntry } from '../../src/sources/contract.ts';
import { builtInSources } from '../../src/sources/index.ts';

interface Told {
  readonly entries: Map<string, { place: unknown; batch: number; blocks: SourceEntry[] }>;
  readonly links: Map<string, string | undefined>;
  readonly marks: Set<string>;
  readonly facts: Record<string, unknown>;
}

export class ModelSink implements EntrySink {
  readonly #sessions = new Map<string, Told>();
  readonly #counts = new Map<string, number>();
  readonly lines: [what: string, line: number | undefined][] = [];
  #pending: (() => void)[] = [];
  #batch = 0;
  state: Uint8Array | undefined;
  restarts = 0;

  entry(entry: SourceEntry): void {
    this.#pending.push(() => {
      const { entries } = this.#of(entry.session);
      const place = 'offset' in entry.pointer ? entry.pointer.offset : entry.pointer.row;
      const old = entries.get(entry.id);
      if (old && old.place === place && old.batch === this.#batch) old.blocks.push(entry);
      else if (old) {
        const { parent } = old.blocks[0]!;
        const blocks = [parent === undefined ? entry : { ...entry, parent }];
        entries.set(entry.id, { place, batch: this.#batch, blocks });
      } else entries.set(entry.id, { place, batch: this.#batch, blocks: [entry] });
    });
  }

  link(session: SessionRef, id: string, parent: string | undefined): void {
    this.#pending.push(() => {
      const { links } = this.#of(session);
      if (!links.has(id)) links.set(id, parent);
    });
  }

  mark(session: SessionRef, marker: Marker): void {
    this.#pending.push(() => {
      const told = this.#of(session);
      told.marks.add(JSON.stringify([marker, [...told.entries.keys()].at(-1)]));
    });
  }

  facts(session: SessionRef, facts: SessionFacts): void {
    this.#pending.push(() => {
      const known = this.#of(session).facts;
      const { title, cwd, ...rest } = facts;
      const best = known.title as SessionFacts['title'];
      if (title && (!best || title.rank <= best.rank)) known.title = title;
      if (cwd !== undefined) known.cwd = [...new Set([...((known.cwd as string[] | undefined) ?? []), cwd])];
      Object.assign(known, rest);
    });
  }

  retract(session: SessionRef, id: string): void {
    this.#pending.push(() => this.#of(session).entries.delete(id));
  }

  count(what: string, line?: number): void {
    this.#pending.push(() => {
      this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
      this.lines.push([what, line]);
    });
  }

  restart(): void {
    this.#pending = [];
    this.restarts++;
    this.#pending.push(() => {
      this.#sessions.clear();
      this.#counts.clear();
      this.lines.length = 0;
    });
  }

  commit(state: Uint8Array): void {
    for (const change of this.#pending) change();
    this.#pending = [];
    this.#batch++;
    this.state = state;
  }

  rollback(): void {
    this.#pending = [];
  }

  /** Everything told so far, for comparisons. */
  get told(): unknown {
    const sessions = [...this.#sessions].sort().map(([name, { entries, links, marks, facts }]) => ({
      name,
      entries: [...entries].map(([id, { blocks }]) => ({ id, blocks })),
      links: [...links],
      marks: [...marks],
      facts,
    }));
    return { sessions, counts: this.counts };
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort());
  }

  /** Entries in order, of all sessions or of one. */
  entries(session?: string): SourceEntry[] {
    const of = [...this.#sessions].filter(([name]) => session === undefined || name === session);
    return of.flatMap(([, { entries }]) => [...entries.values()].flatMap(({ blocks }) => blocks));
  }

  texts(kind?: SourceEntry['kind']): string[] {
    const all = this.entries().filter((entry) => kind === undefined || entry.kind === kind);
    return all.flatMap(({ text }) => (text === undefined ? [] : [text]));
  }

  #of(session: SessionRef): Told {
    const name = session.part === undefined ? session.native : `${session.native}/${session.part}`;
    const told = this.#sessions.get(name) ?? { entries: new Map(), links: new Map(), marks: new Set(), facts: {} };
    this.#sessions.set(name, told);
    return told;
  }
}

const folders: string[] = [];

/** A new folder, with these files; lines that are objects become JSON. */
export function rootWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = mkdtempSync(join(tmpdir(), 'backstory-sources-'));
  folders.push(root);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

export function removeRoots(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

const NOW = Date.UTC(2026, 8, 30);

/** Reads one file of a root into a sink, from where the sink's last commit left it. */
export async function readInto(
  sink: ModelSink,
  source: string,
  root: string,
  path: string,
  options: { readonly parse?: 'fast' | 'full'; readonly signal?: AbortSignal } = {},
): Promise<string> {
  const reader = builtInSources.find(({ name }) => name === source)!;
  const instance = { source, root, agentId: source, how: 'given' } as const;
  const planned = (await reader.plan(instance)).files.find((file) => file.path === path);
  if (!planned) throw new Error(`${path} is not planned`);
  const outcome = await reader.read(
    instance,
    { ...planned, stat: lstatSync(planned.absolute, { bigint: true }) },
    {
      state: sink.state,
      parse: options.parse ?? 'fast',
      toolInputChars: 2_000,
      clock: { now: () => NOW, elapsed: () => 0 },
      openDatabase: () => {
        throw new Error('no database here');
      },
      ...(options.signal ? { signal: options.signal } : {}),
    },
    sink,
  );
  return outcome.kind === 'skipped' ? `${outcome.reason}${outcome.detail ? ` (${outcome.detail})` : ''}` : outcome.kind;
}
