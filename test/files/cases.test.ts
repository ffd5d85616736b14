// The acceptance cases of cases/files.md, one row each; F-27 and F-42 need a process (crash.test.ts), F-45 is a property.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { FileState } from '../../src/files/index.ts';
import { fresh, fsWith, World, withNumbers } from './recorder.ts';

const MIB = 1_048_576;

/** Lines of 16 bytes, numbered, so that any mixture shows. */
function filler(bytes: number, letter: string): string {
  let text = '';
  for (let n = 0; text.length < bytes; n++) text += `${letter}${String(n).padStart(14, '0')}\n`;
  return `${text.slice(0, bytes - 1)}\n`;
}

const rows: Record<string, () => Promise<void>> = {
  'F-01: a file rewritten longer': async () => {
    const world = new World();
    world.write('OLD\n');
    await world.look();
    world.write('NEW1\nNEW2\n');
    expect(await world.look()).toMatchObject({ kind: 'restarted', reason: 'rewritten' });
    expect(world.sink().texts).toEqual(['NEW1', 'NEW2']);
  },
  'F-02: a file rewritten in place with the same length': async () => {
    const world = new World();
    world.write('ALPHA\n');
    await world.look();
    world.inPlace('BRAVO\n');
    expect(await world.look()).toMatchObject({ kind: 'restarted', reason: 'rewritten' });
    expect(world.sink().texts).toEqual(['BRAVO']);
  },
  'F-03: … and its mtime set back': async () => {
    const world = new World();
    world.write('ALPHA\n');
    const { atime, mtime } = fs.statSync(world.at('a.log'));
    fs.utimesSync(world.at('a.log'), atime, mtime);
    await world.look();
    world.inPlace('BRAVO\n');
    fs.utimesSync(world.at('a.log'), atime, mtime);
    await world.look();
    expect(world.sink().texts).toEqual(['BRAVO']);
  },
  'F-04: appended, and the mtime set back': async () => {
    const world = new World();
    world.write('a\n');
    const { atime, mtime } = fs.statSync(world.at('a.log'));
    await world.look();
    world.append('b\n');
    fs.utimesSync(world.at('a.log'), atime, mtime);
    await world.look();
    expect(world.sink().texts).toEqual(['a', 'b']);
  },
  'F-05: touched': async () => {
    const world = new World();
    world.write('a\n');
    await world.look();
    fs.utimesSync(world.at('a.log'), 1, 1);
    expect((await world.look()).kind).toBe('same');
    expect(world.sink().texts).toEqual(['a']);
    expect(await world.cost(() => world.look())).toEqual([0, 0, 0]);
  },
  'F-06: rewritten shorter': async () => {
    const world = new World();
    world.write(`${'x'.repeat(99)}\n`);
    await world.look();
    world.write('123456789\n');
    expect(await world.look()).toMatchObject({ kind: 'restarted', reason: 'shrank' });
    expect(world.sink().texts).toEqual(['123456789']);
  },
  'F-07: ten lines rewritten as a hundred others': async () => {
    const world = new World();
    world.write(filler(160, 'o'));
    await world.look();
    world.write(filler(1600, 'n'));
    await world.look();
    expect(world.sink().texts).toEqual(filler(1600, 'n').trimEnd().split('\n'));
  },
  'F-08: deleted and created again with the same inode': async () => {
    const world = sameInode();
    world.write('1\n');
    await world.look();
    fs.rmSync(world.at('a.log'));
    world.write('2\n3\n');
    await world.look();
    expect(world.sink().texts).toEqual(['2', '3']);
  },
  'F-09: … with the same first 4 KiB and length': async () => {
    const world = sameInode();
    const most = filler(6144 - 16, 's');
    world.write(`${most}the old last one\n`.slice(0, 6144));
    await world.look();
    fs.rmSync(world.at('a.log'));
    world.write(`${most}the new last one\n`.slice(0, 6144));
    await world.look();
    expect(world.sink().texts.length + (world.sink().unfinished ? 1 : 0)).toBe(384);
    expect(JSON.stringify([world.sink().rows, world.sink().unfinished])).toContain('the new last one');
    expect(JSON.stringify([world.sink().rows, world.sink().unfinished])).not.toContain('the old last one');
  },
  'F-10: two empty files': async () => {
    const world = new World();
    for (const path of ['a', 'b']) world.write('', path);
    for (const path of ['a', 'b']) await world.look(path);
    world.append('x\n', 'a');
    world.append('y\n', 'b');
    for (const path of ['a', 'b']) await world.look(path);
    expect([world.sink('a').texts, world.sink('b').texts]).toEqual([['x'], ['y']]);
  },
  'F-11: another file with the same beginning': async () => {
    const world = new World();
    world.write(filler(2048, 'x'), 'a.log');
    await world.look('a.log');
    fs.rmSync(world.at('a.log'));
    world.write(filler(2048, 'x').slice(0, 1024) + filler(1024, 'y'), 'b.log');
    expect((await world.look('a.log')).kind).toBe('gone');
    expect(await world.look('b.log')).toMatchObject({ kind: 'restarted', reason: 'new' });
    expect([world.sink('a.log').rows.length, world.sink('b.log').rows.length]).toEqual([0, 128]);
  },
  'F-12: rotated by renaming': async () => {
    const world = new World();
    world.write('o\np\n');
    await world.look();
    fs.renameSync(world.at('a.log'), world.at('a.log.1'));
    world.write('n\n');
    for (const path of ['a.log', 'a.log.1']) await world.look(path);
    expect([world.sink().texts, world.sink('a.log.1').texts]).toEqual([['n'], ['o', 'p']]);
  },
  'F-13: rotated in the middle of a line': async () => {
    const world = new World();
    world.write('one\nhal');
    await world.look();
    fs.renameSync(world.at('a.log'), world.at('a.log.1'));
    world.write('two\n');
    for (const path of ['a.log', 'a.log.1']) await world.look(path);
    expect([world.sink().texts, world.sink().unfinished]).toEqual([['two'], undefined]);
    expect([world.sink('a.log.1').texts, world.sink('a.log.1').unfinished?.text]).toEqual([['one'], 'hal']);
  },
  'F-14: a stored offset beyond the file': async () => {
    const world = new World();
    world.write(filler(5008, 'x'));
    await world.look();
    world.write('twenty bytes of text');
    expect(await world.look()).toMatchObject({ kind: 'restarted', reason: 'shrank' });
    expect(world.sink().unfinished?.text).toBe('twenty bytes of text');
  },
  'F-15: NULs, then clean text': async () => {
    const world = new World();
    world.write(`${'\0'.repeat(5000)}x\n`);
    expect(await world.look()).toMatchObject({ kind: 'skipped', reason: 'binary' });
    world.write('clean\n');
    await world.look();
    expect(world.sink().texts).toEqual(['clean']);
  },
  'F-16: a NUL after the first 8 KiB': async () => {
    const world = new World();
    world.write(`${'t'.repeat(9000)}\0\nafter\n`);
    await world.look();
    expect(world.sink().texts[1]).toBe('after');
  },
  'F-17: a NUL at 8191 and one at 8192': async () => {
    const world = new World();
    world.write(`${'t'.repeat(8191)}\0\n`, 'in');
    world.write(`${'t'.repeat(8192)}\0\n`, 'after');
    expect((await world.look('in')).reason).toBe('binary');
    expect((await world.look('after')).reason).toBe('new');
  },
  'F-18: text, then a NUL': async () => {
    const world = new World();
    world.write(`${'t'.repeat(99)}\n`);
    await world.look();
    expect(world.sink().rows.length).toBe(1);
    world.append('\0');
    expect(await world.look()).toMatchObject({ kind: 'skipped', reason: 'binary' });
    expect(world.sink().rows).toEqual([]);
  },
  'F-19: a character in two appends': async () => {
    const world = new World();
    const face = Buffer.from('🙂');
    world.write(Buffer.concat([Buffer.from('a'), face.subarray(0, 2)]));
    await world.look();
    expect(world.sink().unfinished?.text).toBe('a');
    world.append(Buffer.concat([face.subarray(2), Buffer.from('\n')]));
    await world.look();
    expect(world.sink().texts).toEqual(['a🙂']);
  },
  'F-20: a character over the block border': async () => {
    const world = new World();
    world.write(`${'a'.repeat(MIB - 1)}あ\n`);
    await world.look();
    expect(world.sink().texts).toEqual([`${'a'.repeat(MIB - 1)}あ`]);
  },
  'F-21: half a record': async () => {
    const world = new World();
    world.write('{"a":');
    await world.look();
    expect(world.sink().unfinished?.text).toBe('{"a":');
    world.append('1}\n');
    await world.look();
    expect([world.sink().texts, world.sink().unfinished]).toEqual([['{"a":1}'], undefined]);
  },
  'F-22: half a line, looked at twice': async () => {
    const world = new World();
    world.write('12');
    await world.look();
    await world.look();
    world.append('3\n');
    await world.look();
    expect(world.sink().texts).toEqual(['123']);
  },
  'F-23: CR and LF in two appends': async () => {
    const world = new World();
    world.write('one\r');
    await world.look();
    expect(world.sink().unfinished?.text).toBe('one');
    world.append('\ntwo\n');
    await world.look();
    expect(world.sink().texts).toEqual(['one', 'two']);
  },
  'F-24: a CR alone': async () => {
    const world = new World();
    world.write('one\rtwo\n');
    await world.look();
    expect(world.sink().texts).toEqual(['one\rtwo']);
  },
  'F-25: a line of 40 MB': async () => {
    const world = new World();
    const long = 'x'.repeat(40_000_000);
    world.write(`a\n${long}\nb\n`);
    await world.look();
    expect(world.sink().lines.map((line) => line.length)).toEqual([1, 40_000_000, 1]);
    expect(world.sink().rows.filter((row) => row.part === 'last').length).toBe(1);
    expect(Math.max(...world.sink().rows.map((row) => row.text.length))).toBe(MIB);
  },
  'F-26: a line within maxLineBytes, and over it': async () => {
    const text = '0'.repeat(16_000) + '1'.repeat(16_000) + '2'.repeat(15_990);
    for (const maxLineBytes of [65_536, MIB]) {
      for (const line of [text, text.repeat(3)]) {
        const world = new World({ maxLineBytes });
        world.write(`${line}\n`);
        await world.look();
        expect(world.sink().lines).toEqual([line]);
        expect(world.sink().rows[0]?.part).toBe(line.length > maxLineBytes ? 'last' : undefined);
      }
    }
  },
  'F-28: UTF-16': async () => {
    const world = new World();
    world.write(Buffer.from('\ufefftext\n', 'utf16le'));
    expect(await world.look()).toMatchObject({ kind: 'skipped', reason: 'utf16' });
    expect(world.sink().rows).toEqual([]);
  },
  'F-29: deleted between lstat and open': async () => {
    const world: World = new World({
      fs: fsWith({
        openSync: (path, flags) => {
          fs.rmSync(path);
          return fs.openSync(path, flags);
        },
      }),
    });
    world.write('x\n');
    expect(await world.look()).toEqual({ kind: 'gone' });
  },
  'F-30: unchanged': async () => {
    const world = new World();
    world.write('x\n');
    await world.look();
    for (let n = 0; n < 2; n++) {
      expect(await world.cost(async () => expect((await world.look()).kind).toBe('same'))).toEqual([0, 0, 0]);
    }
  },
  'F-31: truncated to nothing, then written': async () => {
    const world = new World();
    world.write('x\n');
    await world.look();
    fs.truncateSync(world.at('a.log'), 0);
    await world.look();
    expect(world.sink().rows).toEqual([]);
    world.append('y\n');
    await world.look();
    expect(world.sink().texts).toEqual(['y']);
  },
  'F-32: a folder whose times did not move': async () => {
    const world = new World();
    fs.mkdirSync(world.at('folder'));
    world.write('x\n', 'folder/a');
    await world.look('folder/a');
    fs.utimesSync(world.at('folder'), 1, 1);
    world.append('y\n', 'folder/a');
    for await (const found of world.follower.walk()) await world.look(found.path, { stat: found.stat });
    expect(world.sink('folder/a').texts).toEqual(['x', 'y']);
  },
  'F-33: inodes that are one as doubles': async () => {
    let ino = 2n ** 53n;
    const numbers = () => ({ ino, mtimeNs: 1n, ctimeNs: 1n, birthtimeNs: 0n });
    const world = new World({
      fs: fsWith({
        lstatSync: (path, options) => withNumbers(fs.lstatSync(path, options), numbers()),
        fstatSync: (fd, options) => withNumbers(fs.fstatSync(fd, options), numbers()),
      }),
    });
    world.write('one\n');
    await world.look();
    world.write('two\n');
    ino++;
    expect(await world.look()).toMatchObject({ kind: 'restarted', reason: 'replaced' });
    expect(world.sink().texts).toEqual(['two']);
  },
  'F-34: swapped for a link to a file outside': async () => {
    const outside = new World();
    outside.write('secret\n', 'target');
    const world: World = new World({
      fs: fsWith({
        openSync: (path, flags) => {
          fs.rmSync(path, { force: true });
          fs.symlinkSync(outside.at('target'), path);
          return fs.openSync(path, flags);
        },
      }),
    });
    world.write('x\n');
    expect(await world.look()).toMatchObject({ kind: 'skipped', reason: 'not_regular' });
    expect([world.sink().rows, world.follower.counters.bytesRead]).toEqual([[], 0]);
  },
  'F-35: a parent folder swapped for a link to outside': async () => {
    const outside = new World();
    outside.write('secret\n', 'a.log');
    const world: World = new World({
      fs: fsWith({
        openSync: (path, flags) => {
          fs.rmSync(world.at('folder'), { recursive: true, force: true });
          fs.symlinkSync(outside.root, world.at('folder'));
          return fs.openSync(path, flags);
        },
      }),
    });
    fs.mkdirSync(world.at('folder'));
    world.write('x\n', 'folder/a.log');
    expect(await world.look('folder/a.log')).toMatchObject({ kind: 'skipped', reason: 'outside_root' });
    expect([world.sink('folder/a.log').rows, world.follower.counters.bytesRead]).toEqual([[], 0]);
  },
  'F-36: a pipe, a socket, a folder': async () => {
    const world = new World();
    fs.mkdirSync(world.at('folder'));
    execFileSync('mkfifo', [world.at('pipe')]);
    const server = createServer().listen(world.at('socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    for (const path of ['folder', 'pipe', 'socket']) {
      expect(await world.look(path), path).toEqual({ kind: 'skipped', reason: 'not_regular' });
    }
    // Swapped in after the lstat: opening a pipe must not wait for a writer.
    world.write('x\n', 'real');
    const stat = fs.lstatSync(world.at('real'), { bigint: true });
    for (const path of ['pipe', 'socket']) {
      expect(await world.look(path, { stat }), path).toEqual({ kind: 'skipped', reason: 'not_regular' });
    }
    await new Promise((resolve) => server.close(resolve));
  },
  'F-37: rewritten while being read': async () => {
    for (const commitBytes of [MIB / 2, 8 * MIB]) {
      let reads = 0;
      const world: World = new World({
        commitBytes,
        fs: fsWith({
          readSync: (...args) => {
            if (++reads === 2) world.write(filler(3 * MIB, 'n'));
            return fs.readSync(...args);
          },
        }),
      });
      world.write(filler(3 * MIB, 'o'));
      await world.look();
      expect(new Set(world.sink().texts.map((text) => text[0])).size).toBe(1);
      await world.look();
      expect(`${world.sink().texts.join('\n')}\n`).toBe(filler(3 * MIB, 'n'));
    }
  },
  'F-38: three replacements in a row': async () => {
    const world = new World();
    world.write('zero\n');
    await world.look();
    for (const text of ['one', 'two', 'three and more']) {
      world.replace(`${text}\n`);
      await world.look();
      expect(world.sink().texts).toEqual([text]);
    }
  },
  'F-39: in place in the middle of 3 MiB, and appended': async () => {
    const world = new World();
    world.write(filler(3 * MIB, 'o'));
    await world.look();
    world.inPlace('EDITED', 1.5 * MIB);
    const reasons = [];
    for (let n = 0; n < 3; n++) {
      world.append('more\n');
      reasons.push((await world.look()).reason);
    }
    expect(reasons).toContain('rewritten');
    expect(world.sink().texts.filter((text) => text.includes('EDITED')).length).toBe(1);
  },
  'F-40: in place in the middle of 1.5 MiB, and appended': async () => {
    const world = new World();
    world.write(filler(1.5 * MIB, 'o'));
    await world.look();
    world.inPlace('EDITED', 0.75 * MIB);
    world.append('more\n');
    expect((await world.look()).reason).toBe('rewritten');
  },
  'F-41: rewritten within the grain of the clock': async () => {
    const now = BigInt(fresh.now()) * 1_000_000n;
    const times = { mtimeNs: now, ctimeNs: now, birthtimeNs: now };
    const world = new World({
      clock: fresh,
      fs: fsWith({
        lstatSync: (path, options) => withNumbers(fs.lstatSync(path, options), times),
        fstatSync: (fd, options) => withNumbers(fs.fstatSync(fd, options), times),
      }),
    });
    world.write('AAAA\n');
    await world.look();
    world.inPlace('BBBB\n');
    expect(await world.look()).toMatchObject({ kind: 'restarted', reason: 'rewritten' });
    expect(world.sink().texts).toEqual(['BBBB']);
  },
  'F-43: an anchor before the last line': async () => {
    const world = new World();
    world.sink().rule = 'line before the last';
    world.write('one\ntwo\nthree\n');
    await world.look();
    world.append('four\n');
    await world.look();
    const { offset, number, data } = world.sink().starts[1]!;
    expect([offset, number, Buffer.from(data).toString()]).toEqual([4, 2, 'rows 3']);
    expect(world.sink().texts).toEqual(['one', 'two', 'three', 'four']);
  },
  'F-44: states that are none': async () => {
    const world = new World();
    world.write('x\n');
    await world.look();
    const state = FileState.decode(world.sink().state!)!;
    const other = FileState.encode(state);
    other[1]!++;
    const beyond = { ...state, anchor: { ...state.anchor, offset: 5000 } };
    for (const bad of [Buffer.from('garbage'), new Uint8Array(500), other, beyond, FileState.encode(beyond)]) {
      expect(await world.follower.read('a.log', bad, world.sink())).toMatchObject({ kind: 'restarted', reason: 'new' });
    }
    expect(world.sink().texts).toEqual(['x']);
  },
};

test.each(Object.entries(rows))('%s', (_id, row) => row());

// A file system that gives every file one inode and no birth, as after a deletion.
function sameInode(): World {
  return new World({
    fs: fsWith({
      lstatSync: (path, options) => withNumbers(fs.lstatSync(path, options), { ino: 7n, birthtimeNs: 0n }),
      fstatSync: (fd, options) => withNumbers(fs.fstatSync(fd, options), { ino: 7n, birthtimeNs: 0n }),
    }),
  });
}
