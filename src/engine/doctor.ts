// Looks at everything that a home holds and tries everything an engine does, in a scratch home of its own (SUR-70).
import { existsSync, lstatSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { assertUnbound, type Caller, checkedCaller } from '../access/caller.ts';
import { visibilityFindings } from '../access/findings.ts';
import { wholeScope } from '../access/scope.ts';
import { isBackstoryError } from '../model/errors.ts';
import { checkFlag, checkNames } from '../sessions/page-checks.ts';
import type { StoreCheck } from '../store/check.ts';
import { makeFolder } from '../store/sqlite/database.ts';
import type { EngineCore } from './core.ts';
import { homeTrouble } from './home.ts';
import { storeCheck } from './store-check.ts';

/** A finding says what to do about it. An `error` is something wrong; notes and warnings are for people to decide. */
export interface DoctorFinding {
  readonly code: string;
  readonly level: 'note' | 'warning' | 'error';
  readonly message: string;
  readonly fix: string;
  /** Mended by this run. */
  readonly fixed?: true;
}

export interface DoctorReport {
  /** No error is left. */
  readonly ok: boolean;
  /** What was looked at. */
  readonly checked: { readonly stores: number; readonly bytes: number; readonly trial: boolean };
  readonly findings: readonly DoctorFinding[];
}

export interface DoctorParams {
  /** Makes derived data anew: indexes, never rows. Default false. */
  readonly fix?: boolean;
}

/** What the doctor asks of the other faces. */
export interface Patient {
  readonly sources: {
    list(): Promise<{ readonly sources: readonly { state: string; title: string; root: string }[] }>;
  };
  readonly memory: () => Promise<readonly DoctorFinding[]>;
  /** Runs a trial in a home of its own; throws what fails. */
  readonly trial: (home: string) => Promise<void>;
  readonly reindex: (agentId: string) => Promise<void>;
}

const LOW_BYTES = 256 * 1_048_576;
const FUTURE_MS = 300_000;
const EARLIEST = Date.UTC(2024, 0, 1);

/** Throws `operator_required`. */
export async function doctor(
  core: EngineCore,
  caller: Caller,
  patient: Patient,
  params: DoctorParams = {},
): Promise<DoctorReport> {
  core.assertOpen('doctor');
  checkNames(params, ['fix']);
  checkFlag('fix', params.fix);
  const { fix = false } = params;
  assertUnbound(checkedCaller(caller), 'doctor');
  const findings: DoctorFinding[] = [];
  const add = (level: DoctorFinding['level'], code: string, message: string, what: string, fixed = false): void => {
    findings.push({ code, level, message, fix: what, ...(fixed ? { fixed: true as const } : {}) });
  };
  checkHome(core, add);
  let [stores, bytes, sharedSessions] = [0, 0, 0];
  const agents = await core.stores.agents();
  for (const agentId of agents) {
    try {
      const store = await core.stores.open(agentId);
      if (!store) continue;
      // Read before it is checked: the check may be another connection's, which a write left open would hold up.
      const newest = (await store.read((reading) => reading.list(wholeScope(), {}, 1)))[0]?.lastAt ?? 0;
      const check = await storeCheck(core, store);
      stores++;
      bytes += check.bytes;
      sharedSessions += check.shared;
      const mended = fix && isIndexWrong(check);
      if (mended) {
        await store.dropIndex();
        await patient.reindex(agentId);
      }
      tellStore(agentId, check, mended, add);
      if (newest > core.clock.now() + FUTURE_MS) {
        const message = `The newest message of agent ${agentId} is ahead of this machine's clock.`;
        add('warning', 'clock_behind', message, 'Set the clock; relative times such as -7d are read by it.');
      }
    } catch (error) {
      if (!isBackstoryError(error)) throw error;
      add('error', error.code, error.message, error.hint);
    }
  }
  await tellSources(patient, add);
  // What a policy lets through is for its owner to judge.
  for (const { code, message, fix: what } of visibilityFindings(core.visibility, { agents, sharedSessions })) {
    add('note', code, message, what);
  }
  try {
    findings.push(...(await patient.memory()));
  } catch (error) {
    // A server that is away, or a memory that cannot be opened, is what the doctor is asked about.
    if (!isBackstoryError(error)) throw error;
    add('error', error.code, error.message, error.hint);
  }
  const trial = await tryAll(core, patient, add);
  return {
    ok: !findings.some(({ level, fixed }) => level === 'error' && !fixed),
    checked: { stores, bytes, trial },
    findings,
  };
}

type Add = (level: DoctorFinding['level'], code: string, message: string, fix: string, fixed?: boolean) => void;

function isIndexWrong({ index, missing, orphans, counters }: StoreCheck): boolean {
  return index.length > 0 || missing + orphans + counters > 0;
}

function tellStore(agentId: string, check: StoreCheck, mended: boolean, add: Add): void {
  const of = `of agent ${agentId}`;
  if (check.damage.length > 0) {
    const what = `Rows ${of} are damaged (${check.damage.length} places): ${check.damage[0]!.slice(0, 200)}`;
    add('error', 'store_damaged', what, 'Export what can be read, move the file away, and sync again.');
  }
  if (isIndexWrong(check)) {
    const counts = `${check.missing} texts missing, ${check.orphans} rows too many, ${check.counters} counters wrong`;
    const what = `The index ${of} does not agree with its rows: ${check.index[0]?.slice(0, 200) ?? counts}.`;
    add('error', 'index_damaged', what, 'backstory doctor --fix makes it anew from the rows.', mended);
  }
  if (check.unjudged > 0) {
    const what = `${check.unjudged} sessions ${of} have properties that cannot be read: nobody is shown them.`;
    add('warning', 'sessions_unjudged', what, 'Delete them, or move the file away and sync again.');
  }
  if (check.dirty > 0) {
    const what = `${check.dirty} sessions ${of} wait to be indexed anew.`;
    add('note', 'sessions_dirty', what, 'Searches do it on the way; backstory sync does it now.');
  }
}

function checkHome({ config, clock }: EngineCore, add: Add): void {
  const { home } = config;
  const trouble = homeTrouble(home);
  if (trouble !== undefined) {
    add(
      'error',
      'store_read_only',
      trouble,
      'Check owner, mode and disk, or give another with --home or BACKSTORY_HOME.',
    );
  }
  if (!existsSync(home)) {
    if (trouble === undefined) {
      add('note', 'home_empty', `There is nothing in ${home} yet.`, 'backstory sync reads what agents wrote.');
    }
    return;
  }
  if (process.platform !== 'win32' && (lstatSync(home).mode & 0o077) !== 0) {
    add('warning', 'home_readable', `Others may look into ${home}.`, `chmod 700 ${home}`);
  }
  const { bavail, bsize } = statfsSync(home);
  if (bavail * bsize < LOW_BYTES) {
    const free = Math.round((bavail * bsize) / 1_048_576);
    add('warning', 'disk_low', `Only ${free} MiB are free where ${home} is.`, 'Make room before the next sync.');
  }
  if (clock.now() < EARLIEST) add('error', 'clock_wrong', 'The clock of this machine is years behind.', 'Set it.');
  const pid = servePid(home);
  if (pid !== undefined && !isAlive(pid)) {
    const what = `serve.json names a server that no longer runs (process ${pid}).`;
    add('note', 'serve_stale', what, `Remove ${join(home, 'serve.json')}, or start backstory serve.`);
  }
}

function servePid(home: string): number | undefined {
  try {
    const { pid } = JSON.parse(readFileSync(join(home, 'serve.json'), 'utf8')) as { pid?: unknown };
    return typeof pid === 'number' ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function tellSources({ sources }: Patient, add: Add): Promise<void> {
  for (const { state, title, root } of (await sources.list()).sources) {
    if (state === 'no_reader' || state === 'present_but_unread') {
      add('note', 'source_unread', `${title} keeps a history in ${root}, which is not read.`, 'See docs/sources.md.');
    } else if (state === 'root_unreadable') {
      add('warning', 'root_unreadable', `${root} of ${title} cannot be read.`, 'Check its owner and mode.');
    }
  }
}

async function tryAll({ config }: EngineCore, { trial }: Patient, add: Add): Promise<boolean> {
  const home = join(config.home, `doctor-${process.pid}`);
  try {
    makeFolder(home);
    await trial(home);
    return true;
  } catch (error) {
    const said = error instanceof Error ? error.message : 'unknown';
    add(
      'error',
      'trial_failed',
      `Writing, finding, reading and deleting does not work: ${said}`,
      'See to what it says.',
    );
    return false;
  } finally {
    // Where no home can be there is nothing to remove, and no way to say so.
    if (existsSync(home)) rmSync(home, { recursive: true, force: true });
  }
}
