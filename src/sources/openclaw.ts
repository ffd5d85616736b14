// OpenClaw: one agent of it is one agent here; its sessions as JSON lines, or in its database (SRC-140, SRC-143).
import { type BigIntStats, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { agentIdApart, agentIdFrom } from '../model/ids.ts';
import { readCompressed } from './compressed.ts';
import type { Found, HostEnv, Plan, PlannedFile, Source } from './contract.ts';
import { readJsonl } from './jsonl.ts';
import { holdsSession, INCOGNITO, readDatabase, reopenRow } from './openclaw-database.ts';
import { ClawReader } from './openclaw-records.ts';
import { reopenLine } from './reopen.ts';
import { type Candidate, type Listed, listFiles, rootsOf } from './roots.ts';

const NAME = 'openclaw';
const DATABASE = 'agent/openclaw-agent.sqlite';
// `<session>.jsonl`, `<session>-topic-<thread>.jsonl`, and what became of them; compressed ones are archives.
const SESSION =
  /^(?:sessions|session-sqlite-import-archive)\/(?:[^/]+\/)*([^/]+?)\.jsonl(\.(?:deleted|reset)\.[^/]+?|\.bak[^/]*?)?(\.zst)?$/;
const TOPIC = /-topic-[^/]+$/;
const NEVER = /\.checkpoint\.|\.lock$/;

export const openclaw: Source = {
  name: NAME,
  title: 'OpenClaw',
  version: 1,
  agentId: NAME,
  branches: 'strict',
  async discover(host, given): Promise<Found[]> {
    const folders = [
      ...given.map(({ path, agent }) => ({ path, how: 'given' as const, agent })),
      ...stateFolders(host).map((folder) => ({ ...folder, agent: undefined })),
    ];
    // The older places are reported only when they are there.
    return folders
      .flatMap(({ path, how, agent }) => rootsOf(NAME, agentsIn(path, how, agent)))
      .filter((found) => 'instance' in found || found.how !== 'default' || basename(found.root) === '.openclaw');
  },
  async plan(instance): Promise<Plan> {
    const listed: Listed = { files: [], skipped: [], whole: true };
    for (const folder of ['sessions', 'session-sqlite-import-archive']) {
      listFiles(instance.root, folder, (path) => SESSION.test(path) && !NEVER.test(path), listed);
    }
    const files = sessionFiles(listed.files);
    const absolute = join(instance.root, ...DATABASE.split('/'));
    const stat = lstatSync(absolute, { bigint: true, throwIfNoEntry: false });
    if (!stat?.isFile()) return { files, skipped: listed.skipped, whole: listed.whole };
    const newest = newestOf(absolute, stat);
    const database: PlannedFile = {
      path: DATABASE,
      absolute,
      stat: newest,
      session: { native: '' },
      layout: 'database',
    };
    // Both eras hold a session: the database is read, the file is a duplicate. Which ones it holds is told when it is
    // read; a file whose session the database has is passed over by the reader (SRC-143).
    return { files: [database, ...files], skipped: listed.skipped, whole: listed.whole };
  },
  async read(instance, file, options, out) {
    if (file.layout === 'database') return readDatabase(file, options, out);
    const database = join(instance.root, ...DATABASE.split('/'));
    if (holdsSession(database, file.session.native, options)) {
      return { kind: 'skipped', reason: 'duplicate_file', detail: `of ${DATABASE}` };
    }
    const key = nativeKeys(instance.root).get(file.session.native);
    if (key !== undefined && INCOGNITO.test(key)) return { kind: 'skipped', reason: 'excluded' };
    const make = (saved: unknown, sink: typeof out): ClawReader => new ClawReader(saved, sink, file, options, key);
    if (file.layout === 'zst') return readCompressed(NAME, instance, file, options, out, make);
    return readJsonl(NAME, instance, file, options, out, make);
  },
  transcriptPath: (name) => {
    const path = `sessions/${name}`;
    return SESSION.test(path) && !NEVER.test(path) ? path : undefined;
  },
  reopen: (absolute, pointer, roots, openDatabase) =>
    'table' in pointer ? reopenRow(absolute, pointer, roots, openDatabase) : reopenLine(absolute, pointer, roots),
};

function sessionFiles(listed: Listed['files']): PlannedFile[] {
  const named = listed.map((file) => ({ file, parts: SESSION.exec(file.path)! }));
  const names = new Map<string, Set<string>>();
  for (const { parts } of named) {
    const id = parts[1]!.replace(TOPIC, '');
    names.set(id, (names.get(id) ?? new Set()).add(parts[1]!));
  }
  return named.map(({ file, parts: [, name = '', closed, packed] }) => {
    // A thread's file is that session's, under its own id, unless two files would then claim one (SRC-142).
    const id = name.replace(TOPIC, '');
    const native = names.get(id)!.size > 1 ? name : id;
    const archived = closed !== undefined || packed !== undefined || !file.path.startsWith('sessions/');
    return {
      ...file,
      session: { native },
      layout: packed === undefined ? 'jsonl' : 'zst',
      rank: Number(archived) + 2 * Number(packed !== undefined),
      ...(archived ? { archived: true as const } : {}),
    };
  });
}

function stateFolders(host: HostEnv): { path: string; how: Candidate['how'] }[] {
  const named = host.env.OPENCLAW_STATE_DIR?.trim();
  if (named) return [{ path: named, how: 'environment' }];
  return ['.openclaw', '.clawdbot', '.moltbot'].map((name) => ({ path: join(host.home, name), how: 'default' }));
}

// A state folder holds agents; the folder of one agent may be given as well.
function agentsIn(path: string, how: Candidate['how'], agent: string | undefined): Candidate[] {
  let names: string[];
  try {
    names = readdirSync(join(path, 'agents')).sort();
  } catch {
    const single = basename(dirname(path)) === 'agents';
    return [{ path, how, agentId: agent ?? (single ? `openclaw-${agentIdFrom(basename(path))}` : NAME) }];
  }
  const taken = new Set<string>();
  return names.map((name) => {
    const plain = `openclaw-${agentIdFrom(name)}`.slice(0, 64);
    const agentId = agent ?? (taken.has(plain) ? agentIdApart(`openclaw-${name}`) : plain);
    taken.add(agentId);
    return { path: join(path, 'agents', name), how, agentId };
  });
}

// The log of a database changes before the database does: the later time of the two counts.
function newestOf(absolute: string, stat: BigIntStats): BigIntStats {
  const log = lstatSync(`${absolute}-wal`, { bigint: true, throwIfNoEntry: false });
  if (!log || log.size === 0n) return stat;
  return Object.assign(Object.create(Object.getPrototypeOf(stat) as object), stat, {
    size: stat.size + log.size,
    mtimeNs: later(log.mtimeNs, stat.mtimeNs),
    ctimeNs: later(log.ctimeNs, stat.ctimeNs),
  }) as BigIntStats;
}

function later(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}

// `sessions.json`: key → row with the session's id (SRC-140).
function nativeKeys(root: string): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  try {
    const rows = JSON.parse(readFileSync(join(root, 'sessions', 'sessions.json'), 'utf8')) as Record<string, unknown>;
    for (const [key, row] of Object.entries(rows)) {
      const id = (row as { sessionId?: unknown } | null)?.sessionId;
      if (typeof id === 'string') keys.set(id, key);
    }
  } catch {
    // Not there, or being written: the sessions are read without their keys.
  }
  return keys;
}
