// Codex CLI: where its sessions are, plain, compressed and of the oldest era (SRC-120, SRC-126). The records are codex-records.ts'.
import { join } from 'node:path';
import { readDocument } from './codex-document.ts';
import { CodexReader } from './codex-records.ts';
import { codexTitle } from './codex-titles.ts';
import { readCompressed } from './compressed.ts';
import type { Found, HostEnv, Plan, PlannedFile, Source } from './contract.ts';
import { readJsonl } from './jsonl.ts';
import { promptHistory, readPrompts, type TypedPrompt } from './prompt-history.ts';
import { reopenLine } from './reopen.ts';
import { type Candidate, type Listed, listFiles, rootsOf } from './roots.ts';

const NAME = 'codex';
const ROLLOUT = /(?:^|\/)rollout-[^/]+\.(?:json|jsonl|jsonl\.zst)$/;

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
    const files = listed.files.map((file): PlannedFile => {
      const archived = file.path.startsWith('archived_sessions/');
      const compressed = file.path.endsWith('.zst');
      const document = file.path.endsWith('.json');
      return {
        ...file,
        session: { native: idOf(file.path) },
        layout: document ? 'document' : compressed ? 'zst' : 'jsonl',
        rank: Number(archived) + 2 * Number(compressed) + 4 * Number(document),
        ...(archived ? { archived: true } : {}),
      };
    });
    const own = new Set(files.map(({ session }) => session.native));
    return {
      files: [...files, ...promptHistory(instance, own)],
      skipped: listed.skipped,
      whole: listed.whole,
    };
  },
  read(instance, file, options, out) {
    if (file.layout === 'prompts') return readPrompts(NAME, instance, file, options, out, typedPrompt);
    const title = codexTitle(instance.root, file.session.native, options);
    const make = (saved: unknown, sink: typeof out): CodexReader => new CodexReader(saved, sink, file, options, title);
    if (file.layout === 'document') {
      return readDocument(instance, file, options, out, (sink) => make(undefined, sink));
    }
    if (file.layout === 'zst') return readCompressed(NAME, instance, file, options, out, make);
    return readJsonl(NAME, instance, file, options, out, make);
  },
  reopen: (absolute, pointer, roots) => reopenLine(absolute, pointer, roots),
  transcriptPath: (name) => (isRollout(name) ? `sessions/${name}` : undefined),
  resume: (session) => ['codex', 'resume', session.native],
};

function ownRoot(host: HostEnv): Candidate {
  const named = host.env.CODEX_HOME?.trim();
  return named
    ? { path: named, how: 'environment', agentId: NAME }
    : { path: join(host.home, '.codex'), how: 'default', agentId: NAME };
}

// `{ session_id, ts, text }`, the time in seconds.
function typedPrompt({ session_id, ts, text }: Record<string, unknown>): TypedPrompt | undefined {
  if (typeof session_id !== 'string' || typeof text !== 'string') return undefined;
  return { session: session_id, text, at: ts, path: ['text'] };
}

function isRollout(path: string): boolean {
  return ROLLOUT.test(path);
}

// `rollout-<local time>-<id>.jsonl`: the time has a fixed width.
function idOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.(?:json|jsonl|jsonl\.zst)$/, '');
  return /^rollout-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-(.+)$/.exec(name)?.[1] ?? name.replace(/^rollout-/, '');
}
