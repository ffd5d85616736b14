// One enforcement point: every read of the store contract takes a scope, and answers nothing to one that shows nothing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { emptyScope, type Scope, scopeFor, wholeScope } from '../../src/access/scope.ts';
import type { Masked } from '../../src/redact/masked.ts';
import type { AgentStore, StoreSet } from '../../src/store/contract.ts';
import type { Reading } from '../../src/store/reading.ts';
import { openSqliteStores } from '../../src/store/sqlite/store-set.ts';
import { addMessage, plain } from '../../src/testing/store-steps.ts';
import { parseQuery } from '../../src/text/index.ts';

const STORE = join(import.meta.dirname, '../../src/store');

/** The methods of an interface with their first parameter, and what it extends. */
function readsIn(file: string, name: string): { methods: Map<string, string>; extended: string[] } {
  const text = readFileSync(join(STORE, file), 'utf8');
  const head = new RegExp(`export interface ${name}(?: extends ([\\w, ]+))? \\{\\n([\\s\\S]*?)\\n\\}`).exec(text);
  if (!head) throw new Error(`${file} has no interface ${name}`);
  const body = head[2]!.replace(/\/\*\*[\s\S]*?\*\//g, '');
  const methods = new Map<string, string>();
  for (const match of body.matchAll(/^ {2}(\w+)\(\s*([^,)]*)/gm)) methods.set(match[1]!, match[2]!.trim());
  return { methods, extended: head[1]?.split(',').map((one) => one.trim()) ?? [] };
}

const PARTS: Readonly<Record<string, string>> = {
  Reading: 'reading.ts',
  Judging: 'judging.ts',
  HostReading: 'host.ts',
  EraseReading: 'erase.ts',
  ArchiveReading: 'archive.ts',
  ExtraReading: 'extra.ts',
};
const WHOLE_AGENT = 'an archive is the whole agent, and only an operator gets one (SUR-72)';
// No answer to a caller comes from these. A new read does not belong here unless that is true of it as well.
const WITHOUT_SCOPE: Readonly<Record<string, string>> = {
  hostSession: 'the host face has no caller and no scope (sessions.md)',
  currentView: 'the same: what a host sends to its model',
  extraNext: 'what is left to index, for whoever indexes it alone',
  countToErase: 'of sessions that eraseTargets gave, in scope',
  countEntries: 'of entries that were found in scope',
  authored: 'of sessions that eraseTargets gave, in scope',
  fragments: 'of sessions and entries that were found in scope, to look for in the files',
  archivedSessions: WHOLE_AGENT,
  archivedFiles: WHOLE_AGENT,
  archivedEntries: WHOLE_AGENT,
  archivedKeys: WHOLE_AGENT,
  archivedCopies: WHOLE_AGENT,
  isHeld: 'whether a deleted text is left anywhere in the file',
};

describe('the contract', () => {
  test('V-47 VIS-40: every read takes a scope first; a new one without fails here', () => {
    const { extended } = readsIn('reading.ts', 'Reading');
    const without: string[] = [];
    for (const part of ['Reading', ...extended]) {
      const file = PARTS[part];
      expect(file, `${part} is a part of Reading: name its file here`).toBeDefined();
      const { methods } = readsIn(file!, part);
      expect(methods.size).toBeGreaterThan(3);
      for (const [method, first] of methods) if (first !== 'scope: Scope') without.push(method);
    }
    expect(without.sort()).toEqual(Object.keys(WITHOUT_SCOPE).sort());
  });
});

describe('a scope that shows nothing', () => {
  let stores: StoreSet;
  let store: AgentStore;
  let no = 0;
  let entry = 0;
  beforeAll(async () => {
    stores = openSqliteStores();
    store = (await stores.open('a', { create: true }))!;
    await store.write(async (writing) => {
      const session = await writing.createSession({
        key: 'agent:a:one',
        kind: 'acp',
        sessionId: 'w-1',
        reason: 'imported',
        createdAt: 1,
      });
      no = session.no;
      await addMessage(writing, session, 'm-1', 'user', 'lease');
      await writing.insert({ ...BASE, session: no, window: session.window, kind: 'reset', messageId: 'r-1' });
      entry = await writing.insert({
        ...BASE,
        session: no,
        window: session.window,
        kind: 'message',
        role: 'user',
        messageId: 'm-2',
        blocks: [{ type: 'text', text: 'lease again' }],
      });
      await writing.insert({
        ...BASE,
        session: no,
        window: session.window,
        kind: 'message',
        role: 'tool',
        messageId: 'm-3',
        blocks: [{ type: 'tool_result', id: 't', text: 'x' }],
      });
      await writing.resetExtra('e');
      await writing.putExtra({ id: 4 }, { tool: 'a lease' as Masked });
      await writing.index([entry], plain);
      await writing.updateSession(no, { messagesAdded: 2, lastAt: 2, spawnedBy: 'agent:b:main' });
      await writing.setMeta('index', 'f');
      const instance = await writing.instance('codex', '/root');
      await writing.putFile(instance.no, 'f.jsonl', { ...FILE, counts: { odd: 1 } }, undefined);
    });
  });
  afterAll(() => stores.close());

  const BASE = { state: 'active', at: 2, blocks: [] } as const;
  const FILE = {
    dev: 1n,
    ino: 1n,
    size: 1,
    mtimeNs: 1n,
    ctimeNs: 1n,
    settled: true,
    reader: 1,
    outcome: 'read',
  } as const;
  const query = parseQuery('lease');
  const shown = { tools: false, reasoning: false } as const;
  const from = { kind: 'descendants', of: 'agent:b:main', spawned: true } as const;
  // Every read by its name, and what it answers when nothing is visible.
  const ASKED: Readonly<Record<string, readonly [ask: (reading: Reading, scope: Scope) => unknown, nothing: unknown]>> =
    {
      totals: [(r, s) => r.totals(s), { texts: 0, characters: 0, sessions: 0 }],
      standing: [(r, s) => r.standing(s), { moved: 0, sessions: 0 }],
      frequency: [(r, s) => r.frequency(s, query.clauses[0]!, 10), 0],
      draw: [(r, s) => r.draw(s, {}, query, [0], 10), { candidates: [], more: false }],
      scan: [
        (r, s) => r.scan(s, {}, undefined, { direction: 'down' }, 10),
        { texts: [], last: undefined, more: false },
      ],
      sessionCount: [(r, s) => r.sessionCount(s, {}), 0],
      newestEntry: [(r, s) => r.newestEntry(s), 0],
      labels: [(r, s) => r.labels(s, [no]), new Map()],
      locate: [(r, s) => r.locate(s, {}, [entry]), new Map()],
      session: [(r, s) => r.session(s, 'agent:a:one'), undefined],
      sessionOfWindow: [(r, s) => r.sessionOfWindow(s, 'w-1'), undefined],
      list: [(r, s) => r.list(s, {}, 10), []],
      seen: [(r, s) => r.seen(s, ['agent:a:one']), []],
      windows: [(r, s) => r.windows(s, no, 10), []],
      find: [(r, s) => r.find(s, no, 'm-2'), undefined],
      boundary: [(r, s) => r.boundary(s, no), undefined],
      walk: [(r, s) => r.walk(s, no, { ...shown, direction: 'older', limit: 10 }), []],
      count: [(r, s) => r.count(s, no, shown), 0],
      leftOut: [(r, s) => r.leftOut(s, no, shown), []],
      interval: [(r, s) => r.interval(s, no, 1), {}],
      file: [(r, s) => r.file(s, 1), undefined],
      stats: [(r, s) => r.stats(s), { sessions: 0, messages: 0, texts: 0, characters: 0, kinds: {} }],
      sourceCounts: [(r, s) => r.sourceCounts(s, 'codex', '/root'), {}],
      meta: [(r, s) => r.meta(s, 'index'), undefined],
      sourceFiles: [(r, s) => r.sourceFiles(s, 'codex', '/root'), undefined],
      descend: [(r, s) => r.descend(s, from, [{ key: from.of, depth: 0 }], ['agent:a:one']), []],
      crossings: [(r, s) => r.crossings(s), []],
      target: [(r, s) => r.target(s, 'agent:a:one'), undefined],
      eraseTargets: [(r, s) => r.eraseTargets(s, {}), []],
      extraTotals: [(r, s) => r.extraTotals(s, ['tool']), { texts: 0, characters: 0 }],
      extraFrequency: [(r, s) => r.extraFrequency(s, ['tool'], query.clauses[0]!, 10), 0],
      extraDraw: [(r, s) => r.extraDraw(s, ['tool'], {}, query, [0], 10), { candidates: [], more: false }],
      extraScan: [
        (r, s) => r.extraScan(s, ['tool'], {}, undefined, { direction: 'down' }, 10),
        { texts: [], last: undefined, more: false },
      ],
      extraProgress: [(r, s) => r.extraProgress(s), undefined],
      extraPending: [(r, s) => r.extraPending(s, {}, 'other'), { sessions: 0, messages: 0 }],
    };
  // Nothing is there to be seen without it: a block that is stored apart, a row that is damaged, a session that is dirty.
  const EMPTY_ANYWAY = ['apart', 'unjudged', 'dirty', 'dirtySessions'];

  test('V-47 VIS-40: every read there is, is asked here', () => {
    const named = Object.entries(PARTS).flatMap(([part, file]) => [...readsIn(file, part).methods.keys()]);
    expect([...Object.keys(ASKED), ...EMPTY_ANYWAY, ...Object.keys(WITHOUT_SCOPE)].sort()).toEqual(named.sort());
  });

  test.each(Object.entries(ASKED))(
    'VIS-41: %s answers nothing to an empty scope, and something to the whole',
    async (_name, [ask, nothing]) => {
      const hidden = scopeFor({ agentId: 'b', sessionKey: 'agent:b:x' }, { visibility: 'self' });
      const other = scopeFor({ agentId: 'a', sessionKey: 'agent:a:two' }, { visibility: 'self' });
      expect(await store.read((reading) => ask(reading, emptyScope()))).toEqual(nothing);
      expect(await store.read((reading) => ask(reading, hidden))).toEqual(nothing);
      if (!['newestEntry', 'meta', 'file', 'extraProgress'].includes(_name)) {
        expect(await store.read((reading) => ask(reading, other))).toEqual(nothing);
      }
      expect(await store.read((reading) => ask(reading, wholeScope()))).not.toEqual(nothing);
      expect(await store.read((reading) => ask(reading, scopeFor(operator())))).not.toEqual(nothing);
    },
  );
});
