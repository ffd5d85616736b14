// What a sync has to look at: the roots on this machine, their files, and which of them changed. Opens no session file.
import { wholeScope } from '../access/scope.ts';
import type { Skipped } from '../model/coverage.ts';
import type { Found, HostEnv, Instance, PlannedFile, Source } from '../sources/contract.ts';
import type { AgentStore } from '../store/contract.ts';
import type { FileRecord, InstanceRecord } from '../store/writing.ts';
import { DELETED } from './deleted-sessions.ts';
import { type ExcludeRule, excluderOf } from './exclude.ts';
import { badRoot, storeFailed } from './sync-errors.ts';
import type { Tallying } from './sync-report.ts';

/** The outcome of a file whose end was not reached yet: it is looked at again whatever its numbers say. */
export const UNFINISHED = 'unfinished';

export interface GivenRoot {
  readonly source: string;
  readonly path: string;
  readonly agent?: string;
}

/** A file to read, with what is known of it. */
export interface Task {
  readonly source: Source;
  readonly instance: Instance;
  readonly file: PlannedFile;
  readonly known: FileRecord | undefined;
  /** Its numbers are those of last time, and too young to be trusted (FILE-7): a look to make sure, and no more. */
  readonly again: boolean;
}

export interface InstancePlan {
  readonly source: Source;
  readonly instance: Instance;
  readonly store: AgentStore | undefined;
  readonly record: InstanceRecord | undefined;
  readonly tasks: readonly Task[];
  readonly unchanged: number;
  readonly skipped: readonly Skipped[];
  readonly found: number;
  /** Rows of files that are no longer there; empty when the root could not be listed whole (SRC-50). */
  readonly gone: readonly FileRecord[];
  /** Sessions imported earlier that a rule now excludes, by file row (SRC-52). */
  readonly excluded: readonly FileRecord[];
}

export interface PlanContext {
  readonly host: HostEnv;
  readonly openStore: (agentId: string) => Promise<AgentStore | undefined>;
  readonly exclude: readonly ExcludeRule[];
  readonly now: number;
  readonly onHostDelete: 'keep' | 'erase';
  /** Deleted sessions are read again (SES-174). */
  readonly again: boolean;
}

/** All roots of these sources on this machine, besides the given ones. */
export async function findRoots(
  sources: readonly Source[],
  host: HostEnv,
  given: readonly GivenRoot[],
): Promise<{ readonly source: Source; readonly found: readonly Found[] }[]> {
  const roots: { source: Source; found: readonly Found[] }[] = [];
  for (const source of sources) {
    const own = given.filter((root) => root.source === source.name);
    roots.push({ source, found: await source.discover(host, own) });
  }
  return roots;
}

/** Plans of every root of these formats; what cannot be planned is told to the tally. Throws for a bad given root. */
export async function planInstances(
  context: PlanContext & { readonly sources: readonly Source[]; readonly disabled: readonly string[] },
  options: { readonly roots?: readonly GivenRoot[]; readonly onlyGivenRoots?: boolean },
  tally: Tallying,
): Promise<InstancePlan[]> {
  const { roots = [], onlyGivenRoots = false } = options;
  const plans: InstancePlan[] = [];
  for (const { source, found } of await findRoots(context.sources, context.host, roots)) {
    for (const root of found) {
      if ('problem' in root) {
        // A usual place where nothing is: no trouble of anybody's.
        if (root.how !== 'default' || root.problem !== 'root_not_found') tellProblem(root, roots, tally);
        continue;
      }
      const { instance } = root;
      if (onlyGivenRoots && instance.how !== 'given') continue;
      if (context.disabled.includes(source.name)) {
        tally.roots.push({ source: source.name, root: instance.root, state: 'off', agentId: instance.agentId });
        continue;
      }
      const plan = await planInstance(context, source, instance).catch((error: unknown) =>
        storeFailed(instance, error),
      );
      if ('state' in plan) {
        tally.roots.push(plan);
        continue;
      }
      tally.found += plan.found;
      tally.unchanged += plan.unchanged;
      for (const { what, reason } of plan.skipped) tally.skip(what, reason, instance);
      plans.push(plan);
    }
  }
  return plans;
}

// A root that the caller named must be there; a found one is only reported (SRC-3, §8).
function tellProblem(
  root: { readonly source: string; readonly root: string; readonly problem: string; readonly detail?: string },
  given: readonly GivenRoot[],
  tally: Tallying,
): void {
  const named = given.some((one) => one.source === root.source && one.path === root.root);
  if (named && (root.problem === 'root_not_found' || root.problem === 'root_unreadable')) {
    throw badRoot(root.source, root.root, root.problem);
  }
  tally.roots.push({
    source: root.source,
    root: root.root,
    state: root.problem as 'root_not_found',
    ...(root.detail === undefined ? {} : { detail: root.detail }),
  });
}

/** Files of one instance, told apart by what must be done with each. */
export async function planInstance(context: PlanContext, source: Source, instance: Instance): Promise<InstancePlan> {
  const plan = await source.plan(instance);
  const store = await context.openStore(instance.agentId);
  const state =
    store && (await store.read((reading) => reading.sourceFiles(wholeScope(), instance.source, instance.root)));
  const known = new Map(state?.files.map((file) => [file.path, file]));
  const exclude = excluderOf(context.exclude);
  const skipped: Skipped[] = [...plan.skipped];
  const tasks: Task[] = [];
  const excluded: FileRecord[] = [];
  let unchanged = 0;
  const chosen = withoutDuplicates(plan.files, skipped);
  for (const file of chosen) {
    const record = known.get(file.path);
    const rule = exclude({
      source: source.name,
      path: file.path,
      session: file.session.native,
      project: record?.project,
      lastAt: Number(file.stat.mtimeNs / 1_000_000n),
    });
    if (file.remainder && context.onHostDelete === 'erase') {
      // Whoever wants to forget what the host deleted wants nothing of it back.
      skipped.push({ what: file.absolute, reason: 'excluded (onHostDelete)' });
    } else if (rule !== undefined) {
      skipped.push({ what: file.absolute, reason: `excluded (rule ${rule})` });
      if (record?.session !== undefined) excluded.push(record);
    } else if (file.stat.size === 0n) {
      skipped.push({ what: file.absolute, reason: 'empty' });
    } else if (record?.outcome === DELETED && file.session.native !== '' && !context.again) {
      skipped.push({ what: file.absolute, reason: DELETED });
    } else if (record && isUnchanged(file, record, source.version) && !(context.again && record.outcome === DELETED)) {
      if (record.outcome === 'read') unchanged++;
      else skipped.push({ what: file.absolute, reason: record.outcome });
    } else if (record?.retryAt !== undefined && record.retryAt > context.now && sameNumbers(file, record)) {
      skipped.push({ what: file.absolute, reason: record.outcome });
    } else tasks.push({ source, instance, file, known: record, again: isReadAsItIs(file, record, source.version) });
  }
  const paths = new Set(plan.files.map((file) => file.path));
  return {
    source,
    instance,
    store,
    record: state?.instance,
    tasks,
    unchanged,
    skipped,
    found: plan.files.length + plan.skipped.length,
    gone: plan.whole ? (state?.files.filter((file) => !paths.has(file.path)) ?? []) : [],
    excluded,
  };
}

/** Changed files before new ones, newest modification first (SRC-41, SRC-80); looks that only make sure come last. */
export function inOrder(tasks: Task[]): Task[] {
  return tasks.sort(
    (a, b) =>
      Number(a.again) - Number(b.again) ||
      Number(a.known === undefined) - Number(b.known === undefined) ||
      Number(b.file.stat.mtimeNs - a.file.stat.mtimeNs) ||
      (a.file.path < b.file.path ? -1 : 1),
  );
}

function isUnchanged(file: PlannedFile, record: FileRecord, version: number): boolean {
  if (record.reader !== version || record.outcome === UNFINISHED || !sameNumbers(file, record)) return false;
  // What was not read for its content or its system error stays so while its numbers stay; but errors are retried.
  return record.outcome === 'read' ? record.settled : record.retryAt === undefined;
}

function isReadAsItIs(file: PlannedFile, record: FileRecord | undefined, version: number): boolean {
  return record?.outcome === 'read' && record.reader === version && sameNumbers(file, record);
}

function sameNumbers(file: PlannedFile, record: FileRecord): boolean {
  const { stat } = file;
  return (
    Number(stat.size) === record.size &&
    stat.mtimeNs === record.mtimeNs &&
    stat.ctimeNs === record.ctimeNs &&
    stat.ino === record.ino &&
    stat.dev === record.dev
  );
}

// Several files of one session: the live before the archived, the plain before the compressed, then the longer, the
// newer, the smaller path. (Records cannot be counted without opening both; bytes stand in for them. SRC-17)
function withoutDuplicates(files: readonly PlannedFile[], skipped: Skipped[]): PlannedFile[] {
  const bySession = new Map<string, PlannedFile>();
  const better = (a: PlannedFile, b: PlannedFile): boolean => {
    const rank = (a.rank ?? 0) - (b.rank ?? 0);
    const size = b.stat.size - a.stat.size;
    const time = b.stat.mtimeNs - a.stat.mtimeNs;
    return rank !== 0 ? rank < 0 : size !== 0n ? size < 0n : time !== 0n ? time < 0n : a.path < b.path;
  };
  const losers = new Map<PlannedFile, string>();
  for (const file of files) {
    if (file.session.native === '') continue;
    const name = `${file.session.native}\n${file.session.part ?? ''}`;
    const other = bySession.get(name);
    if (!other) bySession.set(name, file);
    else if (better(file, other)) {
      bySession.set(name, file);
      losers.set(other, name);
    } else losers.set(file, name);
  }
  for (const [file, name] of losers) {
    skipped.push({ what: file.absolute, reason: `duplicate_file (of ${bySession.get(name)?.path ?? ''})` });
  }
  return files.filter((file) => !losers.has(file));
}
