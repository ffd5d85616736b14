// Server-sent events: new messages and episodes that the caller may see, for live views (SUR-41). One stream holds one poll
// and no store.
import type { Context } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { Backstory, Caller } from '../api/face.ts';
import type { OwnMemory } from '../api/memory-bound.ts';
import { BackstoryError } from '../model/errors.ts';

// A stream is a poll: this many at once are as much as one search.
const MAX_STREAMS = 100;
/** Of one token: a browser's tabs, and no more than leaves room for others. */
const MAX_OF_ONE = 20;
/** A comment now and then, so that whatever stands between does not take it for dead. */
const HEARTBEAT_MS = 15_000;

/** Who watches, by the name that its streams are counted by, and what it sees. */
export interface Watcher {
  readonly name: string;
  readonly caller: Caller;
  /** Undefined: none of any. */
  readonly memory: OwnMemory | 'all' | undefined;
}

export class Events {
  readonly #open = new Map<string, number>();
  readonly #stopping: AbortSignal | undefined;

  /** `stopping`: ends every stream, which would not end by itself (SUR-42). */
  constructor(stopping?: AbortSignal) {
    this.#stopping = stopping;
  }

  /** Throws `rate_limited` when too many streams are open. What ends a stream by itself is told in it, as `told` says it. */
  stream(context: Context, backstory: Backstory, watcher: Watcher, told: (error: unknown) => object): Response {
    this.#take(watcher);
    return streamSSE(context, async (stream) => {
      const ended = new AbortController();
      stream.onAbort(() => ended.abort());
      if (this.#stopping?.aborted) ended.abort();
      this.#stopping?.addEventListener('abort', () => ended.abort(), { once: true, signal: ended.signal });
      const heart = setInterval(() => void stream.write(': still here\n\n').catch(() => ended.abort()), HEARTBEAT_MS);
      try {
        await streamAll(stream, backstory, watcher, ended.signal);
      } catch (error) {
        if (ended.signal.aborted) return;
        // The other half ends with it.
        ended.abort();
        await stream.writeSSE({ event: 'error', data: JSON.stringify({ error: told(error) }) });
      } finally {
        clearInterval(heart);
        ended.abort();
        this.#give(watcher);
      }
    });
  }

  #take({ name, caller }: Watcher): void {
    const own = this.#open.get(name) ?? 0;
    if (own >= MAX_OF_ONE) throw tooMany(`${MAX_OF_ONE} streams of this token are open already.`);
    const all = [...this.#open.values()].reduce((sum, count) => sum + count, 0);
    // Whoever looks after the server is not held out by those it serves.
    if (all >= MAX_STREAMS && caller.operator !== true) throw tooMany(`${MAX_STREAMS} streams are open already.`);
    this.#open.set(name, own + 1);
  }

  #give({ name }: Watcher): void {
    const left = this.#open.get(name)! - 1;
    if (left > 0) this.#open.set(name, left);
    else this.#open.delete(name);
  }
}

async function streamAll(
  stream: SSEStreamingApi,
  backstory: Backstory,
  { caller, memory }: Watcher,
  signal: AbortSignal,
): Promise<void> {
  const messages = await backstory.sessions.watch(caller, { signal });
  const episodes = memory === undefined ? undefined : await backstory.episodes.watch(memory, { signal });
  await stream.write(': watching\n\n');
  const tell = async (event: string, all: AsyncIterable<object>): Promise<void> => {
    for await (const one of all) await stream.writeSSE({ event, data: JSON.stringify(one) });
  };
  await Promise.all([tell('message', messages), ...(episodes ? [tell('episode', episodes)] : [])]);
}

function tooMany(message: string): BackstoryError {
  return new BackstoryError('rate_limited', message, 'Close one first.', { details: { retryAfter: 5 } });
}
