// The handle of one run: tools as they are called, and the one way it ends (EPI-35, EPI-37, EPI-42).
import type { ResolvedMemory } from '../config/index.ts';
import type { Clock } from '../model/clock.ts';
import { RECORD_BOUNDS } from '../model/episode.ts';
import type { Masker } from '../redact/masker.ts';
import type { RecordResult, SkipReason } from './health.ts';
import type { Redactor } from './record-text.ts';
import type { Recording } from './recording.ts';
import { toolsIn } from './run-messages.ts';
import { type RunEnd, runRecord } from './run-record.ts';
import type { RunState } from './run-state.ts';
import { parkWrite, type RunWrite, recordWrite } from './run-write.ts';

export interface ToolCall {
  ok(): void;
  failed(error?: unknown): void;
  /** It never ran: takes the call back. */
  denied(): void;
}

export interface RunHandle {
  /** The id its record will have. */
  readonly id: string;
  readonly resumed: boolean;
  tool(name: string): ToolCall;
  /** What `body` returns or throws passes through unchanged. */
  tool<T>(name: string, body: () => Promise<T>): Promise<T>;
  /** Waits for a person: nothing is recorded, and any process can go on with it. */
  park(): Promise<RecordResult>;
  resume(): void;
  settle(end?: { readonly finalState?: unknown; readonly toolsUsed?: readonly string[] }): Promise<RecordResult>;
  fail(error: unknown, end?: { readonly finalState?: unknown }): Promise<RecordResult>;
  cancel(reason?: string): Promise<RecordResult>;
}

export interface RunsContext {
  readonly namespace: string | undefined;
  readonly settings: ResolvedMemory;
  readonly clock: Clock;
  readonly masker: Masker;
  readonly recording: Recording;
  /** Why nothing of this context is recorded. */
  readonly skip: SkipReason | undefined;
  readonly dropped: () => void;
}

export class LiveRun implements RunHandle {
  readonly resumed: boolean;
  readonly #context: RunsContext;
  readonly #state: RunState;
  readonly #redact: Redactor;
  #ended = false;
  #maskedTold = 0;

  constructor(context: RunsContext, state: RunState, redact: Redactor, resumed: boolean) {
    this.#context = context;
    this.#state = state;
    this.#redact = redact;
    this.resumed = resumed;
  }

  get id(): string {
    return this.#state.facts.id;
  }

  /** Neither ended nor parked. */
  get isRunning(): boolean {
    return !this.#ended && !this.#state.isParked;
  }

  tool(name: string): ToolCall;
  tool<T>(name: string, body: () => Promise<T>): Promise<T>;
  tool<T>(name: string, body?: () => Promise<T>): ToolCall | Promise<T> {
    const call = this.#call(name);
    return body === undefined ? call : around(call, body);
  }

  async park(): Promise<RecordResult> {
    const refused = this.#refusal();
    if (refused !== undefined) return refused;
    this.#state.park();
    const { namespace, settings } = this.#context;
    const saved = this.#state.saved();
    return this.#submit(() => parkWrite(namespace!, saved, settings.episodes.ttlMs, this.#writing()));
  }

  resume(): void {
    if (!this.#ended) this.#state.resume();
  }

  async settle(end?: { readonly finalState?: unknown; readonly toolsUsed?: readonly string[] }): Promise<RecordResult> {
    if (!this.#ended) this.#used(end);
    return this.#end({ outcome: 'ok' });
  }

  async fail(error: unknown, end?: { readonly finalState?: unknown }): Promise<RecordResult> {
    if (!this.#ended) this.#used(end);
    return this.#end({ outcome: 'error', error });
  }

  async cancel(reason?: string): Promise<RecordResult> {
    if (reason !== undefined && typeof reason !== 'string' && !this.#ended) this.#context.dropped();
    const said = typeof reason === 'string' && reason.trim() !== '' ? { reason } : {};
    return this.#end({ outcome: 'cancelled', ...said });
  }

  #call(given: unknown): ToolCall {
    const { dropped } = this.#context;
    if (this.#ended || typeof given !== 'string' || given === '') {
      dropped();
      return NO_CALL;
    }
    const state = this.#state;
    const name = this.#redact.text(given, RECORD_BOUNDS.toolName);
    state.called(name);
    let done = false;
    const once = (work: () => void): void => {
      if (!done && !this.#ended) work();
      done = true;
    };
    return {
      ok: () => once(() => undefined),
      failed: () => once(() => state.failed(name)),
      denied: () => once(() => state.denied(name)),
    };
  }

  // Where no call was reported live: what the host says, else what its final state says (EPI-35).
  #used(end: { readonly finalState?: unknown; readonly toolsUsed?: readonly string[] } | undefined): void {
    if (this.#state.isLive) return;
    try {
      const { toolsUsed, finalState } = end ?? {};
      if (toolsUsed !== undefined && !Array.isArray(toolsUsed)) this.#context.dropped();
      const names: readonly unknown[] = Array.isArray(toolsUsed) ? toolsUsed : toolsIn(finalState);
      const good = names.filter((name): name is string => typeof name === 'string' && name !== '');
      for (let bad = names.length - good.length; bad > 0; bad--) this.#context.dropped();
      this.#state.used(good.map((name) => this.#redact.text(name, RECORD_BOUNDS.toolName)));
    } catch {
      this.#context.dropped();
    }
  }

  async #end(end: RunEnd): Promise<RecordResult> {
    const refused = this.#refusal();
    if (refused !== undefined) {
      this.#ended = true;
      return refused;
    }
    this.#ended = true;
    this.#state.resume();
    const { namespace, settings, clock, recording } = this.#context;
    const { ttlMs, includeFailedRuns, includeCancelledRuns } = settings.episodes;
    const excluded =
      (end.outcome === 'error' && !includeFailedRuns) || (end.outcome === 'cancelled' && !includeCancelledRuns);
    if (excluded) {
      // What is not recorded does not wait either.
      if (this.#state.everParked)
        await this.#submit(() => async (writing) => {
          await writing.unpark(this.id);
          return { recorded: false, reason: 'excluded', id: this.id };
        });
      else recording.health.skipped('excluded');
      return { recorded: false, reason: 'excluded', id: this.id };
    }
    return this.#submit(() => {
      const record = runRecord(namespace!, this.#state, end, clock.now(), ttlMs, this.#redact);
      return recordWrite(record, this.#context.masker, this.#writing());
    });
  }

  #refusal(): RecordResult | undefined {
    const { skip, recording } = this.#context;
    const reason = this.#ended ? 'ended' : skip;
    if (reason === undefined) return undefined;
    recording.health.skipped(reason);
    return { recorded: false, reason, id: this.id };
  }

  /** What `make` returns is applied in the store's transaction. Neither of them may fail a run. */
  async #submit(make: () => RunWrite): Promise<RecordResult> {
    const { recording, namespace, clock } = this.#context;
    const { runId } = this.#state.facts;
    try {
      const apply = make();
      recording.health.add('masked', this.#redact.masked - this.#maskedTold);
      this.#maskedTold = this.#redact.masked;
      return await recording.submit({
        id: this.id,
        namespace: namespace!,
        ...(runId === undefined ? {} : { runId }),
        apply,
      });
    } catch (error) {
      recording.health.failure(error, clock.now(), { namespace: namespace! });
      recording.health.add('lost');
      return { recorded: false, reason: 'lost', id: this.id };
    }
  }

  #writing(): Parameters<typeof recordWrite>[2] {
    const { settings, clock } = this.#context;
    return {
      clock,
      budgets: { cap: settings.episodes.cap, authoredCap: settings.authored.cap },
    };
  }
}

const NO_CALL: ToolCall = { ok: () => undefined, failed: () => undefined, denied: () => undefined };

async function around<T>(call: ToolCall, body: () => Promise<T>): Promise<T> {
  let value: T;
  try {
    value = await body();
  } catch (error) {
    call.failed(error);
    throw error;
  }
  call.ok();
  return value;
}
