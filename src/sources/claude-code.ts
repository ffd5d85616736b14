// Claude Code: where its sessions are, and which files are read (SRC-100, SRC-102). The records are claude-records.ts'.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ClaudeReader } from './claude-records.ts';
import type { HostEnv, Plan, PlannedFile, SessionRef, Source } from './contract.ts';
import { readJsonl } from './jsonl.ts';
import { reopenLine } from './reopen.ts';
import { type Candidate, type Listed, listFiles, rootsOf } from './roots.ts';

const NAME = 'claude-code';
const DEFAULT_KEEPS_DAYS = 30;

export const claudeCode: Source = {
  name: NAME,
  title: 'Claude Code',
  version: 1,
  agentId: NAME,
  branches: 'prompts',
  async discover(host, given) {
    return rootsOf(NAME, [
      ...given.map(({ path, agent }): Candidate => ({ path, how: 'given', agentId: agent ?? NAME })),
      ...ownRoots(host),
    ]);
  },
  async plan(instance): Promise<Plan> {
    const listed: Listed = { files: [], skipped: [], whole: true };
    // A root given one level deeper, or a folder of sessions alone, is read as well.
    const folder = basename(instance.root) === 'projects' ? '' : 'projects';
    listFiles(instance.root, folder, (path) => path.endsWith('.jsonl') && !path.endsWith('/history.jsonl'), listed);
    if (listed.files.length === 0 && folder !== '') {
      listFiles(instance.root, '', (path) => path.endsWith('.jsonl') && path !== 'history.jsonl', listed);
    }
    return {
      files: listed.files.map((file): PlannedFile => ({ ...file, session: sessionOf(file.path), layout: 'jsonl' })),
      skipped: listed.skipped,
      whole: listed.whole,
    };
  },
  read: (instance, file, options, out) =>
    readJsonl(NAME, instance, file, options, out, (saved, sink) => new ClaudeReader(saved, sink, file, options)),
  reopen: (absolute, pointer, roots) => reopenLine(absolute, pointer, roots),
  resume: (session) => (session.part === undefined ? ['claude', '--resume', session.native] : undefined),
  async keepsDays(instance) {
    try {
      const settings = JSON.parse(readFileSync(join(instance.root, 'settings.json'), 'utf8')) as Record<
        string,
        unknown
      >;
      const days = settings.cleanupPeriodDays;
      return typeof days === 'number' && days >= 0 ? days : DEFAULT_KEEPS_DAYS;
    } catch {
      return DEFAULT_KEEPS_DAYS;
    }
  },
};

function ownRoots(host: HostEnv): Candidate[] {
  const named = host.env.CLAUDE_CONFIG_DIR;
  if (named === undefined || named.trim() === '') {
    return [{ path: join(host.home, '.claude'), how: 'default', agentId: NAME }];
  }
  return named
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '')
    .map((path) => ({ path, how: 'environment', agentId: NAME }));
}

// `<slug>/<session>.jsonl`, `<slug>/<session>/subagents/**/agent-<id>.jsonl`, or the older `<slug>/agent-<id>.jsonl`,
// whose session its first record names.
function sessionOf(path: string): SessionRef {
  const segments = path.split('/');
  const name = segments.at(-1)!.replace(/\.jsonl$/, '');
  const part = /^agent-(.+)$/.exec(name)?.[1];
  if (part === undefined) return { native: name };
  const subagents = segments.lastIndexOf('subagents');
  return { native: subagents > 0 ? segments[subagents - 1]! : '', part };
}
