// What a host wrote survives a kill at any moment, and processes that write at once lose nothing (SES-20, SES-28, SES-170).
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { type Backstory, openBackstory } from '../../src/engine/engine.ts';

const KEY = 'agent:main:crash';
// Below the project, so that the bundle finds sql/ and its packages.
const OUT = join(process.cwd(), 'node_modules', '.cache', `append-child-${process.pid}`);
const CHILD = join(OUT, 'child.mjs');
let folder = '';

beforeAll(async () => {
  mkdirSync(OUT, { recursive: true });
  folder = mkdtempSync(join(tmpdir(), 'backstory-append-'));
  await build({
    entryPoints: [join(import.meta.dirname, 'append-child.ts')],
    outfile: CHILD,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  });
});

afterAll(() => {
  rmSync(OUT, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

interface Child {
  readonly process: ChildProcess;
  readonly lines: unknown[];
  readonly ended: Promise<number | null>;
}

function start(home: string, mode: string, name = '', barrier = ''): Child {
  const process = spawn(globalThis.process.execPath, [CHILD, home, mode, name, barrier], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: unknown[] = [];
  let open = '';
  process.stdout!.on('data', (data: Buffer) => {
    const parts = (open + data.toString()).split('\n');
    open = parts.pop()!;
    for (const line of parts) lines.push(JSON.parse(line));
  });
  return { process, lines, ended: new Promise((resolve) => process.on('close', resolve)) };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(2);
}

async function opened<T>(home: string, work: (backstory: Backstory) => Promise<T>): Promise<T> {
  const backstory = await openBackstory({ home, host: { env: {}, home, platform: process.platform } });
  try {
    return await work(backstory);
  } finally {
    await backstory.close();
  }
}

/** Ids that history shows of messages with the word, and ids that search finds. */
async function shownAndFound({ sessions }: Backstory): Promise<{ shown: string[]; found: string[] }> {
  const found = new Set<string>();
  for (let cursor: string | undefined, more = true; more; ) {
    const page = await sessions.search(operator(), {
      query: 'kestrel',
      limit: 500,
      sort: 'oldest',
      waitMs: 30_000,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const hit of page.hits) found.add(hit.messageId);
    cursor = page.coverage.cursor;
    more = cursor !== undefined;
  }
  const shown: string[] = [];
  const windows = (await sessions.current(KEY)).sessionId;
  for (let before: string | undefined, more = true; more; ) {
    const page = await sessions.history(operator(), {
      session: KEY,
      sessionId: windows,
      limit: 1_000,
      maxBytes: 6 * 1024 * 1024,
      ...(before === undefined ? {} : { before }),
    });
    for (const entry of page.entries) if (entry.type === 'message') shown.push(entry.messageId);
    before = page.more.before;
    more = page.more.older;
  }
  return { shown: shown.sort(), found: [...found].sort() };
}

describe('a host that is killed', () => {
  it('S-3, SES-20, SES-159: after a kill between appends, what is shown is found and no more; what resolved is there', async () => {
    const home = join(folder, 'killed');
    let resolved = 0;
    for (let round = 0; round < 3; round++) {
      const child = start(home, 'append', `r${round}`);
      await until(() => child.lines.length > 3 + round * 7);
      await sleep(round % 3);
      child.process.kill('SIGKILL');
      await child.ended;
      resolved += child.lines.length - 1;
      const { shown, found } = await opened(home, shownAndFound);
      expect(found).toEqual(shown);
      expect(shown.length).toBeGreaterThanOrEqual(resolved);
      expect(shown.length).toBeLessThanOrEqual(resolved + round + 1);
    }
  });

  it('SES-52, SES-54, SES-159: after a kill between rewinds and resets too', async () => {
    const home = join(folder, 'moved');
    for (let round = 0; round < 2; round++) {
      const child = start(home, 'moves');
      await until(() => child.lines.length > 4 + round * 3);
      await sleep(round);
      child.process.kill('SIGKILL');
      await child.ended;
      const { shown, found } = await opened(home, shownAndFound);
      expect(found).toEqual(shown);
    }
  });

  it('S-115, SES-170: a deletion that is killed shows nothing from its first commit on, and ends by itself', async () => {
    const home = join(folder, 'deleted');
    await opened(home, async ({ sessions }) => {
      for (let part = 0; part < 3; part++) {
        const messages = Array.from(
          { length: 8_000 },
          (_, n) => ({ role: 'user', content: `kestrel part${part} word${n}` }) as const,
        );
        await sessions.appendMany({ key: KEY, messages });
      }
    });
    const child = start(home, 'delete');
    await until(() => child.lines.length > 0);
    await sleep(120);
    child.process.kill('SIGKILL');
    await child.ended;
    expect(child.lines).not.toContain('deleted');
    await opened(home, async ({ sessions }) => {
      await expect(sessions.current(KEY)).rejects.toMatchObject({ code: 'session_not_found' });
      expect((await sessions.search(operator(), { query: 'kestrel' })).hits).toEqual([]);
      expect((await sessions.stats(operator())).total.sessions).toBe(1);
      const path = join(home, 'agents', 'main.sqlite');
      const { default: Database } = await import('better-sqlite3');
      const db = new Database(path, { readonly: true });
      const left = db.prepare('SELECT count(*) AS n FROM entry').pluck();
      await until(() => left.get() === 1);
      db.close();
    });
  });
});

describe('processes that write at once', () => {
  async function together(home: string, mode: string): Promise<Child[]> {
    const barrier = join(folder, `go-${mode}`);
    const children = Array.from({ length: 8 }, (_, n) => start(home, mode, `p${n}`, barrier));
    await until(() => children.every((child) => child.lines.length > 0));
    writeFileSync(barrier, '');
    expect(await Promise.all(children.map((child) => child.ended))).toEqual(Array(8).fill(0));
    return children;
  }

  it('SES-28: eight append to one agent; nothing is lost, and everything is found', async () => {
    const home = join(folder, 'eight');
    await together(home, 'fifty');
    const { shown, found } = await opened(home, shownAndFound);
    expect(shown).toHaveLength(400);
    expect(found).toEqual(shown);
  });

  it('S-6, SES-23: eight with one idempotency key write one message', async () => {
    const home = join(folder, 'same');
    const children = await together(home, 'same');
    const answers = children.map((child) => child.lines[1] as { appended: boolean; messageId: string });
    expect(answers.filter(({ appended }) => appended)).toHaveLength(1);
    expect(new Set(answers.map(({ messageId }) => messageId)).size).toBe(1);
    expect((await opened(home, ({ sessions }) => sessions.current(KEY))).entries).toHaveLength(1);
  });
});
