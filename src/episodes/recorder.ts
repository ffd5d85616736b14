// The recorder of one memory context: around a run, or by hand (EPI-30 … EPI-48). Nothing here throws because of
// recording, whatever it is given and whatever the store does (EPI-50).
import type { ResolvedMemory } from '../config/index.ts';
import type { Clock, NewId } from '../model/clock.ts';
import type { Masker } from '../redact/masker.ts';
import type { MemoryStore } from '../store/memory.ts';
import type { RecorderHealth, RecordResult, SkipReason } from './health.ts';
import { redactorOf } from './record-text.ts';
import type { Recording } from './recording.ts';
import { factsOf, type RunInit, take } from './run-facts.ts';
import { LiveRun, type RunHandle, type RunsContext } from './run-handle.ts';
import { RunState, type SavedRun } from './run-state.ts';
import { type ChunkReading, streamed } from './stream.ts';

export interface Recorder {
  /** No I/O. */
  start(init?: RunInit): RunHandle;
  /** A handle that goes on where a run was parked, in any process; a fresh one when nothing is (EPI-41). */
  resume(key: { readonly runId: string } | { readonly threadId: string }, init?: RunInit): Promise<RunHandle>;
  /** Returns what `body` returns and throws what it throws. */
  run<T>(init: RunInit, body: (run: RunHandle) => Promise<T>): Promise<T>;
  /** Hands on every chunk; `read` says what a chunk means for the run. */
  stream<C>(
    init: RunInit,
    source: AsyncIterable<C>,
    read: (chunk: C) => ChunkReading | undefined,
  ): AsyncIterable<C> & AsyncIterator<C>;
  /** Tries what waits in memory once more. */
  flush(): Promise<void>;
  health(): RecorderHealth;
}

export interface RecorderContext {
  /** Undefined: unavailable (EPI-14). */
  readonly namespace: string | undefined;
  readonly settings: ResolvedMemory;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly timeZone: string;
  readonly masker: Masker;
  readonly recording: Recording;
  readonly openStore: () => Promise<MemoryStore | undefined>;
}

export function makeRecorder(context: RecorderContext): Recorder {
  const { recording, settings } = context;
  const { health } = recording;
  const dropped = (): void => health.add('dropped');
  const skip: SkipReason | undefined = !settings.episodes.enabled
    ? 'disabled'
    : context.namespace === undefined
      ? 'no_scope'
      : settings.writes === 'off'
        ? 'writes_off'
        : undefined;
  const runs: RunsContext = { ...context, skip, dropped };

  const start = (given: RunInit | undefined): LiveRun => {
    const init = (given ?? {}) as RunInit;
    const redact = redactorOf(context.masker);
    const facts = factsOf(init, { ...context, redact, dropped }, skip === undefined);
    return new LiveRun(runs, new RunState(facts, context.clock), redact, false);
  };

  const parkedUnder = async (key: unknown): Promise<SavedRun | undefined> => {
    if (skip !== undefined || context.namespace === undefined) return undefined;
    const [runId, threadId] = [take(key as RunInit, 'runId', dropped), take(key as RunInit, 'threadId', dropped)];
    const by = typeof runId === 'string' ? { runId } : typeof threadId === 'string' ? { threadId } : undefined;
    if (by === undefined) {
      dropped();
      return undefined;
    }
    try {
      // A state that waits in memory is not in the store yet.
      if (recording.queued > 0) await recording.flush();
      const store = await context.openStore();
      return await store?.read(async (reading) => {
        const namespace = await reading.namespace(context.namespace!);
        if (namespace === undefined) return undefined;
        const [latest] = await reading.parkedRuns({ namespaces: [namespace.no], ...by });
        return latest && (JSON.parse(latest.state) as SavedRun);
      });
    } catch (error) {
      health.failure(error, context.clock.now(), { namespace: context.namespace });
      return undefined;
    }
  };

  return {
    start,
    async resume(key, init) {
      const saved = await parkedUnder(key);
      if (saved === undefined) return start(bothOf(key, init, dropped));
      const state = new RunState(saved, context.clock, saved);
      state.resume();
      return new LiveRun(runs, state, redactorOf(context.masker), true);
    },
    async run(init, body) {
      const run = start(init);
      try {
        const value = await body(run);
        if (run.isRunning) await (parks(init, value, dropped) ? run.park() : run.settle());
        return value;
      } catch (error) {
        if (run.isRunning) {
          if (parks(init, error, dropped)) await run.park();
          else await endOf(run, init, error, dropped);
        }
        throw error;
      }
    },
    stream: (init, source, read) =>
      streamed(source, read, start(init), (run, error) => endOf(run, init, error, dropped), dropped),
    flush: () => recording.flush(),
    health: () => health.report(recording.queued),
  };
}

const INIT = [
  'input',
  'runId',
  'threadId',
  'attempt',
  'parentRunId',
  'startedAt',
  'signal',
  'parkedWhen',
] as const satisfies readonly (keyof RunInit)[];

// By name: what a host gave may be anything, run its code, or have a million properties.
function bothOf(key: unknown, init: RunInit | undefined, dropped: () => void): RunInit {
  const both: Record<string, unknown> = {};
  for (const name of INIT) {
    both[name] = take(init ?? {}, name, dropped);
    if (name === 'runId' || name === 'threadId') both[name] ??= take((key ?? {}) as RunInit, name, dropped);
  }
  return both;
}

/** Cancelled or failed: the signal decides, not the class of the error, where there is one (EPI-45, EPI-46). */
function endOf(run: RunHandle, init: RunInit, error: unknown, dropped: () => void): Promise<RecordResult> {
  const signal = take(init ?? {}, 'signal', dropped);
  if (signal === undefined || signal === null) return isAbort(error) ? run.cancel() : run.fail(error);
  let ended: { readonly aborted: unknown; readonly reason: unknown };
  try {
    // Whatever a host gave for one may run its code.
    const { aborted, reason } = signal as { readonly aborted?: unknown; readonly reason?: unknown };
    ended = { aborted, reason };
  } catch {
    ended = { aborted: undefined, reason: undefined };
  }
  if (typeof ended.aborted !== 'boolean') dropped();
  if (ended.aborted !== true) return run.fail(error);
  return typeof ended.reason === 'string' ? run.cancel(ended.reason) : run.cancel();
}

function isAbort(error: unknown): boolean {
  try {
    const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
    return name === 'AbortError' || code === 'ABORT_ERR';
  } catch {
    return false;
  }
}

function parks(init: RunInit, value: unknown, dropped: () => void): boolean {
  const parkedWhen = take(init ?? {}, 'parkedWhen', dropped);
  if (parkedWhen === undefined || parkedWhen === null) return false;
  try {
    return parkedWhen(value) === true;
  } catch {
    dropped();
    return false;
  }
}
