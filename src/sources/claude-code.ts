// Claude Code: where its sessions are, and which files are read (SRC-100, SRC-102). The records are claude-records.ts'.
import { lstatSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ClaudeReader } from './claude-records.ts';
import type { HostEnv, Plan, PlannedFile, SessionFacts, SessionRef, Source } from './contract.ts';
import { readJsonl } from './jsonl.ts';
import { promptHistory, readPrompts, type TypedPrompt } from './prompt-history.ts';
import { reopenLine } from './reopen.ts';
import { type Candidate, type Listed, listFiles, rootsOf } from './roots.ts';

const NAME = 'claude-code';
const DEFAULT_KEEPS_DAYS = 30;
const PART_RANK = 50;

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
    const files = listed.files.map(
      (file): PlannedFile => ({ ...file, session: sessionOf(file.path), layout: 'jsonl' }),
    );
    const own = new Set(files.map(({ session }) => session.native));
    return {
      files: [...files, ...promptHistory(instance, own)],
      skipped: listed.skipped,
      whole: listed.whole,
    };
  },
  read(instance, file, options, out) {
    if (file.layout === 'prompts') return readPrompts(NAME, instance, file, options, out, typedPrompt);
    const make = (saved: unknown, sink: typeof out): ClaudeReader => {
      const title = saved === undefined && file.session.part !== undefined ? describedPart(file.absolute) : undefined;
      if (title !== undefined && file.session.native !== '') sink.facts(file.session, { title });
      return new ClaudeReader(saved, sink, file, options);
    };
    return readJsonl(NAME, instance, file, options, out, make);
  },
  reopen: (absolute, pointer, roots) => reopenLine(absolute, pointer, roots),
  resume: (session) => (session.part === undefined ? ['claude', '--resume', session.native] : undefined),
  transcriptPath: (name) => (name.endsWith('.jsonl') ? `projects/imported/${name}` : undefined),
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

// `{ display, pastedContents, timestamp, project, sessionId }`; older lines name no session.
function typedPrompt(record: Record<string, unknown>): TypedPrompt | undefined {
  const { display, sessionId, timestamp: at, project } = record;
  if (typeof display !== 'string' || !('timestamp' in record)) return undefined;
  const session = typeof sessionId === 'string' ? sessionId : '';
  // A slash command is the product's; what follows it was typed (SRC-103).
  const text = /^\/\S+/.test(display) ? display.replace(/^\/\S+\s*/, '') : withPasted(display, record.pastedContents);
  if (typeof project !== 'string' || project === '') return { session, text, at, path: ['display'] };
  const file = `projects/${project.replace(/[^A-Za-z0-9-]/g, '-')}/${session}.jsonl`;
  return { session, text, at, path: ['display'], project, file };
}

// `[Pasted text #1 +12 lines]` stands for what was pasted there.
function withPasted(display: string, pasted: unknown): string {
  if (typeof pasted !== 'object' || pasted === null) return display;
  return display.replace(/\[Pasted text #(\d{1,4})(?: \+\d+ lines)?\]/g, (whole, number: string) => {
    const content = (pasted as Record<string, { content?: unknown } | null>)[number]?.content;
    return typeof content === 'string' ? content : whole;
  });
}

// `agent-<id>.meta.json` beside a part says what it was started for: below every title of its own (SRC-100).
function describedPart(absolute: string): SessionFacts['title'] {
  try {
    const path = absolute.replace(/\.jsonl$/, '.meta.json');
    if (!lstatSync(path).isFile()) return undefined;
    const { description, agentType } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    const text = [agentType, description].filter((part) => typeof part === 'string' && part !== '').join(': ');
    return text === '' ? undefined : { text, rank: PART_RANK };
  } catch {
    return undefined;
  }
}

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
