import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claude, linesOf } from '../steps/world.ts';

const BINARY = join(process.cwd(), 'dist', 'cli', 'main.js');
const run = promisify(execFile);
let folder: string;
let user: string;

beforeAll(() => {
  if (!existsSync(BINARY)) throw new Error('dist/ is missing: run npm run build');
  folder = mkdtempSync(join(tmpdir(), 'backstory-crash-'));
  user = join(folder, 'user');
  for (let s = 0; s < 40; s++) {
    const lines: object[] = [];
    for (let m = 0; m < 60; m++) {
      const uuid = `${String(s).padStart(8, '0')}-0000-4000-8000-${String(m).padStart(12, '0')}`;
      const parent = m === 0 ? null : `${String(s).padStart(8, '0')}-0000-4000-8000-${String(m - 1).padStart(12, '0')}`;
      const text = `message ${m} of session ${s}, ${m % 7 === 0 ? 'zebra' : 'walrus'}`;
      lines.push(m % 2 === 0 ? claude.user(uuid, text, parent) : claude.assistant(uuid, text, parent));
    }
    const path = join(user, claude.path(`s-${s}`));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${linesOf(lines)}\n`);
  }
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('a sync that is killed, and several at once', () => {
  test('SO-100 SRC-42 SRC-49: killed at 20 moments and then run whole, rows and index are those of one fresh sync', async () => {
    const home = join(folder, 'killed');
    for (let n = 0; n < 20; n++) await killedAfter(home, 40 + n * 15);
    await command(home, 'sync', '--json');
    const fresh = join(folder, 'fresh');
    await command(fresh, 'sync', '--json');
    expect(contents(home)).toEqual(contents(fresh));
    expect(contents(fresh).entries).toHaveLength(2_400);
  });

  test('SO-101 SRC-44: eight processes sync one home at once; the outcome is that of one, and none is refused', async () => {
    const home = join(folder, 'together');
    const reports = await Promise.all(Array.from({ length: 8 }, () => command(home, 'sync', '--json')));
    for (const report of reports) {
      const { files } = JSON.parse(report) as { files: { failedTotal: number } };
      expect(files.failedTotal).toBe(0);
    }
    const alone = join(folder, 'alone');
    await command(alone, 'sync', '--json');
    expect(contents(home)).toEqual(contents(alone));
  });

  test('SES-20: while another process reads files, a search answers from what is in', async () => {
    const home = join(folder, 'searched');
    await command(home, 'sync', '--json');
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => command(home, 'search', 'zebra', '--limit', '500', '--json')),
    );
    for (const answer of answers) expect((JSON.parse(answer) as { hits: unknown[] }).hits).toHaveLength(360);
  });
});

async function command(home: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [BINARY, ...args, '--home', home], {
    env: { ...process.env, HOME: user },
    maxBuffer: 1 << 26,
  });
  return stdout;
}

function killedAfter(home: string, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [BINARY, 'sync', '--home', home], {
      env: { ...process.env, HOME: user },
      stdio: 'ignore',
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), ms);
    child.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Everything that must not depend on how it came about: no row numbers, and the index's own check passes. */
function contents(home: string): { entries: unknown[]; sessions: unknown[]; found: unknown } {
  const db = new Database(join(home, 'agents', 'claude-code.sqlite'));
  try {
    db.exec("INSERT INTO fts (fts, rank) VALUES ('integrity-check', 0)");
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    return {
      entries: db
        .prepare(
          `SELECT s.key, hex(e.native) AS id, e.role, e.state, e.at, e.flags, b.text, hex(p.native) AS parent,
                  (SELECT count(*) FROM doc d WHERE d.entry = e.id) AS docs
           FROM entry e JOIN session s ON s.no = e.session LEFT JOIN body b ON b.entry = e.id
           LEFT JOIN entry p ON p.id = e.parent ORDER BY s.key, id`,
        )
        .all(),
      sessions: db
        .prepare('SELECT key, title, messages, texts, characters, created_at, last_at FROM session ORDER BY key')
        .all(),
      found: db.prepare(`SELECT count(*) AS n FROM fts WHERE fts MATCH 'text:"zebra"'`).get(),
    };
  } finally {
    db.close();
  }
}
