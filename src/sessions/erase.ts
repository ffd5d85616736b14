// Deletes sessions, messages and abandoned entries: rows, index and bytes, and says what it looked for afterwards
// (SES-170 … SES-176, SUR-73). Needs an operator, within its scope.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Scope, wholeScope } from '../access/scope.ts';
import type { EraseReceipt } from '../model/erasure.ts';
import { BackstoryError } from '../model/errors.ts';
import { makeTurn } from '../model/turn.ts';
import type { AgentStore } from '../store/contract.ts';
import type { Erased, EraseStep } from '../store/erase.ts';
import type { Writing } from '../store/writing.ts';
import { finishErasing, PACE, pace } from './erase-finish.ts';
import { type EraseSelector, type Targets, targetsOf } from './erase-targets.ts';
import type { HostContext } from './host.ts';

export interface EraseContext extends HostContext {
  readonly scope: Scope;
  readonly all: readonly AgentStore[];
  /** IANA name, for `before` without a zone. */
  readonly timeZone: string;
  /** The engine is being closed. */
  readonly stopped: () => boolean;
  /** Work that goes on behind the answer: the engine waits for it when it is closed. */
  readonly behind: (work: Promise<unknown>) => void;
}

export interface EraseOptions {
  /** The same counts, and nothing is changed. */
  readonly dryRun?: boolean;
  /** False: returns before the bytes are gone, with `file: "pending"`; they go in the background. */
  readonly wait?: boolean;
}

const GONE_MS = 30 * 86_400_000;
/** Up to here one transaction takes a session with all its rows (SES-170). */
const ONE_TRANSACTION = 20_000;
// Others get their turn between: 2 000 held the event loop for 0.1 s.
const ROWS_AT_ONCE = 512;
const MAX_FRAGMENTS = 16;

/**
 * Erases what a selector names. Throws `invalid_argument`, `session_not_found`, `time_invalid`, and `erase_incomplete`
 * when something of it was found again.
 */
export async function eraseSessions(
  context: EraseContext,
  selector: EraseSelector,
  options: EraseOptions = {},
): Promise<EraseReceipt> {
  const { dryRun = false, wait = true } = options;
  const found = await targetsOf(context, selector);
  const sum = { sessions: 0, entries: 0, indexRows: 0, bytes: 0, rowsLeft: 0, indexLeft: 0 };
  const looked: { store: AgentStore; fragments: readonly string[] }[] = [];
  for (const targets of found.perStore) {
    if (dryRun) addTo(sum, targets, await counted(targets));
    else {
      looked.push({ store: targets.store, fragments: await fragmentsOf(targets) });
      addTo(sum, targets, await removed(context, targets, sum));
    }
  }
  if (!dryRun) for (const key of found.incognito) await forgetIncognito(context, key);
  const file = dryRun ? 'pending' : await bytesGone(context, looked, wait);
  const verified = { rows: sum.rowsLeft, index: sum.indexLeft, file };
  if (!dryRun && (sum.rowsLeft > 0 || sum.indexLeft > 0 || file === 'found')) throw incomplete(verified);
  return {
    deleted: {
      sessions: sum.sessions,
      entries: sum.entries,
      records: 0,
      candidates: 0,
      derived: 0,
      parked: 0,
      indexRows: sum.indexRows,
      runIndexes: 0,
      bytes: sum.bytes,
    },
    kept: found.kept,
    revived: 0,
    verified,
    dryRun,
  };
}

/** Goes on with deletions that a process left in the middle, and with the bytes of those it did not finish. */
export async function resumeErasing(context: HostContext, store: AgentStore, stopped: () => boolean): Promise<void> {
  const open = (await store.read((reading) => reading.meta(wholeScope(), 'erasing'))) ?? '';
  if (open === '') return;
  const sessions = await store.write((writing) => writing.deleting());
  for (const session of sessions) await deleteInSteps(context, store, session, () => undefined, stopped);
  await finishErasing(store, context.clock, stopped);
}

type Sum = { -readonly [Name in keyof Erased]: Erased[Name] } & {
  sessions: number;
  rowsLeft: number;
  indexLeft: number;
};

function addTo(sum: Sum, targets: Targets, { entries, indexRows, bytes }: Erased): void {
  if (!targets.abandoned) sum.sessions += targets.sessions.length;
  sum.entries += entries;
  sum.indexRows += indexRows;
  sum.bytes += bytes;
}

async function counted({ store, sessions, entries, abandoned }: Targets): Promise<Erased> {
  return store.read(async (reading) => {
    const numbers = sessions.map((one) => one.no);
    const ofSessions = await reading.countToErase(numbers, abandoned);
    const ofEntries = await reading.countEntries(entries);
    return {
      entries: ofSessions.entries + ofEntries.entries,
      indexRows: ofSessions.indexRows + ofEntries.indexRows,
      bytes: ofSessions.bytes + ofEntries.bytes,
    };
  });
}

async function fragmentsOf({ store, sessions, entries, abandoned }: Targets): Promise<readonly string[]> {
  return store.read(async (reading) => {
    const numbers = sessions.map((one) => one.no);
    const ofEntries = await reading.fragments({ entries }, MAX_FRAGMENTS);
    const ofSessions = await reading.fragments({ sessions: numbers, abandoned }, MAX_FRAGMENTS);
    return [...new Set([...ofEntries, ...ofSessions])].slice(0, MAX_FRAGMENTS);
  });
}

async function removed(context: EraseContext, targets: Targets, sum: Sum): Promise<Erased> {
  const { store, sessions, entries, abandoned } = targets;
  const total = { entries: 0, indexRows: 0, bytes: 0 };
  const take = (step: EraseStep): void => {
    total.entries += step.entries;
    total.indexRows += step.indexRows;
    total.bytes += step.bytes;
    sum.rowsLeft += step.rowsLeft;
    sum.indexLeft += step.indexLeft;
  };
  const turn = makeTurn(context.clock);
  for (const { no, key, messages } of sessions) {
    if (turn.isDue()) await turn.give();
    if (abandoned) await abandonedInSteps(context, store, no, take);
    else if (messages <= ONE_TRANSACTION) {
      const steps = await store.write(async (writing) => {
        await begun(context, writing, no, key);
        const taken: EraseStep[] = [];
        do {
          if (turn.isDue()) await turn.give();
          taken.push(await writing.deleteRows(no, ROWS_AT_ONCE, context.prepare));
        } while (!taken.at(-1)!.done);
        return taken;
      });
      steps.forEach(take);
    } else {
      await store.write((writing) => begun(context, writing, no, key));
      await deleteInSteps(context, store, no, take, context.stopped);
    }
  }
  for (const entry of entries) {
    if (turn.isDue()) await turn.give();
    take(
      await store.write(async (writing) => {
        await writing.setMeta('erasing', '1');
        return writing.eraseEntry(entry, context.prepare);
      }),
    );
  }
  return total;
}

async function begun({ clock }: HostContext, writing: Writing, session: number, key: string): Promise<void> {
  await writing.setMeta('erasing', '1');
  await writing.forgetGone(clock.now());
  await writing.beginDelete(session, key, clock.now() + GONE_MS);
}

async function deleteInSteps(
  context: HostContext,
  store: AgentStore,
  session: number,
  take: (step: EraseStep) => void,
  stopped: () => boolean,
): Promise<void> {
  const paced = pace(context.clock);
  for (let done = false; !done && !stopped(); ) {
    const step = await paced((rows) => store.write((writing) => writing.deleteRows(session, rows, context.prepare)));
    take(step);
    done = step.done;
    await sleep(PACE.restMs);
  }
}

async function abandonedInSteps(
  context: HostContext,
  store: AgentStore,
  session: number,
  take: (step: EraseStep) => void,
): Promise<void> {
  const paced = pace(context.clock);
  for (let done = false; !done; ) {
    const step = await paced((rows) =>
      store.write(async (writing) => {
        await writing.setMeta('erasing', '1');
        return writing.deleteAbandoned(session, rows, context.prepare);
      }),
    );
    take(step);
    done = step.done;
  }
}

/** Merges, gives back, empties the log, and looks for what was erased in the files. */
async function bytesGone(
  context: EraseContext,
  looked: readonly { readonly store: AgentStore; readonly fragments: readonly string[] }[],
  wait: boolean,
): Promise<EraseReceipt['verified']['file']> {
  let file: EraseReceipt['verified']['file'] = 'absent';
  for (const { store, fragments } of looked) {
    const finishing = finishErasing(store, context.clock, context.stopped);
    if (!wait) {
      context.behind(finishing);
      file = 'pending';
      continue;
    }
    if (!(await finishing)) {
      file = file === 'found' ? file : 'pending';
      continue;
    }
    const bytes = fragments.map((text) => Buffer.from(text));
    for (const place of await store.fragmentsIn(bytes)) {
      // What a kept message holds too is not left of the erased one.
      const held = await store.read((reading) => reading.isHeld(fragments[place]!));
      if (!held) file = 'found';
    }
  }
  return file;
}

async function forgetIncognito(context: EraseContext, key: string): Promise<void> {
  const store = await context.incognito.store(key);
  context.incognito.remove(key);
  await store.write(async (writing) => {
    const session = await writing.hostSession(key);
    if (session === undefined) return;
    await writing.beginDelete(session.no, key, context.clock.now() + GONE_MS);
    while (!(await writing.deleteRows(session.no, ROWS_AT_ONCE, context.prepare)).done);
  });
}

function incomplete(verified: EraseReceipt['verified']): BackstoryError {
  const { rows, index, file } = verified;
  return new BackstoryError(
    'erase_incomplete',
    `Something of what was erased was found again: ${rows} rows, ${index} index rows, bytes of the file ${file}.`,
    'Run the same erasure again; if it stays, run doctor.',
    { details: { verified } },
  );
}
