// What a reader learns about a session, merged into the session's row (SRC-12, SRC-29).
import { importedKey } from '../model/ids.ts';
import type { Origin } from '../model/session.ts';
import type { SessionFacts } from '../sources/contract.ts';
import type { IndexText, Writing } from '../store/writing.ts';
import type { Live } from './live.ts';

type Prepare = (text: string) => IndexText;

const MAX_PROJECTS = 16;
const MAX_TITLE = 200;
const MAX_PROMPT_TITLE = 80;
const PROMPT_RANK = 100;
const MAX_DEPTH = 32;

/** Merges facts: of titles the better rank wins, within a rank the last; of folders the first recorded is the project. */
export async function mergeFacts(
  writing: Writing,
  live: Live,
  agentId: string,
  facts: SessionFacts,
  prepare: Prepare,
): Promise<void> {
  if (facts.title) offerTitle(live, prepare(facts.title.text).masked, facts.title.rank);
  const before = live.change.origin ?? live.record.origin ?? { source: '' };
  const after = mergedOrigin(before, facts);
  if (after !== before) live.change.origin = after;
  if (facts.spawnedBy) {
    const parent = importedKey(agentId, facts.spawnedBy.native, facts.spawnedBy.part);
    if (live.record.spawnedBy === undefined && !(await leadsTo(writing, parent, live.record.key))) {
      live.change.spawnedBy = parent;
    }
  }
}

/** The first prompt's beginning stands in until the product's own title comes (SRC-29). */
export function offerPromptTitle(live: Live, text: string, prepare: Prepare): void {
  const rank = live.change.titleRank ?? live.record.titleRank;
  if (rank !== undefined) return;
  // Masked whole before it is cut: half a secret is known to no rule (MASK-14).
  const line = prepare(text).masked.replace(/\s+/g, ' ').trim();
  if (line !== '') offerTitle(live, shortened(line, MAX_PROMPT_TITLE), PROMPT_RANK);
}

function offerTitle(live: Live, text: string, rank: number): void {
  const title = shortened(text.replace(/\s+/g, ' ').trim(), MAX_TITLE);
  const current = live.change.titleRank ?? live.record.titleRank ?? Number.POSITIVE_INFINITY;
  if (title === '' || rank > current) return;
  live.change.title = title;
  live.change.titleRank = rank;
}

function mergedOrigin(before: Origin, facts: SessionFacts): Origin {
  const changed: { -readonly [Name in keyof Origin]?: Origin[Name] } = {};
  if (facts.cwd !== undefined) {
    const projects = before.projects ?? (before.project === undefined ? [] : [before.project]);
    if (before.project === undefined) changed.project = facts.cwd;
    else if (!projects.includes(facts.cwd) && projects.length < MAX_PROJECTS) {
      changed.projects = [...projects, facts.cwd];
    }
  }
  for (const name of [
    'slug',
    'gitBranch',
    'model',
    'version',
    'nativeKey',
    'forkedFrom',
    'automation',
    'archived',
  ] as const) {
    const value = facts[name];
    if (value !== undefined && value !== before[name]) Object.assign(changed, { [name]: value });
  }
  return Object.keys(changed).length === 0 ? before : { ...before, ...changed };
}

// A session that names itself, or a cycle, is cut at the link that closes it (SRC-12).
async function leadsTo(writing: Writing, from: string, target: string): Promise<boolean> {
  let key: string | undefined = from;
  for (let depth = 0; key !== undefined && depth < MAX_DEPTH; depth++) {
    if (key === target) return true;
    key = (await writing.session(key))?.spawnedBy;
  }
  return false;
}

function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = /[\uD800-\uDBFF]$/.test(text.slice(0, max - 1)) ? max - 2 : max - 1;
  return `${text.slice(0, cut)}…`;
}
