// Codex CLI: where its sessions are, plain and compressed, and their titles (SRC-120). The records are codex-records.ts'.
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CodexReader } from './codex-records.ts';
import { readCompressed } from './compressed.ts';
import type { Found, HostEnv, Plan, PlannedFile, Source } from './contract.ts';
import { readJsonl } from './jsonl.ts';
import { reopenLine } from './reopen.ts';
import { type Candidate, type Listed, listFiles, rootsOf } from './roots.ts';

const NAME = 'codex';
const ROLLOUT = /(?:^|\/)rollout-[^/]+\.jsonl(?:\.zst)?$/;
const MAX_INDEX_BYTES = 8 * 1_048_576;

export const codex: Source = {
  name: NAME,
  title: 'Codex CLI',
  version: 1,
  agentId: NAME,
  branches: 'marked',
  async discover(host, given): Promise<Found[]> {
    return rootsOf(NAME, [
      ...given.map(({ path, agent }): Candidate => ({ path, how: 'given', agentId: agent ?? NAME })),
      ownRoot(host),
    ]);
  },
  async plan(instance): Promise<Plan> {
    const listed: Listed = { files: [], skipped: [], whole: true };
    for (const folder of ['sessions', 'archived_sessions']) listFiles(instance.root, folder, isRollout, listed);
    if (listed.files.length === 0) listFiles(instance.root, '', isRollout, listed);
    return {
      files: listed.files.map((file): PlannedFile => {
        const archived = file.path.startsWith('archived_sessions/');
        const compressed = file.path.endsWith('.zst');
        return {
          ...file,
          session: { native: idOf(file.path) },
          layout: compressed ? 'zst' : 'jsonl',
          rank: Number(archived) + 2 * Number(compressed),
          ...(archived ? { archived: true } : {}),
        };
      }),
      skipped: listed.skipped,
      whole: listed.whole,
    };
  },
  read(instance, file, options, out) {
    const title = titleOf(instance.root, file.session.native);
    const make = (saved: unknown, sink: typeof out): CodexReader => new CodexReader(saved, sink, file, options, title);
    if (file.layout === 'zst') return readCompressed(NAME, instance, file, options, out, make);
    return readJsonl(NAME, instance, file, options, out, make);
  },
  reopen: (absolute, pointer, roots) => reopenLine(absolute, pointer, roots),
  resume: (session) => ['codex', 'resume', session.native],
};

function ownRoot(host: HostEnv): Candidate {
  const named = host.env.CODEX_HOME?.trim();
  return named
    ? { path: named, how: 'environment', agentId: NAME }
    : { path: join(host.home, '.codex'), how: 'default', agentId: NAME };
}

function isRollout(path: string): boolean {
  return ROLLOUT.test(path);
}

// `rollout-<local time>-<id>.jsonl`: the time has a fixed width.
function idOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.jsonl(\.zst)?$/, '');
  return /^rollout-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-(.+)$/.exec(name)?.[1] ?? name.replace(/^rollout-/, '');
}

const titles = new Map<string, { readonly stamp: string; readonly byId: ReadonlyMap<string, string> }>();

// `session_index.jsonl` has a line per renaming; the last one counts. Read again only when its stat is another.
function titleOf(root: string, id: string): string | undefined {
  const path = join(root, 'session_index.jsonl');
  try {
    const stat = lstatSync(path, { bigint: true });
    const stamp = `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
    const known = titles.get(root);
    if (known?.stamp === stamp) return known.byId.get(id);
    const text = stat.isFile() ? readFileSync(path, 'utf8') : '';
    const byId = new Map<string, string>();
    for (const line of text.slice(0, MAX_INDEX_BYTES).split('\n')) {
      try {
        const row = JSON.parse(line) as Record<string, unknown>;
        if (typeof row.id === 'string' && typeof row.thread_name === 'string') byId.set(row.id, row.thread_name);
      } catch {
        // A torn line costs itself only.
      }
    }
    titles.set(root, { stamp, byId });
    return byId.get(id);
  } catch {
    return undefined;
  }
}
