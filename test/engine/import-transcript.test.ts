// One transcript from a stream (SES-156).
import { createReadStream, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { claude, codex, linesOf, makeWorld, removeWorlds } from '../steps/world.ts';

afterEach(removeWorlds);

const lines = [
  claude.user('u1', 'find the zebra'),
  claude.assistant('a1', [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }], 'u1'),
  claude.user('u2', [{ type: 'tool_result', tool_use_id: 't1', content: 'quokka.txt' }], 'a1'),
  claude.assistant('a2', 'No zebra.', 'u2'),
];
const text = `${linesOf(lines)}\n`;

describe('SES-156: importTranscript', () => {
  test('SES-156: a stream is read like a file: found, counted, and its tools reopened', async () => {
    const world = await makeWorld();
    const path = join(world.folder, 'elsewhere.jsonl');
    writeFileSync(path, text);
    const { sources, sessions } = world.backstory;
    const report = await sources.importTranscript({
      source: 'claude-code',
      name: 's-1.jsonl',
      stream: createReadStream(path, { highWaterMark: 100 }),
    });
    expect(report).toMatchObject({
      found: 1,
      imported: 1,
      unchanged: 0,
      skipped: [],
      failed: [],
      entries: { added: 4 },
    });
    expect(await world.keys('zebra')).toEqual(['agent:claude-code:s-1', 'agent:claude-code:s-1']);
    const { entries } = await sessions.history(operator(), { session: 'agent:claude-code:s-1', includeTools: true });
    expect(JSON.stringify(entries)).toContain('quokka.txt');
  });

  test('SES-156: given again it changes nothing; with more lines only those are new; report adds up', async () => {
    const world = await makeWorld();
    const give = (stream: Iterable<string>) =>
      world.backstory.sources.importTranscript({ source: 'claude-code', name: 's-1.jsonl', stream });
    await give([text]);
    const again = await give([text]);
    expect(again.entries).toEqual({ added: 0, changed: 0, erased: 0 });
    const more = await give([text, `${JSON.stringify(claude.user('u3', 'a wombat then', 'a2'))}\n`]);
    expect(more.entries).toMatchObject({ added: 1 });
    for (const { found, imported, unchanged, skippedTotal, failedTotal } of [again, more]) {
      expect(imported + unchanged + skippedTotal + failedTotal).toBe(found);
    }
    expect(await world.keys('zebra')).toHaveLength(2);
  });

  test('SES-156: a broken line costs that line only; a missing parent hangs under the entry before it', async () => {
    const world = await makeWorld();
    const stream = [
      `${JSON.stringify(claude.user('u1', 'one zebra'))}\n{"broken\n`,
      `${JSON.stringify(claude.assistant('a9', 'nine zebra', 'nobody'))}\n`,
    ];
    const report = await world.backstory.sources.importTranscript({ source: 'claude-code', name: 's-1.jsonl', stream });
    expect(report).toMatchObject({ found: 1, imported: 1 });
    expect(await world.texts('agent:claude-code:s-1')).toEqual(['one zebra', 'nine zebra']);
  });

  test('SES-156: under an agent of its own; the same session read from its own file later is one session', async () => {
    const world = await makeWorld();
    await world.backstory.sources.importTranscript({
      source: 'codex',
      name: 'rollout-2026-09-01T08-00-00-c-1.jsonl',
      stream: [`${linesOf([codex.meta('c-1'), codex.item('user', 'a zebra')])}\n`],
      agent: 'guest',
    });
    expect(await world.keys('zebra')).toEqual(['agent:guest:c-1']);
    await world.backstory.sources.importTranscript({ source: 'claude-code', name: 's-1.jsonl', stream: [text] });
    world.write(claude.path('s-1'), lines);
    await world.sync();
    expect(new Set(await world.keys('find'))).toEqual(new Set(['agent:claude-code:s-1']));
    expect(await world.texts('agent:claude-code:s-1')).toEqual(['find the zebra', 'No zebra.']);
  });

  test('SES-156: a stream that fails leaves nothing, and what was there before', async () => {
    const world = await makeWorld();
    const give = (stream: Iterable<string> | AsyncIterable<string>) =>
      world.backstory.sources.importTranscript({ source: 'claude-code', name: 's-1.jsonl', stream });
    async function* failing(): AsyncGenerator<string> {
      yield text;
      throw new Error('the line went dead');
    }
    await expect(give(failing())).rejects.toThrow('the line went dead');
    expect(await world.search('zebra')).toEqual([]);
    await give([text]);
    await expect(give(failing())).rejects.toThrow('the line went dead');
    expect(await world.search('zebra')).toHaveLength(2);
    const kept = readdirSync(join(world.home, 'imports'), { recursive: true, encoding: 'utf8' });
    expect(kept.filter((name) => name.endsWith('.part'))).toEqual([]);
    const file = kept.map((name) => join(world.home, 'imports', name)).find((name) => statSync(name).isFile())!;
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test.each([
    [{ name: '../s-1.jsonl' }, 'invalid_argument'],
    [{ name: 's-1.txt' }, 'invalid_argument'],
    [{ name: 'a\0.jsonl' }, 'invalid_argument'],
    [{ name: 7 }, 'invalid_argument'],
    [{ source: 'cloude-code' }, 'source_unknown'],
    [{ agent: 'Not One!' }, 'invalid_argument'],
    [{ stream: undefined }, 'invalid_argument'],
    [{ stream: 'text' }, 'invalid_argument'],
    [{ odd: 1 }, 'invalid_argument'],
  ])('COM-2: %o is refused, and nothing is kept', async (wrong, code) => {
    const world = await makeWorld();
    const params = { source: 'claude-code', name: 's-1.jsonl', stream: [text], ...wrong };
    await expect(world.backstory.sources.importTranscript(params as never)).rejects.toMatchObject({ code });
    expect(existsSync(join(world.home, 'imports'))).toBe(false);
  });

  test('SES-156: two transcripts of one name given at once are each whole: one of them counts, and no part is left', async () => {
    const world = await makeWorld();
    const other = `${linesOf([claude.user('w1', 'one wombat'), claude.assistant('w2', 'no wombat', 'w1')])}\n`;
    // Each chunk of one comes between two of the other.
    const slowly = async function* (all: string): AsyncGenerator<string> {
      for (let at = 0; at < all.length; at += 50) {
        yield all.slice(at, at + 50);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const give = (all: string): Promise<unknown> =>
      world.backstory.sources.importTranscript({ source: 'claude-code', name: 's-1.jsonl', stream: slowly(all) });
    await Promise.all([give(text), give(other)]);
    const root = join(world.home, 'imports', 'claude-code', 'claude-code', 's-1.jsonl');
    const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.map(({ name }) => name)).toEqual(['s-1.jsonl']);
    const kept = readFileSync(join(files[0]!.parentPath, 's-1.jsonl'), 'utf8');
    expect([text, other]).toContain(kept);
    const texts = await world.texts('agent:claude-code:s-1');
    expect(texts.at(-1)).toBe(kept === text ? 'No zebra.' : 'no wombat');
  });
});
