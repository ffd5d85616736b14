// A run that is a stream: every chunk goes on as it is, one pull at a time; what chunks mean decides how it ended (EPI-47).
import type { RecordResult } from './health.ts';
import type { LiveRun, ToolCall } from './run-handle.ts';

/** What a chunk says of its run. */
export interface ChunkReading {
  /** The run is complete, even if more chunks follow. */
  readonly done?: boolean;
  readonly parked?: boolean;
  readonly tool?: {
    readonly name: string;
    readonly state: 'called' | 'ok' | 'failed' | 'denied';
    readonly error?: unknown;
  };
  readonly finalState?: unknown;
}

type ToolCalls = Map<string, ToolCall[]>;

/** `failed` ends a run by what the source threw. */
export function streamed<C>(
  source: AsyncIterable<C>,
  read: (chunk: C) => ChunkReading | undefined,
  run: LiveRun,
  failed: (run: LiveRun, error: unknown) => Promise<RecordResult>,
  dropped: () => void,
): AsyncIterableIterator<C> {
  const seen = { done: false, parked: false, finalState: undefined as unknown };
  const calls: ToolCalls = new Map();
  let inner: AsyncIterator<C> | undefined;
  let over = false;
  let turn: Promise<unknown> = Promise.resolve();
  // One at a time, as from a generator, also for a consumer that asks twice.
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  };

  const end = (how: () => Promise<RecordResult>): Promise<RecordResult | undefined> => {
    over = true;
    return run.isRunning ? how() : Promise.resolve(undefined);
  };
  const complete = (): Promise<RecordResult> =>
    seen.parked
      ? run.park()
      : run.settle({ ...(seen.finalState === undefined ? {} : { finalState: seen.finalState }) });

  const look = (chunk: C): void => {
    try {
      const reading = read(chunk);
      if (reading === undefined || reading === null) return;
      if (reading.done) seen.done = true;
      if (reading.parked) seen.parked = true;
      if (reading.finalState !== undefined) seen.finalState = reading.finalState;
      if (reading.tool) report(run, calls, reading.tool);
    } catch {
      dropped();
    }
  };

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () =>
      inTurn(async () => {
        if (over) return { done: true, value: undefined };
        let result: IteratorResult<C>;
        try {
          inner ??= source[Symbol.asyncIterator]();
          result = await inner.next();
        } catch (error) {
          await end(() => failed(run, error));
          throw error;
        }
        if (result.done) {
          await end(complete);
          return result;
        }
        look(result.value);
        return result;
      }),
    return: (value) =>
      inTurn(async () => {
        if (over) return { done: true, value };
        over = true;
        inner ??= source[Symbol.asyncIterator]();
        try {
          await inner.return?.();
        } finally {
          await end(() => (seen.done || seen.parked ? complete() : run.cancel('abandoned')));
        }
        return { done: true, value };
      }),
    throw: (error) =>
      inTurn(async () => {
        if (!over) {
          over = true;
          await Promise.resolve(inner?.return?.()).catch(() => undefined);
          await end(() => failed(run, error));
        }
        throw error;
      }),
  };
}

/** A result belongs to the oldest open call of its name; one without a call counts as called now. */
function report(run: LiveRun, calls: ToolCalls, tool: NonNullable<ChunkReading['tool']>): void {
  const open = calls.get(tool.name) ?? [];
  calls.set(tool.name, open);
  if (tool.state === 'called') {
    open.push(run.tool(tool.name));
    return;
  }
  const call = open.shift() ?? run.tool(tool.name);
  if (tool.state === 'failed') call.failed(tool.error);
  else if (tool.state === 'denied') call.denied();
  else call.ok();
}
