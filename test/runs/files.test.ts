// … R-48: which files are read, and what is said of those that are not.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { episodeOfPath, isRecordName, ownedBy } from '../../src/runs/file-rules.ts';
import { h, R, texts, World } from './world.ts';

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.close());

const CURRENT = R(3, 'conv-1');

describe('files by their path', () => {
  test.each([
    ['Alice/x.md', true],
    ['Alice.log', true],
    ['episode-3/Alice.notes.md', true],
    ['Alice', true],
    ['deep/er/Alice/any/x.txt', true],
    ['Alice2.log', false],
    ['Alice-2.log', false],
    ['alice.log', false],
    ['Bob/x.md', false],
    ['Bob/Alice.md', false],
    ['Alice/Bob.md', true],
    ['Bob/Alice/x.md', false],
    ['Alice Smith.log', false],
    ['Alice.Smith.log', false],
    ['notes.md', false],
  ])('R-10, R-42, RUN-43: %s is Alice’s: %s', (path, expected) => {
    expect(ownedBy('Alice', ['Alice Smith', 'Alice.Smith', 'Bob'])(path)).toBe(expected);
  });

  test('RUN-43: without other agents a dotted name is the agent’s own, and a folder of nobody known says nothing', () => {
    expect(ownedBy('Alice', [])('Alice.Smith.log')).toBe(true);
    expect(ownedBy('Alice', [])('Bob/Alice.md')).toBe(true);
    expect(ownedBy('Alice', [])('Bob/x.md')).toBe(false);
  });

  test.each([
    ['Alice.log', true],
    ['Alice.history', true],
    ['Alice.log.1', true],
    ['Alice.2026-10-21.log', true],
    ['Alice.log-20261021', true],
    ['Alice.history.bak', true],
    ['Alice.log~', true],
    ['Alice.log_old', true],
    ['Alice.LOG', false],
    ['Alice.logs', false],
    ['log', false],
    ['history.md', false],
    ['Alice.catalog', false],
    ['Alice.log/x.md', false],
  ])('RUN-42: %s is a record file by its name: %s', (path, expected) => {
    expect(isRecordName(path)).toBe(expected);
  });

  test.each([
    ['episode-3/Alice.log', 3],
    ['episode-1/deep/episode-2/Alice.log', 2],
    ['Alice.episode-7.md', 7],
    ['episode-4/Alice.episode-7.md', 4],
    ['episode-01/Alice.log', undefined],
    ['episode-/Alice.log', undefined],
    ['Episode-3/Alice.log', undefined],
    ['episode-3x/Alice.log', undefined],
    ['Alice.log', undefined],
    ['episode-999999999/Alice.log', 999_999_999],
  ])('RUN-40: %s lies in episode %s', (path, expected) => {
    expect(episodeOfPath(path)).toBe(expected);
  });
});

describe('files on disk', () => {
  test('R-13: a CRLF file and one with a byte order mark read as the LF file', async () => {
    const records = h('conv-1', 'word one\n  two') + h('-', 'word three');
    world.write('episode-3/Alice.history', records);
    const expected = (await world.retriever().retrieve('word two', CURRENT)).evidence;
    expect(expected).toHaveLength(3);
    for (const other of [records.replaceAll('\n', '\r\n'), `\ufeff${records}`]) {
      world.write('episode-3/Alice.history', other);
      expect((await world.retriever().retrieve('word two', CURRENT)).evidence).toEqual(expected);
    }
  });

  test('R-39: a run folder given through a symbolic link is read, and followed to where it leads next', async () => {
    world.write('Alice.md', 'word first\n');
    const link = world.outside('link');
    symlinkSync(world.folder, link);
    const retriever = world.retriever({}, { folder: link });
    expect(texts(await retriever.retrieve('word', R()))).toEqual(['word first']);
    const second = world.outside('second');
    mkdirSync(second);
    writeFileSync(join(second, 'Alice.md'), 'word second\n');
    rmSync(link);
    symlinkSync(second, link);
    expect(texts(await retriever.retrieve('word', R()))).toEqual(['word second']);
  });

  test('R-40, RUN-44: links below are not followed; only one that leads outside is said', async () => {
    world.write('Alice.md', 'word\n');
    mkdirSync(world.outside('elsewhere'));
    writeFileSync(join(world.outside('elsewhere'), 'Alice.md'), 'word outside\n');
    symlinkSync('/etc/passwd', world.path('Alice.log'));
    symlinkSync(world.outside('elsewhere'), world.path('sub'));
    symlinkSync(world.path('Alice.md'), world.path('Alice.x.md'));
    const retriever = world.retriever();
    for (let look = 0; look < 2; look++) {
      const { evidence, coverage } = await retriever.retrieve('word root', R());
      expect(evidence).toMatchObject([{ text: 'word', copies: 1 }]);
      expect(coverage.skipped).toEqual([{ what: 'Alice.log', reason: 'outside_root' }]);
    }
    expect(world.warnings).toMatchObject([{ code: 'outside_root', file: 'Alice.log' }]);
    symlinkSync(world.path('nothing'), world.path('Alice.gone.md'));
    await retriever.retrieve('word', R());
    expect(world.codes()).toEqual(['outside_root', 'outside_root']);
  });

  test('R-41, RUN-45: a FIFO is not opened, and the search returns', async () => {
    execFileSync('mkfifo', [world.path('Alice.log')]);
    world.write('Alice.md', 'word\n');
    const { evidence, coverage } = await world.retriever().retrieve('word', R());
    expect(evidence).toHaveLength(1);
    expect(coverage).toMatchObject({ complete: false, skipped: [{ what: 'Alice.log', reason: 'not_regular' }] });
  });

  test('R-10, R-42: files of others are never opened', async () => {
    for (const file of ['Alice2.log', 'Alice-2.log', 'alice.log', 'Bob/x.md', 'Alice Smith.log']) {
      world.write(file, 'word\n');
    }
    const retriever = world.retriever({ otherAgents: ['Alice Smith'] });
    expect((await retriever.retrieve('word', R())).coverage.files).toBe(0);
    expect(retriever.counters?.opened).toBe(0);
  });

  test.each(['Alice.log.1', 'Alice.2026-10-21.log', 'Alice.log-20261021'])(
    'R-43, RUN-42: a rotated log, %s, does not escape the conversation filter',
    async (file) => {
      world.write(file, h('conv-2', 'word'));
      expect(texts(await world.retriever().retrieve('word', CURRENT))).toEqual([]);
      expect(texts(await world.retriever().retrieve('word', R(3, 'conv-2')))).toEqual(['word']);
    },
  );

  test('R-44: nor does a file of another name whose lines are headers; decided again until 8 KiB were seen', async () => {
    const retriever = world.retriever();
    world.write('Alice.txt', 'word in prose\n');
    expect(texts(await retriever.retrieve('word', CURRENT))).toEqual(['word in prose']);
    world.append('Alice.txt', h('conv-2', 'word in a record') + h('conv-2', 'more'));
    expect(texts(await retriever.retrieve('word', CURRENT))).toEqual([]);
    world.write('Alice.txt', h('conv-2', 'word'));
    expect(texts(await retriever.retrieve('word', CURRENT))).toEqual([]);
    expect(texts(await retriever.retrieve('word', R(3, 'conv-2')))).toEqual(['word']);
  });

  test('R-45: prose with one pasted log line is not filtered', async () => {
    world.write('Alice.md', `# Notes\nsome prose\nmore prose\n${h('conv-2', 'word')}`);
    expect((await world.retriever().retrieve('word', R())).evidence).toHaveLength(1);
  });

  test('R-46, RUN-46: NUL at 8191 leaves a file out; at 8192 it is in, and the NUL shows as a space', async () => {
    const filler = 'a '.repeat(4_096);
    world.write('Alice.bin.md', `${filler.slice(0, 8_191)}\0 word binary\n`);
    world.write('Alice.text.md', `${filler}\0word text\nword after\n`);
    const { evidence, coverage } = await world.retriever().retrieve('word', R());
    expect(evidence.map(({ file }) => file)).toEqual(['Alice.text.md', 'Alice.text.md']);
    expect(evidence.some(({ text }) => text.endsWith(' word text'))).toBe(true);
    expect(coverage.skipped).toEqual([{ what: 'Alice.bin.md', reason: 'binary' }]);
    expect(world.codes()).toEqual([]);
    world.write('Alice.log', 'a\0b\n');
    world.write('Alice.wide.md', Buffer.from('\ufeffword\n', 'utf16le'));
    const again = await world.retriever().retrieve('word', R());
    expect(again.coverage.skipped.map(({ reason }) => reason)).toEqual(['binary', 'binary', 'utf16']);
    expect(world.codes().sort()).toEqual(['binary', 'utf16']);
  });

  test('R-47, RUN-47: no run folder gives an empty answer that says so; once it is there it is read', async () => {
    rmSync(world.folder, { recursive: true });
    const retriever = world.retriever({ index: 'home' });
    const { evidence, coverage } = await retriever.retrieve('word', R());
    expect(evidence).toEqual([]);
    expect(coverage).toMatchObject({ complete: false, reasons: ['no_run_folder'] });
    mkdirSync(world.folder);
    world.write('Alice.md', 'word\n');
    expect(texts(await retriever.retrieve('word', R()))).toEqual(['word']);
    renameSync(world.folder, world.outside('moved'));
    expect((await retriever.retrieve('word', R())).coverage.reasons).toEqual(['no_run_folder']);
  });

  test('a run folder that is a file is invalid_argument, when it is looked at', async () => {
    writeFileSync(world.outside('plain'), '');
    const retriever = world.retriever({}, { folder: world.outside('plain') });
    await expect(retriever.retrieve('word', R())).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  test('R-48, RUN-66, RUN-67: equal notes are given once; when one file goes the other is given', async () => {
    world.write('Alice.a.md', 'the same note\n');
    world.write('Alice.b.md', 'the same note  \n');
    const retriever = world.retriever();
    expect((await retriever.retrieve('same note', R())).evidence).toMatchObject([
      { file: 'Alice.a.md', copies: 2, alsoAt: [{ file: 'Alice.b.md', line: 1 }] },
    ]);
    rmSync(world.path('Alice.a.md'));
    expect((await retriever.retrieve('same note', R())).evidence).toMatchObject([
      { file: 'Alice.b.md', copies: 1, alsoAt: [] },
    ]);
  });

  test.skipIf(process.getuid?.() === 0)('RUN-47: a file that cannot be read is hidden until it can be', async () => {
    world.write('Alice.md', 'word one\n');
    world.write('Alice.b.md', 'word two\n');
    const retriever = world.retriever();
    await retriever.retrieve('word', R());
    chmodSync(world.path('Alice.md'), 0);
    world.append('Alice.md', '');
    const { evidence, coverage } = await retriever.retrieve('word', R());
    expect(evidence.map(({ text }) => text)).toEqual(['word two']);
    expect(coverage.skipped).toEqual([{ what: 'Alice.md', reason: 'unreadable' }]);
    chmodSync(world.path('Alice.md'), 0o600);
    expect((await retriever.retrieve('word', R())).evidence).toHaveLength(2);
  });

  test('RUN-47: unreadable, told by an injected file system: hidden, named with its code, tried again', async () => {
    const fs = await import('node:fs');
    let broken = false;
    const openSyncOf = ((path: string, ...rest: unknown[]) => {
      if (broken && String(path).endsWith('Alice.md')) throw Object.assign(new Error('io'), { code: 'EIO' });
      return (fs.openSync as (...given: unknown[]) => number)(path, ...rest);
    }) as typeof fs.openSync;
    const limits = { follower: { fs: { ...fs, openSync: openSyncOf } as never } };
    world.write('Alice.md', 'word one\n');
    world.write('Alice.b.md', 'word two\n');
    const retriever = world.retriever({}, { limits });
    expect((await retriever.retrieve('word', R())).evidence).toHaveLength(2);
    broken = true;
    world.append('Alice.md', 'word three\n');
    const { evidence, coverage } = await retriever.retrieve('word', R());
    expect(evidence.map(({ text }) => text)).toEqual(['word two']);
    expect(coverage).toMatchObject({ skipped: [{ what: 'Alice.md', reason: 'unreadable' }], complete: false });
    expect(coverage.warnings.join()).toContain('EIO');
    expect(world.warnings[0]!.message).toContain('EIO');
    broken = false;
    expect((await retriever.retrieve('word', R())).evidence).toHaveLength(3);
  });

  test('RUN-43: ownsFile replaces the rule, and one that throws owns nothing', async () => {
    world.write('notes.md', 'word\n');
    world.write('Alice.md', 'word own\n');
    const ask = async (ownsFile: (file: string) => boolean) =>
      texts(await world.retriever({ ownsFile }).retrieve('word', R()));
    expect(await ask((file) => file === 'notes.md')).toEqual(['word']);
    const failing = () => {
      throw new Error('no');
    };
    expect(await ask(failing)).toEqual([]);
  });
});

test.runIf(process.platform === 'linux')(
  'RUN-47, COM-31: a file or folder whose name is no UTF-8 is said to be unread, never passed over in silence',
  async () => {
    const [file, folder] = [0xff, 0x80].map((byte, at) =>
      Buffer.concat([Buffer.from(world.path(at === 0 ? 'Alice.' : 'Alice')), Buffer.from([byte])]),
    );
    writeFileSync(file!, 'word\n');
    mkdirSync(folder!);
    const retriever = world.retriever();
    const { evidence, coverage } = await retriever.retrieve('word', R());
    expect(evidence).toEqual([]);
    expect(coverage.complete).toBe(false);
    expect(coverage.skipped).toEqual([
      { what: 'Alice.\ufffd', reason: 'unreadable' },
      { what: 'Alice\ufffd', reason: 'unreadable' },
    ]);
    expect(coverage.warnings[0]).toContain('rename it');
    expect(world.warnings.every(({ message }) => message.includes('rename it'))).toBe(true);
  },
);
