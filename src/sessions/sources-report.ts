// What was found on this machine, what is read of it, and what is not and why (SRC-51, SRC-54).
import { wholeScope } from '../access/scope.ts';
import { formatInstant } from '../model/time.ts';
import type { Instance, Source } from '../sources/contract.ts';
import type { FileRecord } from '../store/writing.ts';
import { findRoots, type GivenRoot, type PlanContext, planInstance } from './sync-plan.ts';

export interface SourceReport {
  readonly source: string;
  readonly title: string;
  readonly root: string;
  readonly state: 'ok' | 'off' | 'root_not_found' | 'root_unreadable' | 'present_but_unread' | 'no_reader';
  readonly how?: Instance['how'];
  readonly agentId?: string;
  readonly detail?: string;
  /** Files by outcome: `read`, `unread` (found, not read yet), or the reason one was passed over. */
  readonly files: Readonly<Record<string, number>>;
  readonly bytes: number;
  readonly sessions: number;
  /** `glued`, `torn`, `malformed`, `type:<unknown type>` …, over all files. */
  readonly counts: Readonly<Record<string, number>>;
  readonly lastSync?: string;
  /** Days after which the product deletes its own files, and how many of those here go within seven days. */
  readonly keepsDays?: number;
  readonly goSoon?: number;
}

export interface SourcesReport {
  readonly sources: readonly SourceReport[];
}

const DAY_MS = 86_400_000;
const SOON_DAYS = 7;

export async function reportSources(
  context: PlanContext & {
    readonly sources: readonly Source[];
    readonly disabled: readonly string[];
    /** Names that a product wrote may hold what a mask hides (MASK-15). */
    readonly mask: (text: string) => string;
  },
  given: readonly GivenRoot[],
): Promise<SourcesReport> {
  const reports: SourceReport[] = [];
  for (const { source, found } of await findRoots(context.sources, context.host, given)) {
    for (const root of found) {
      if ('problem' in root) {
        reports.push({
          source: root.source,
          title: source.title,
          root: root.root,
          state: root.problem,
          how: root.how,
          ...(root.detail === undefined ? {} : { detail: root.detail }),
          files: {},
          bytes: 0,
          sessions: 0,
          counts: {},
        });
      } else reports.push(await reportInstance(context, source, root.instance));
    }
  }
  return { sources: reports };
}

async function reportInstance(
  context: PlanContext & { readonly disabled: readonly string[]; readonly mask: (text: string) => string },
  source: Source,
  instance: Instance,
): Promise<SourceReport> {
  const plan = await planInstance(context, source, instance);
  const known = await plan.store?.read((reading) => reading.sourceFiles(wholeScope(), instance.source, instance.root));
  const counts =
    (await plan.store?.read((reading) => reading.sourceCounts(wholeScope(), instance.source, instance.root))) ?? {};
  const files: Record<string, number> = {};
  const add = (outcome: string, number = 1): void => {
    if (number > 0) files[outcome] = (files[outcome] ?? 0) + number;
  };
  add('read', plan.unchanged);
  for (const { reason } of plan.skipped) add(reason.replace(/ \(.*$/, ''));
  for (const task of plan.tasks) add(task.known?.outcome === 'read' ? 'read' : 'unread');
  const keepsDays = await source.keepsDays?.(instance);
  return {
    source: source.name,
    title: source.title,
    root: instance.root,
    state: stateOf(context.disabled.includes(source.name), plan.found, known?.files ?? [], files),
    how: instance.how,
    agentId: instance.agentId,
    files,
    bytes: known?.files.reduce((sum, file) => sum + file.size, 0) ?? 0,
    sessions: new Set(known?.files.flatMap((file) => (file.session === undefined ? [] : [file.session]))).size,
    counts: Object.fromEntries(Object.entries(counts).map(([name, count]) => [context.mask(name), count])),
    ...(known?.instance.lastSync === undefined ? {} : { lastSync: formatInstant(known.instance.lastSync) }),
    ...(keepsDays === undefined ? {} : { keepsDays, goSoon: goingSoon(known?.files ?? [], keepsDays, context.now) }),
  };
}

// Files exist, and nothing could be read from any of them: said so, never shown as absent (SRC-4).
function stateOf(
  off: boolean,
  found: number,
  known: readonly FileRecord[],
  files: Readonly<Record<string, number>>,
): SourceReport['state'] {
  if (off) return 'off';
  const read = known.some((file) => file.session !== undefined);
  return found > 0 && !read && !files.unread ? 'present_but_unread' : 'ok';
}

function goingSoon(files: readonly FileRecord[], days: number, now: number): number {
  const border = now - (days - SOON_DAYS) * DAY_MS;
  return files.filter((file) => Number(file.mtimeNs / 1_000_000n) < border).length;
}
