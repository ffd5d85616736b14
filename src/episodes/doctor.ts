// Why nothing is recorded, if so, and whether recording works at all: looked at, and tried (EPI-54, EPI-164).
import type { ResolvedMemory } from '../config/index.ts';
import type { Clock } from '../model/clock.ts';
import { isBackstoryError } from '../model/errors.ts';
import { formatInstant } from '../model/time.ts';
import type { MemoryStore } from '../store/memory.ts';
import type { ResolvedContext } from './context.ts';
import type { MemoryStats } from './memory-stats.ts';

export interface MemoryFinding {
  readonly code:
    | 'recorder_disabled'
    | 'writes_off'
    | 'no_scope'
    | 'recording_failed'
    | 'only_parked'
    | 'workspace_derived'
    | 'clock_ahead'
    | 'trial_failed';
  /** A warning is for people to decide; an error is something wrong. */
  readonly level: 'note' | 'warning' | 'error';
  readonly message: string;
  readonly fix: string;
}

const AHEAD_MS = 5 * 60_000;

/** What can be seen without writing anything. */
export async function memoryFindings(
  context: ResolvedContext,
  settings: ResolvedMemory,
  { health, parkedRuns, records }: MemoryStats,
  store: MemoryStore | undefined,
  clock: Clock,
): Promise<MemoryFinding[]> {
  const found: MemoryFinding[] = [];
  const add = (code: MemoryFinding['code'], level: MemoryFinding['level'], message: string, fix: string): void => {
    found.push({ code, level, message, fix });
  };
  if (!settings.episodes.enabled) {
    add('recorder_disabled', 'note', 'The recorder is disabled.', 'Set memory.episodes.enabled to true.');
  }
  if (settings.writes === 'off') {
    add(
      'writes_off',
      'note',
      'memory.writes is off: nothing is recorded or remembered.',
      'Set memory.writes to candidate, auto or ask.',
    );
  }
  if (context.namespace === undefined) {
    const names = context.missing.join(', ');
    const fix = 'Give it in scope, or have memory.resolveScope give it.';
    add('no_scope', 'error', `The scope has no ${names}: nothing is read or written.`, fix);
  }
  if (health.failed > 0 || health.lost > 0) {
    const last = health.lastFailure;
    const said = last === undefined ? '' : ` The last: ${last.code} at ${last.at}: ${last.message}`;
    add(
      'recording_failed',
      'warning',
      `${health.failed} writes failed and ${health.lost} records were lost.${said}`,
      'See to what the last failure says.',
    );
  }
  if (records === 0 && parkedRuns > 0) {
    const fix = 'List them with backstory memory list --status parked; resume and end them, or forget them.';
    add('only_parked', 'note', `There are only parked runs (${parkedRuns}): none has ended yet.`, fix);
  }
  if (settings.workspace === undefined && context.namespace?.startsWith('workspace=')) {
    add(
      'workspace_derived',
      'note',
      'The workspace is derived from the project: renaming that would leave its records behind.',
      'Set memory.workspace to the present name.',
    );
  }
  const newest = await newestAt(store, clock.now());
  if (newest !== undefined && newest > clock.now() + AHEAD_MS) {
    add(
      'clock_ahead',
      'warning',
      `The newest record is dated ${formatInstant(newest)}, which is ahead of this machine's clock.`,
      'Compare the clocks of the machines that write here.',
    );
  }
  return found;
}

/** Writes, finds and deletes one record in a store that is thrown away. Undefined: it works. */
export async function trial(work: () => Promise<boolean>): Promise<MemoryFinding | undefined> {
  const failed = (message: string): MemoryFinding => {
    return {
      code: 'trial_failed',
      level: 'error',
      message,
      fix: 'See to what it says; other checks may name the cause.',
    };
  };
  try {
    return (await work()) ? undefined : failed('A record was written in a scratch agent and could not be recalled.');
  } catch (error) {
    const said = isBackstoryError(error) ? `${error.code}: ${error.message}` : 'an unexpected error';
    return failed(`Recording in a scratch agent failed with ${said}`);
  }
}

async function newestAt(store: MemoryStore | undefined, now: number): Promise<number | undefined> {
  return store?.read(async (reading) => {
    const times: number[] = [];
    for (const { no } of await reading.namespaces()) {
      const [newest] = await reading.walk(no, { now }, 1);
      if (newest !== undefined) times.push(newest.at);
    }
    return times.length === 0 ? undefined : Math.max(...times);
  });
}
