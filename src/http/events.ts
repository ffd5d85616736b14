// Server-sent events: new messages that the caller may see, for live views (SUR-41). One stream holds one poll and no store.
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Backstory, Caller } from '../api/face.ts';
import { BackstoryError } from '../model/errors.ts';

// A stream is a poll: this many at once are as much as one search.
const MAX_STREAMS = 100;
/** A comment now and then, so that whatever stands between does not take it for dead. */
const HEARTBEAT_MS = 15_000;

export class Events {
  #open = 0;

  /** Throws `rate_limited` when too many streams are open. What ends a stream by itself is told in it, as `told` says it. */
  stream(context: Context, backstory: Backstory, caller: Caller, told: (error: unknown) => object): Response {
    if (this.#open >= MAX_STREAMS) {
      throw new BackstoryError('rate_limited', `${MAX_STREAMS} streams are open already.`, 'Close one first.', {
        details: { retryAfter: 5 },
      });
    }
    return streamSSE(context, async (stream) => {
      const ended = new AbortController();
      stream.onAbort(() => ended.abort());
      this.#open++;
      const heart = setInterval(() => void stream.write(': still here\n\n').catch(() => ended.abort()), HEARTBEAT_MS);
      try {
        const messages = await backstory.sessions.watch(caller, { signal: ended.signal });
        await stream.write(': watching\n\n');
        for await (const message of messages) {
          await stream.writeSSE({ event: 'message', data: JSON.stringify(message) });
        }
      } catch (error) {
        if (ended.signal.aborted) return;
        await stream.writeSSE({ event: 'error', data: JSON.stringify({ error: told(error) }) });
      } finally {
        clearInterval(heart);
        this.#open--;
      }
    });
  }
}
