// FILE-1, FILE-2: what a walk finds, passes over and never does.
import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import type { PassedOver, WalkOptions } from '../../src/files/index.ts';
import { fsWith, later, World } from './recorder.ts';

async function pathsOf(
  world: World,
  accepts?: (path: string) => boolean,
  options: WalkOptions = {},
): Promise<string[]> {
  const paths: string[] = [];
  for await (const found of world.follower.walk(accepts, options)) paths.push(found.path);
  return paths;
}

test('FILE-2: regular files come in the order of their path by UTF-16 units, with an absolute path and a bigint stat', async () => {
  const world = new World();
  for (const path of ['b', 'a.txt', 'a/z', 'a/b/c', 'a-', 'a0', 'é', '\u{1f600}', '\uffee']) {
    fs.mkdirSync(world.at(path.split('/').slice(0, -1).join('/')), { recursive: true });
    world.write('x\n', path);
  }
  const paths = await pathsOf(world);
  expect(paths).toEqual([...paths].sort());
  expect(paths.length).toBe(9);
  for await (const found of world.follower.walk()) {
    expect([found.absolute, typeof found.stat.ino]).toEqual([world.at(found.path), 'bigint']);
  }
});

test('FILE-2: links are not followed, and what is passed over is reported with a reason', async () => {
  const world = new World();
  fs.mkdirSync(world.at('folder'));
  world.write('x\n', 'folder/a');
  fs.symlinkSync(world.at('folder'), world.at('link'));
  fs.symlinkSync(world.root, world.at('folder/loop'));
  const passed: PassedOver[] = [];
  expect(await pathsOf(world, undefined, { onPassedOver: (entry) => passed.push(entry) })).toEqual(['folder/a']);
  expect(passed).toEqual([
    { path: 'folder/loop', reason: 'symlink' },
    { path: 'link', reason: 'symlink' },
  ]);
});

test('FILE-2: a folder that vanishes or cannot be read is reported, and the walk goes on', async () => {
  const world: World = new World({
    fs: fsWith({
      readdirSync: (path, options) => {
        if (path.endsWith('b/')) fs.rmSync(path, { recursive: true });
        if (path.endsWith('c/')) throw Object.assign(new Error(), { code: 'EACCES' });
        return fs.readdirSync(path, options);
      },
    }),
  });
  for (const folder of ['a', 'b', 'c', 'd']) {
    fs.mkdirSync(world.at(folder));
    world.write('x\n', `${folder}/file`);
  }
  const passed: PassedOver[] = [];
  expect(await pathsOf(world, undefined, { onPassedOver: (entry) => passed.push(entry) })).toEqual([
    'a/file',
    'd/file',
  ]);
  expect(passed).toEqual([
    { path: 'b', reason: 'vanished' },
    { path: 'c', reason: 'unreadable', detail: 'EACCES' },
  ]);
});

test('FILE-2: a root that is not there is reported', async () => {
  const world = new World();
  fs.rmSync(world.root, { recursive: true });
  const passed: PassedOver[] = [];
  expect(await pathsOf(world, undefined, { onPassedOver: (entry) => passed.push(entry) })).toEqual([]);
  expect(passed).toEqual([{ path: '', reason: 'vanished' }]);
});

test('FILE-2: depth and number have no limit', async () => {
  const world = new World();
  const deep = 'd/'.repeat(300);
  fs.mkdirSync(world.at(deep), { recursive: true });
  world.write('x\n', `${deep}file`);
  expect(await pathsOf(world)).toEqual([`${deep}file`]);
});

test('FILE-2: files that are not accepted cost no stat, folders that are not entered no reading', async () => {
  let stats = 0;
  const world = new World({
    fs: fsWith({
      lstatSync: (path, options) => {
        stats++;
        return fs.lstatSync(path, options);
      },
    }),
  });
  for (const folder of ['in', 'out']) {
    fs.mkdirSync(world.at(folder));
    for (const name of ['a.log', 'b.bin']) world.write('x\n', `${folder}/${name}`);
  }
  const enters = (path: string): boolean => path !== 'out';
  expect(await pathsOf(world, (path) => path.endsWith('.log'), { enters })).toEqual(['in/a.log']);
  expect(stats).toBe(1);
});

test('FILE-1: looking is pulled: no watcher and no timer is left behind', async () => {
  const before = process.getActiveResourcesInfo().length;
  const world = new World({ clock: later });
  world.write('x\n');
  for await (const found of world.follower.walk()) await world.look(found.path);
  expect(process.getActiveResourcesInfo().length).toBe(before);
});
