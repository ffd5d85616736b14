// What a look does beyond the cases: each requirement that no row of the case table holds.
import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import { FileFollower, FileState, type FileSystem } from '../../src/files/index.ts';
import { fresh, fsWith, later, Recorder, World, withNumbers } from './recorder.ts';

const MIB = 1_048_576;
const block = (letter: string): string => `${letter.repeat(1023)}\n`.repeat(1024);
const decoded = (world: World): FileState => FileState.decode(world.sink().state!)!;
const failing = (code: string) => () => {
  throw Object.assign(new Error(code), { code });
};

test('FILE-3: the state holds what was read, its hashes are 16 bytes each', async () => {
  const world = new World();
  world.write(`${block('a')}tail`);
  await world.look();
  const stat = fs.statSync(world.at('a.log'), { bigint: true });
  const state = decoded(world);
  expect(state).toMatchObject({ dev: stat.dev, ino: stat.ino, mtimeNs: stat.mtimeNs, ctimeNs: stat.ctimeNs });
  expect(state).toMatchObject({
    size: MIB + 4,
    consumed: MIB,
    lines: 1024,
    kind: 'text',
    generation: 1,
    settled: true,
  });
  expect([state.head.length, state.blocks.length]).toEqual([16, 32]);
});

test('FILE-3: the generation goes up at each read from the start, and only there', async () => {
  const world = new World();
  const generations = [];
  for (const text of ['a\n', 'a\nb\n', 'c\n']) {
    world.write(text);
    await world.look();
    generations.push(decoded(world).generation);
  }
  expect(generations).toEqual([1, 1, 2]);
});

test('FILE-4, FILE-5 row 5: another device or inode with equal content is no restart, and what was added is found', async () => {
  let dev = 1n;
  const world = new World({
    fs: fsWith({
      lstatSync: (path, options) => withNumbers(fs.lstatSync(path, options), { dev }),
      fstatSync: (fd, options) => withNumbers(fs.fstatSync(fd, options), { dev }),
    }),
  });
  world.write('a\n');
  await world.look();
  dev = 2n;
  expect((await world.look()).kind).toBe('same');
  expect(decoded(world).dev).toBe(2n);
  dev = 3n;
  world.append('b\n');
  expect((await world.look()).kind).toBe('grown');
  expect([world.sink().texts, world.sink().starts.length]).toEqual([['a', 'b'], 2]);
});

test('FILE-5 row 1 and 2: gone, and a link in the place of the file', async () => {
  const world = new World();
  world.write('a\n');
  await world.look();
  fs.renameSync(world.at('a.log'), world.at('b.log'));
  fs.symlinkSync(world.at('b.log'), world.at('a.log'));
  expect(await world.look()).toEqual({ kind: 'skipped', reason: 'not_regular' });
  fs.rmSync(world.at('a.log'));
  expect(await world.look()).toEqual({ kind: 'gone' });
  expect(await world.look('b.log/below')).toEqual({ kind: 'gone' });
});

test('FILE-6, FILE-7: a fresh file is settled when its mtime is 2 s old and every block was checked since', async () => {
  let now = fresh.now();
  const world = new World({ clock: { now: () => now, elapsed: () => 0 } });
  world.write(block('a') + block('b') + block('c'));
  const seconds = now / 1000;
  fs.utimesSync(world.at('a.log'), seconds, seconds);
  await world.look();
  for (let n = 0; n < 4; n++) await world.look();
  expect(decoded(world).settled).toBe(false);
  now += 2_001;
  const settled = [];
  for (let n = 0; n < 3; n++) {
    await world.look();
    settled.push(decoded(world).settled);
  }
  expect(settled).toEqual([false, false, true]);
  expect(await world.cost(() => world.look())).toEqual([0, 0, 0]);
});

test('FILE-7: an mtime in the future counts from the moment it was first seen', async () => {
  let now = fresh.now();
  const world = new World({ clock: { now: () => now, elapsed: () => 0 } });
  world.write('a\n');
  fs.utimesSync(world.at('a.log'), now / 1000 + 86_400, now / 1000 + 86_400);
  await world.look();
  now += 1_900;
  await world.look();
  expect(decoded(world).settled).toBe(false);
  now += 200;
  await world.look();
  expect(decoded(world).settled).toBe(true);
});

test('FILE-8: a middle edit under equal times is found after at most as many looks as there are blocks', async () => {
  const times = { mtimeNs: BigInt(fresh.now()) * 1_000_000n, ctimeNs: 1n };
  const world = new World({
    clock: fresh,
    fs: fsWith({
      lstatSync: (path, options) => withNumbers(fs.lstatSync(path, options), times),
      fstatSync: (fd, options) => withNumbers(fs.fstatSync(fd, options), times),
    }),
  });
  world.write(block('a') + block('b') + block('c') + block('d'));
  await world.look();
  world.inPlace('EDIT', 2 * MIB + 500);
  const kinds = [];
  for (let n = 0; n < 4; n++) kinds.push((await world.look()).kind);
  expect(kinds).toContain('restarted');
});

test('FILE-9: a file swapped for another between lstat and open is looked at again', async () => {
  let swaps = 0;
  const world: World = new World({
    fs: fsWith({
      openSync: (path, flags) => {
        if (swaps++ === 0) world.replace('new\n');
        return fs.openSync(path, flags);
      },
    }),
  });
  world.write('old\n');
  expect((await world.look()).kind).toBe('restarted');
  expect([world.sink().texts, world.follower.counters.retries]).toEqual([['new'], 1]);
});

test('FILE-9: a root that is itself a link is followed', async () => {
  const world = new World();
  world.write('a\n');
  const link = new World();
  fs.symlinkSync(world.root, link.at('root'));
  const follower = new FileFollower(link.at('root'), { clock: later });
  expect((await follower.read('a.log', undefined, new Recorder())).kind).toBe('restarted');
});

test('FILE-10: a file that is appended to while being read is read to the end seen first, the rest at the next look', async () => {
  let reads = 0;
  const world: World = new World({
    fs: fsWith({
      readSync: (fd, buffer, offset, length, position) => {
        if (reads++ === 0) world.append('more\n');
        // Short reads are continued.
        return fs.readSync(fd, buffer, offset, Math.max(1, length >> 1), position);
      },
    }),
  });
  world.write('a\nb\n');
  await world.look();
  expect([world.sink().texts, world.follower.counters.retries]).toEqual([['a', 'b'], 0]);
  expect((await world.look()).kind).toBe('grown');
  expect(world.sink().texts).toEqual(['a', 'b', 'more']);
});

test('FILE-10, FILE-11: appended to and changed at once while being read: read again, never mixed', async () => {
  let reads = 0;
  const world: World = new World({
    fs: fsWith({
      readSync: (...args) => {
        if (++reads === 2) {
          world.inPlace('NEW', 0);
          world.append('NEW\n');
        }
        return fs.readSync(...args);
      },
    }),
  });
  world.write(block('a') + block('b'));
  await world.look();
  expect(world.sink().texts[0]?.slice(0, 3)).toBe('NEW');
  expect([world.sink().texts.at(-1), world.sink().rows.length]).toEqual(['NEW', 2049]);
});

test('FILE-11: a file that never holds still is skipped after three more looks, its rows kept', async () => {
  let restless = false;
  const world: World = new World({
    fs: fsWith({
      readSync: (...args) => {
        if (restless) fs.utimesSync(world.at('a.log'), ++tick, tick);
        return fs.readSync(...args);
      },
    }),
  });
  let tick = 1;
  world.write('a\n');
  await world.look();
  const before = world.sink().state;
  restless = true;
  world.write('b\nc\n');
  const outcome = await world.look();
  expect(outcome).toMatchObject({ kind: 'skipped', reason: 'unstable', state: FileState.decode(before!) });
  expect([world.sink().texts, world.follower.counters.retries]).toEqual([['a'], 3]);
  restless = false;
  await world.look();
  expect(world.sink().texts).toEqual(['b', 'c']);
});

test.each([
  ['EACCES', 'openSync'],
  ['EPERM', 'openSync'],
  ['EIO', 'readSync'],
  ['ESTALE', 'fstatSync'],
  ['EMFILE', 'openSync'],
  ['ENFILE', 'openSync'],
  ['EWHATEVER', 'lstatSync'],
] as const)('FILE-12: %s of %s is an outcome with its code, state and rows stay', async (code, call) => {
  const changes: Partial<FileSystem> = {};
  const world = new World({
    fs: new Proxy(fsWith({}), { get: (real, name) => Reflect.get(changes, name) ?? Reflect.get(real, name) }),
  });
  world.write('a\n');
  await world.look();
  const state = decoded(world);
  world.append('b\n');
  Object.assign(changes, { [call]: failing(code) });
  expect(await world.look()).toEqual({ kind: 'skipped', reason: 'unreadable', detail: code, state });
  expect(world.sink().texts).toEqual(['a']);
  delete changes[call];
  expect((await world.look()).kind).toBe('grown');
});

test('FILE-12: out of descriptors once is no failure', async () => {
  let opens = 0;
  const world = new World({
    fs: fsWith({ openSync: (path, flags) => (opens++ === 0 ? failing('EMFILE')() : fs.openSync(path, flags)) }),
  });
  world.write('a\n');
  expect((await world.look()).kind).toBe('restarted');
});

test('FILE-12: aborting rejects with the reason after a rollback', async () => {
  const world = new World({ commitBytes: 1 });
  world.write('a\nb\nc\n');
  const stop = new AbortController();
  const sink = world.sink();
  sink.commit = (state) => {
    Recorder.prototype.commit.call(sink, state);
    stop.abort(new Error('enough'));
  };
  await expect(world.look('a.log', { signal: stop.signal })).rejects.toThrow('enough');
  expect([sink.texts, sink.rollbacks]).toEqual([['a'], 1]);
  await expect(world.look('a.log', { signal: AbortSignal.abort(new Error('at once')) })).rejects.toThrow('at once');
});

test.each(['start', 'line', 'tail', 'anchor', 'commit'] as const)(
  'FILE-12: what the sink throws in %s is thrown on after a rollback, and the file is closed',
  async (method) => {
    const open = new Set<number>();
    const world = new World({
      fs: fsWith({
        openSync: (path, flags) => {
          const fd = fs.openSync(path, flags);
          open.add(fd);
          return fd;
        },
        closeSync: (fd) => {
          open.delete(fd);
          fs.closeSync(fd);
        },
      }),
    });
    world.write('a\nb');
    const sink = world.sink();
    sink[method] = failing('ENOENT') as never;
    await expect(world.look()).rejects.toThrow('ENOENT');
    expect([sink.rollbacks, open.size]).toEqual([1, 0]);
  },
);

test('FILE-12: two reads at once have one file open at a time', async () => {
  let open = 0;
  let most = 0;
  const world = new World({
    commitBytes: 1,
    fs: fsWith({
      openSync: (path, flags) => {
        most = Math.max(most, ++open);
        return fs.openSync(path, flags);
      },
      closeSync: (fd) => {
        open--;
        fs.closeSync(fd);
      },
    }),
  });
  for (const path of ['a', 'b', 'c']) world.write(`${path}1\n${path}2\n`, path);
  await Promise.all(['a', 'b', 'c'].map((path) => world.look(path)));
  expect([most, world.sink('a').texts, world.sink('c').texts]).toEqual([1, ['a1', 'a2'], ['c1', 'c2']]);
});

test('FILE-13: a binary file is not opened again while its stat is unchanged, even when it is not settled', async () => {
  const world = new World({ clock: fresh });
  world.write('a\0');
  await world.look();
  expect(await world.cost(async () => expect((await world.look()).reason).toBe('binary'))).toEqual([0, 0, 0]);
  world.append('more');
  expect((await world.look()).reason).toBe('binary');
});

test('FILE-15: a byte order mark is no part of the first line, and one elsewhere is data', async () => {
  const world = new World();
  world.write('\ufeff');
  await world.look();
  expect(world.sink().unfinished).toBeUndefined();
  world.append('one\n\ufefftwo\nthr');
  await world.look();
  expect(world.sink().rows).toEqual([
    { offset: 3, number: 1, text: 'one' },
    { offset: 7, number: 2, text: '\ufefftwo' },
  ]);
  expect([world.sink().unfinished?.offset, decoded(world).anchor.offset]).toEqual([14, 14]);
});

test('FILE-16: one U+FFFD per maximal invalid part', async () => {
  const world = new World();
  world.write(Buffer.from([0x61, 0xf0, 0x9f, 0x99, 0x62, 0xff, 0xc0, 0xaf, 0x0a]));
  await world.look();
  expect(world.sink().texts).toEqual(['a\ufffdb\ufffd\ufffd\ufffd']);
});

test('FILE-17: an empty file has no line and no tail', async () => {
  const world = new World();
  world.write('');
  expect((await world.look()).kind).toBe('restarted');
  expect([world.sink().rows, world.sink().unfinished, decoded(world).size]).toEqual([[], undefined, 0]);
});

test('FILE-18: maxLineBytes is from 64 KiB to 256 MiB', () => {
  for (const maxLineBytes of [65_535, 256 * MIB + 1, Number.NaN]) {
    expect(() => new FileFollower('.', { clock: later, maxLineBytes })).toThrow(RangeError);
  }
});

test('FILE-18, FILE-19: an unfinished long line goes on at the segment that the sink named', async () => {
  const world = new World({ maxLineBytes: 65_536 });
  world.sink().rule = 'last segment';
  world.write(`a\n${'x'.repeat(2_500_000)}`);
  await world.look();
  expect(decoded(world)).toMatchObject({ consumed: 2, anchor: { offset: 2 + 2 * MIB, number: 2 } });
  const [, bytesRead] = await world.cost(async () => {
    world.append('yz\nb\n');
    await world.look();
  });
  expect(bytesRead).toBe(2_500_000 - 2 * MIB + 5);
  expect(world.sink().lines).toEqual(['a', `${'x'.repeat(2_500_000)}yz`, 'b']);
});

test('FILE-19: an anchor beyond what was handed over, or too much data, is the sink’s error', async () => {
  const world = new World();
  world.write('a\n');
  for (const wrong of [
    { offset: 9, number: 1, data: new Uint8Array(0) },
    { offset: 0, number: 1, data: new Uint8Array(65_537) },
  ]) {
    world.sink().anchor = () => wrong;
    await expect(world.look()).rejects.toThrow(RangeError);
  }
});

test('FILE-20: commits fall on line ends, after commitBytes or when a line asks, and describe what was consumed', async () => {
  const world = new World({ commitBytes: 8 });
  const sink = world.sink();
  sink.line = (bytes, at) => {
    Recorder.prototype.line.call(sink, bytes, at);
    return at.number === 5 ? 'commit' : undefined;
  };
  world.write('one\ntwo\nthree\nfour\nfive\nsix\nunfinished');
  await world.look();
  expect(sink.commits.map((state) => [state.size, state.consumed, state.lines, state.settled])).toEqual([
    [8, 8, 2, false],
    [19, 19, 4, false],
    [24, 24, 5, false],
    [38, 28, 6, true],
  ]);
});

test('FILE-22: a file under another name is read again, whole', async () => {
  const world = new World();
  world.write('a\n');
  await world.look();
  fs.linkSync(world.at('a.log'), world.at('b.log'));
  expect(await world.look('b.log')).toMatchObject({ kind: 'restarted', reason: 'new' });
});

test('FILE-24: the event loop gets its turn within one large read', async () => {
  let now = 0;
  // Each asking of the clock takes 5 ms.
  const world = new World({ clock: { now: later.now, elapsed: () => (now += 5) } });
  world.write(block('a'));
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await world.look();
  isDone = true;
  // 64 askings in 1 MiB, a turn at every third or fourth.
  expect(turns).toBeGreaterThan(10);
});

test('FILE-25: counters tell what a look cost', async () => {
  const world = new World();
  world.write('one\ntwo\n');
  await world.look();
  expect(world.follower.counters).toEqual({
    looked: 1,
    opened: 1,
    bytesRead: 8,
    bytesChecked: 0,
    restarts: 0,
    retries: 0,
  });
  world.append('three\n');
  await world.look();
  expect(world.follower.counters).toEqual({
    looked: 2,
    opened: 2,
    bytesRead: 14,
    bytesChecked: 16,
    restarts: 0,
    retries: 0,
  });
  world.write('x\n');
  await world.look();
  expect(world.follower.counters).toMatchObject({ looked: 3, restarts: 1 });
});

test('FILE-26: a birth time that equals ctime at first sight is none', async () => {
  let birthtimeNs = 5n;
  const numbers = () => ({ birthtimeNs, ctimeNs: birthtimeNs, mtimeNs: 5n });
  const world = new World({
    fs: fsWith({
      lstatSync: (path, options) => withNumbers(fs.lstatSync(path, options), numbers()),
      fstatSync: (fd, options) => withNumbers(fs.fstatSync(fd, options), numbers()),
    }),
  });
  world.write('a\n');
  await world.look();
  expect(decoded(world).birthNs).toBe(0n);
  birthtimeNs = 6n;
  world.append('b\n');
  expect((await world.look()).kind).toBe('grown');
});
