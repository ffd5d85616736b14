// R-70 … R-75 and the index's own life: shared by processes, damaged, not writable, deleted, swept.
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { IncrementalTextFilesRetriever } from '../../src/engine/runs.ts';
import { Reading } from '../../src/runs/reading.ts';
import { RunScope } from '../../src/runs/scope.ts';
import { migrate, newestVersion, RUNS } from '../../src/store/sqlite/migrations.ts';
import { sqliteRunIndexes } from '../../src/store/sqlite/run-home.ts';
import { h, R, texts, World } from './world.ts';

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.close());

const CURRENT = R(3, 'conv-1');
const LOG = 'episode-3/Alice.log';
const indexes = (): string[] =>
  existsSync(join(world.home, 'runs'))
    ? readdirSync(join(world.home, 'runs')).filter((name) => name.endsWith('.sqlite'))
    : [];
const onlyIndex = (): string => join(world.home, 'runs', indexes()[0]!);

describe('construction', () => {
  test.each([
    ['an empty run folder', () => world.retriever({}, { folder: '' })],
    ['no run folder', () => world.retriever({}, { folder: null as never })],
    ['an agent name with a slash', () => world.retriever({}, { agent: 'a/b' })],
    ['an unknown option', () => world.retriever({ interpretor: undefined } as never)],
    ['an unknown scope', () => world.retriever({ scope: 'all' as never })],
    ['an unknown index', () => world.retriever({ index: 'disk' as never })],
    ['a masker without mask', () => world.retriever({ masker: {} as never })],
    ['another agent without a name', () => world.retriever({ otherAgents: [''] })],
  ])('RUN-26, RUN-1: %s is invalid_argument, before anything is read', (_, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    expect(existsSync(world.home)).toBe(false);
  });

  test('RUN-26: the builder has one method per option, and neither it nor build touches a file', async () => {
    const builder = IncrementalTextFilesRetriever.builder(world.outside('nowhere'), 'Alice');
    const retriever = builder
      .interpreter({ version: '1', read: () => Reading.leftOut })
      .scope(RunScope.EPISODE)
      .topK(3)
      .home(world.home)
      .otherAgents(['Bob'])
      .versions({})
      .logger({ warn: () => undefined })
      .onWarning(() => undefined)
      .index('memory')
      .build();
    expect(existsSync(world.home)).toBe(false);
    expect((await retriever.retrieve('x', CURRENT)).coverage.reasons).toContain('no_run_folder');
    await retriever.close();
  });

  test('RUN-27: after close every call is closed, and a second close is none', async () => {
    world.write('Alice.md', 'word\n');
    const kept = world.retriever({ index: 'home' });
    {
      await using retriever = kept;
      await retriever.refresh();
    }
    await kept.close();
    for (const call of [() => kept.retrieve('word', R()), () => kept.refresh(), () => kept.deleteIndex()]) {
      await expect(call()).rejects.toMatchObject({ code: 'closed' });
    }
  });

  test('R-72, RUN-29: a host function without a version is kept in memory, or refused when an index was asked for', async () => {
    world.write('Alice.md', 'word\n');
    const interpreter = { read: (_f: string, _l: number, { text }: { text: string }) => Reading.note(text) };
    for (const [options, name] of [
      [{ interpreter }, 'interpreter.version'],
      [{ episodeOf: () => 1 }, 'versions.episodeOf'],
      [{ ownsFile: () => true }, 'versions.ownsFile'],
    ] as const) {
      for (const index of ['home', { file: join(world.home, 'x.sqlite') }] as const) {
        expect(() => world.retriever({ ...options, index })).toThrow(
          expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(name) }),
        );
      }
      await world.retriever({ ...options, index: undefined }).retrieve('word', R());
    }
    expect(existsSync(world.home)).toBe(false);
  });
});

describe('the index of a home', () => {
  test('RUN-28: mode 0600 in a folder of mode 0700, and nothing of the folder in its name', async () => {
    world.write('Alice.md', 'word\n');
    await world.retriever({ index: 'home' }).retrieve('word', R());
    expect(statSync(join(world.home, 'runs')).mode & 0o777).toBe(0o700);
    expect(statSync(onlyIndex()).mode & 0o777).toBe(0o600);
    expect(indexes()[0]).toMatch(/^[0-9a-f]{32}\.sqlite$/);
  });

  test('RUN-29: a change of agent, masker, interpreter, versions or other agents starts another index', async () => {
    world.write('Alice.md', 'word\n');
    const read = () => Reading.leftOut;
    const variants = [
      {},
      { masker: { fingerprint: 'x', mask: (text: string) => text } },
      { interpreter: { version: '1', read } },
      { interpreter: { version: '2', read } },
      { episodeOf: () => 1, versions: { episodeOf: '1' } },
      { ownsFile: () => true, versions: { ownsFile: '1' } },
      { otherAgents: ['Bob'] },
    ];
    for (const options of variants) await world.retriever({ ...options, index: 'home' }).retrieve('word', R());
    await world.retriever({ index: 'home' }, { agent: 'Bob' }).refresh();
    expect(indexes()).toHaveLength(variants.length + 1);
    // Scope and topK decide nothing of the rows.
    await world.retriever({ index: 'home', scope: RunScope.EPISODE, topK: 1 }).refresh();
    expect(indexes()).toHaveLength(variants.length + 1);
  });

  test('R-70, RUN-72: searches at once agree, and one that comes during a refresh finds what was appended before it', async () => {
    world.write(LOG, h('conv-1', 'word').repeat(3_000));
    const retriever = world.retriever({ index: 'home' });
    const [first, second] = [retriever.retrieve('word', CURRENT), retriever.retrieve('word', CURRENT)];
    await new Promise((resolve) => setImmediate(resolve));
    world.append(LOG, h('conv-1', 'appended'));
    const third = retriever.retrieve('appended', CURRENT);
    expect(texts(await third)).toEqual(['appended']);
    expect((await first).evidence[0]!.text).toEqual((await second).evidence[0]!.text);
  });

  test('RUN-70: what was written before the search is in its answer, the unfinished last line included', async () => {
    const retriever = world.retriever({ index: 'home' });
    world.append(LOG, h('conv-1', 'unfinished line').trimEnd());
    expect(texts(await retriever.retrieve('line', CURRENT))).toEqual(['unfinished line']);
    world.append(LOG, ' goes on');
    expect(texts(await retriever.retrieve('line', CURRENT))).toEqual(['unfinished line goes on']);
  });

  test('R-73, RUN-30: random bytes in place of the index: made again, with the same answer and a warning', async () => {
    world.write(LOG, h('conv-1', 'word') + h('-', 'word too'));
    const retriever = world.retriever({ index: 'home' });
    const expected = await retriever.retrieve('word', CURRENT);
    await retriever.close();
    for (const bytes of [
      Buffer.alloc(20_000, 0xa5),
      Buffer.from('no database'),
      readFileSync(onlyIndex()).fill(7, 2_000),
    ]) {
      writeFileSync(onlyIndex(), bytes);
      world.warnings.length = 0;
      const again = world.retriever({ index: 'home' });
      expect(await again.retrieve('word', CURRENT)).toEqual(expected);
      expect(world.codes()).toEqual(['index_rebuilt']);
      await again.close();
    }
  });

  test('R-74, RUN-30: a home that cannot be written: in memory, with the same answer and a warning', async () => {
    world.write(LOG, h('conv-1', 'word'));
    const expected = await world.retriever().retrieve('word', CURRENT);
    writeFileSync(world.outside('file'), '');
    const retriever = world.retriever({ index: 'home', home: join(world.outside('file'), 'home') });
    expect(await retriever.retrieve('word', CURRENT)).toEqual(expected);
    await retriever.retrieve('word', CURRENT);
    expect(world.codes()).toEqual(['index_in_memory']);
  });

  test('R-75, RUN-68: a callback or logger that throws affects nothing; the logger hears the same', async () => {
    world.write(LOG, `${h('conv-1', 'word')}2026-10-21 18:00:00 [running] [] Alice x\n`);
    const heard: unknown[] = [];
    const fail = () => {
      throw new Error('host');
    };
    const retriever = world.retriever({
      onWarning: fail,
      logger: { warn: (text, fields) => heard.push([text, fields]) },
    });
    expect(texts(await retriever.retrieve('word', CURRENT))).toEqual(['word']);
    await retriever.retrieve('word', CURRENT);
    expect(heard).toEqual([[expect.stringContaining(LOG), { code: 'unreadable_header', file: LOG }]]);
    const failing = world.retriever({ onWarning: fail, logger: { warn: fail } });
    expect(texts(await failing.retrieve('word', CURRENT))).toEqual(['word']);
  });

  test('RUN-31: deleteIndex removes the file with its log, and the next search makes it again', async () => {
    world.write('Alice.md', 'word\n');
    const retriever = world.retriever({ index: 'home' });
    await retriever.retrieve('word', R());
    const path = onlyIndex();
    await retriever.deleteIndex();
    expect([path, `${path}-wal`, `${path}-shm`].filter((one) => existsSync(one))).toEqual([]);
    expect(texts(await retriever.retrieve('word', R()))).toEqual(['word']);
    expect(existsSync(path)).toBe(true);
  });

  test('RUN-31: opening an index removes those whose folder is gone or that nobody opened for 30 days', async () => {
    world.write('Alice.md', 'word\n');
    const other = world.outside('other');
    mkdirSync(other);
    const gone = world.retriever({ index: 'home' }, { folder: other });
    await gone.refresh();
    await gone.close();
    const stale = world.retriever({ index: 'home' }, { agent: 'Bob' });
    await stale.refresh();
    await stale.close();
    rmSync(other, { recursive: true });
    world.ahead = 31 * 24 * 60 * 60_000;
    await world.retriever({ index: 'home' }).refresh();
    expect(indexes()).toHaveLength(1);
  });

  test('RUN-72: while another process holds the lock, the answer is of what was read before and says so', async () => {
    world.write('Alice.md', 'word\n');
    const retriever = world.retriever({ index: 'home' }, { busyTimeoutMs: 50 });
    await retriever.retrieve('word', R());
    const holder = new Database(onlyIndex());
    holder.exec('BEGIN IMMEDIATE');
    world.append('Alice.md', 'word again\n');
    const { evidence, coverage } = await retriever.retrieve('word', R());
    expect(evidence.map(({ text }) => text)).toEqual(['word']);
    expect(coverage).toMatchObject({ complete: false, reasons: ['index_busy'] });
    holder.exec('ROLLBACK');
    holder.close();
    expect((await retriever.retrieve('word', R())).evidence).toHaveLength(2);
    expect(world.codes()).toEqual(['index_busy']);
  });

  test('an aborted signal rejects with its reason, and the index goes on', async () => {
    world.write(LOG, h('conv-1', 'word').repeat(5_000));
    const retriever = world.retriever({ index: 'home' });
    const controller = new AbortController();
    const asked = retriever.retrieve('word', CURRENT, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    expect((await retriever.retrieve('word', CURRENT)).evidence).toHaveLength(1);
  });

  test('RUN-28: the golden schema (write it anew with UPDATE_GOLDEN=1)', () => {
    const db = new Database(':memory:');
    migrate(db, ':memory:', RUNS);
    const rows = db
      .prepare(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type DESC, name",
      )
      .pluck()
      .all();
    const schema = `-- version ${newestVersion(RUNS)}\n${rows.join(';\n')};\n`;
    const golden = join(import.meta.dirname, 'schema.sql');
    if (process.env.UPDATE_GOLDEN || !existsSync(golden)) writeFileSync(golden, schema);
    expect(schema).toBe(readFileSync(golden, 'utf8'));
  });
});

describe('several processes', () => {
  const bundle = (): string => {
    const script = join(import.meta.dirname, '../../node_modules/.cache', `runs-${process.pid}.mjs`);
    buildSync({
      stdin: {
        contents: `
          import { IncrementalTextFilesRetriever } from ${JSON.stringify(join(import.meta.dirname, '../../src/engine/runs.ts'))};
          import { ChatRetrievalContext } from ${JSON.stringify(join(import.meta.dirname, '../../src/model/retrieval.ts'))};
          const [folder, home, query, limits] = process.argv.slice(2);
          const retriever = new IncrementalTextFilesRetriever(folder, 'Alice', { home, logger: { warn() {} } });
          if (limits === 'slow') console.log('ready');
          const context = new ChatRetrievalContext({ ownerId: 'Alice', conversationId: 'conv-1', topK: 20,
            metadataFilters: { 'current-episode': 'episode-3' } });
          const answer = await retriever.retrieve(query, context);
          console.log(JSON.stringify({ answer, counters: retriever.counters }));
          await retriever.close();
        `,
        resolveDir: import.meta.dirname,
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      external: ['better-sqlite3', 're2js', 'fzstd'],
      outfile: script,
    });
    return script;
  };

  test('R-71, RUN-28: a second process with the same home reads nothing of files that did not change', async () => {
    world.write(LOG, h('conv-1', 'word'));
    const old = new Date(Date.now() - 60_000);
    utimesSync(world.path(LOG), old, old);
    const script = bundle();
    const ask = () => JSON.parse(execFileSync(process.execPath, [script, world.folder, world.home, 'word']).toString());
    const first = ask();
    expect(first.counters.bytesRead).toBeGreaterThan(0);
    const second = ask();
    expect(second.counters).toMatchObject({ bytesRead: 0, opened: 0, looked: 1 });
    expect(second.answer).toEqual(first.answer);
    rmSync(script);
  });

  test('RUN-73, RUN-71: killed in the middle of a refresh, several at once, nothing is lost or doubled', async () => {
    for (let file = 0; file < 6; file++) {
      const lines = Array.from({ length: 3_000 }, (_, n) =>
        h('conv-1', `word ${file} number${n} filler text of a line`),
      );
      world.write(`episode-3/Alice.${file}.log`, lines.join(''));
    }
    const script = bundle();
    for (const afterMs of [5, 40, 90, 160]) {
      const children = [0, 1].map(() =>
        spawn(process.execPath, [script, world.folder, world.home, 'word', 'slow'], {
          stdio: ['ignore', 'pipe', 'ignore'],
        }),
      );
      for (const child of children) {
        await new Promise((resolve) => child.stdout.once('data', resolve));
        await new Promise((resolve) => setTimeout(resolve, afterMs));
        child.kill('SIGKILL');
        await new Promise((resolve) => child.once('exit', resolve));
      }
    }
    const kept = world.retriever({ index: 'home' });
    const fresh = world.retriever();
    for (const query of ['word', 'number2999 filler', 'word 4 number17']) {
      expect(await kept.retrieve(query, CURRENT)).toEqual(await fresh.retrieve(query, CURRENT));
    }
    expect(world.codes()).toEqual([]);
    rmSync(script);
  });
});

describe('the salt of a home', () => {
  test('RUN-29: names of indexes differ between homes, and a cut salt is made anew', () => {
    const [a, b] = [join(world.home, 'a'), join(world.home, 'b')];
    const key = sqliteRunIndexes.keyOf(a, ['x']);
    expect(sqliteRunIndexes.keyOf(a, ['x'])).toBe(key);
    expect(sqliteRunIndexes.keyOf(b, ['x'])).not.toBe(key);
    writeFileSync(join(a, 'key.salt'), 'cut');
    expect(sqliteRunIndexes.keyOf(a, ['x'])).not.toBe(key);
  });
});

describe('letting go of an index that is searched', () => {
  const fill = (): void => {
    for (let file = 0; file < 60; file++) world.write(`Alice/${file}.md`, 'the zebra is here\n'.repeat(20));
  };

  test.each([
    ['deleteIndex', {}],
    ['deleteIndex', { index: 'memory' as const }],
    ['releaseIf', {}],
  ])('RUN-70: %s during searches (%j) takes nothing from any of them', async (method, options) => {
    fill();
    const retriever = world.retriever(options);
    const letGo = (): Promise<void> =>
      method === 'releaseIf' ? retriever.releaseIf(realpathSync(world.folder)) : retriever.deleteIndex();
    const asked: Promise<number>[] = [];
    const letting: Promise<void>[] = [];
    for (let turn = 0; turn < 24; turn++) {
      asked.push(retriever.retrieve('zebra', CURRENT).then(({ evidence }) => evidence.length));
      if (turn % 3 === 0) letting.push(letGo());
      await new Promise((resolve) => setTimeout(resolve, turn % 4));
    }
    await Promise.all(letting);
    expect(new Set(await Promise.all(asked))).toEqual(new Set([1]));
  });

  test('RUN-27: close waits for the searches under way; one that comes after it is closed, never an empty answer', async () => {
    fill();
    const retriever = world.retriever();
    const first = retriever.retrieve('zebra', CURRENT);
    const second = retriever.retrieve('zebra', CURRENT);
    await Promise.all([retriever.close(), retriever.close()]);
    expect((await first).evidence).toHaveLength(1);
    expect((await second).evidence).toHaveLength(1);
    await expect(retriever.retrieve('zebra', CURRENT)).rejects.toMatchObject({ code: 'closed' });
    const other = world.retriever();
    const deleting = other.deleteIndex();
    const waiting = other.retrieve('zebra', CURRENT);
    const closing = other.close();
    await expect(waiting).rejects.toMatchObject({ code: 'closed' });
    await Promise.all([deleting, closing]);
  });
});

describe('an index file that a host names', () => {
  test.each([
    ['text', (path: string) => writeFileSync(path, 'precious text\n'.repeat(500))],
    [
      "another program's database",
      (path: string) => {
        const db = new Database(path);
        db.exec("CREATE TABLE t (a); INSERT INTO t VALUES ('precious')");
        db.close();
      },
    ],
  ])('RUN-30: %s is left as it is: the index is in memory, and deleteIndex removes nothing', async (_, make) => {
    world.write('Alice.md', 'word\n');
    const file = world.outside('precious');
    make(file);
    const before = readFileSync(file);
    const retriever = world.retriever({ index: { file } });
    await retriever.deleteIndex();
    expect((await retriever.retrieve('word', R())).evidence).toHaveLength(1);
    await retriever.deleteIndex();
    expect(readFileSync(file)).toEqual(before);
    expect(world.codes()).toEqual(['index_in_memory']);
  });

  test('RUN-30, RUN-31: one of ours is made anew when it is damaged, and deleted when asked', async () => {
    world.write('Alice.md', 'word\n');
    const file = world.outside('own.sqlite');
    await world.retriever({ index: { file } }).close();
    const first = world.retriever({ index: { file } });
    await first.refresh();
    await first.close();
    const bytes = readFileSync(file);
    writeFileSync(file, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100, 0x41)]));
    const second = world.retriever({ index: { file } });
    expect((await second.retrieve('word', R())).evidence).toHaveLength(1);
    expect(world.codes()).toEqual(['index_rebuilt']);
    await second.deleteIndex();
    expect(existsSync(file)).toBe(false);
  });

  test.runIf(existsSync('/proc/self'))('RUN-30: a home that the system cannot hold never hangs a search', async () => {
    world.write('Alice.md', 'word\n');
    const retriever = world.retriever({ index: 'home', home: '/proc/backstory/home' });
    expect((await retriever.retrieve('word', R())).evidence).toHaveLength(1);
    expect(world.codes()).toEqual(['index_in_memory']);
  });
});

describe('arguments of another type', () => {
  test.each([
    ['home', { home: 5 }],
    ['home', { home: 'a\0b' }],
    ['index', { index: { file: ' ' } }],
    ['versions', { versions: { ownsFile: 5 } }],
    ['logger', { logger: {} }],
    ['onWarning', { onWarning: 5 }],
    ['no options', null],
  ])('RUN-26: %s (%#) is invalid_argument', (_, options) => {
    expect(() => new IncrementalTextFilesRetriever(world.folder, 'Alice', options as never)).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    );
  });

  test('RUN-35, COM-21: null in a request is as absent, any other type is invalid_argument, never a TypeError', async () => {
    world.write('Alice.md', 'word\n');
    const retriever = world.retriever();
    const ask = (context: unknown, options?: unknown, query: unknown = 'word') =>
      retriever.retrieve(query as string, context as never, options as never);
    const nulls = { ownerId: 'Alice', turnMessage: null, conversationId: null, metadataFilters: null };
    expect((await ask(nulls, null)).evidence).toHaveLength(1);
    expect((await ask({ ...nulls, conversationId: undefined }, { signal: null })).evidence).toHaveLength(1);
    for (const call of [
      () => ask(null),
      () => ask({ ownerId: 'Alice', conversationId: 7 }),
      () => ask({ ownerId: 'Alice', turnMessage: {} }),
      () => ask({ ownerId: 'Alice', metadataFilters: 'x' }),
      () => ask({ ownerId: 'Alice', topK: Object.create(null) }),
      () => ask(nulls, { signal: {} }),
      () => ask(nulls, undefined, Object.create(null)),
    ]) {
      await expect(Promise.resolve().then(call)).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });
});
