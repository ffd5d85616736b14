// The HTTP API as one function from request to response: guards first, then who asks, then an operation of the table. It
// knows no port and no process, so that tests and other servers can call it (SUR-40).
import { type Context, Hono } from 'hono';
import { assertUnbound } from '../access/caller.ts';
import type { Backstory, MemoryContext } from '../api/face.ts';
import { memorySeenBy } from '../api/memory-bound.ts';
import { execute, type Operation, withoutLocal } from '../api/operation.ts';
import { OPERATIONS, operationNamed } from '../api/operations.ts';
import { toldError } from '../api/told-error.ts';
import { boundTools, type Tool } from '../api/tools.ts';
import type { Clock } from '../model/clock.ts';
import { BackstoryError, ERROR_CODES } from '../model/errors.ts';
import { readBody } from './body.ts';
import { cookieOf, loginAnswer } from './cookie.ts';
import { Events } from './events.ts';
import { assertOwnOrigin, RateLimit, SECURITY_HEADERS } from './guards.ts';
import { Health } from './health.ts';
import { Metrics } from './metrics.ts';
import { openApi } from './openapi.ts';
import type { Principal, Principals } from './principals.ts';
import { inputOfQuery } from './query.ts';
import { Turns } from './turns.ts';

export interface AppOptions {
  readonly backstory: Backstory;
  readonly clock: Clock;
  readonly version: string;
  /** Undefined: authentication is off, and everybody is the operator. */
  readonly principals: Principals | undefined;
  readonly hosts: ReadonlySet<string>;
  /** Answers `/mcp` for tools bound to who asked. */
  readonly mcp?: (request: Request, tools: readonly Tool[]) => Promise<Response>;
  readonly requestsPerSecond?: number;
  /** Of one body, in bytes. */
  readonly maxBytes?: number;
  readonly onFault?: (error: unknown) => void;
  /** Ends live views: the server takes no more. */
  readonly stopping?: AbortSignal;
}

interface Asked {
  readonly Variables: { principal: Principal; operation: string };
}

const NOBODY_IN_PARTICULAR = { name: 'anyone', caller: { operator: true } } as const;
const MAX_BYTES = 1_048_576;
/** What an operator may send: a batch of messages (SES-27). */
const MAX_OPERATOR_BYTES = 64 * 1_048_576;
const PER_SECOND = 1_000;
const READS: readonly string[] = ['GET', 'HEAD'];

export function createApp(options: AppOptions): Hono<Asked> {
  const { backstory, clock, principals, hosts, version, maxBytes = MAX_BYTES } = options;
  const app = new Hono<Asked>();
  const metrics = new Metrics(clock);
  const events = new Events(options.stopping);
  const turns = new Turns();
  const health = new Health(backstory, clock);
  const contexts = new WeakMap<Principal, Promise<MemoryContext>>();
  const rate = new RateLimit(
    clock,
    options.requestsPerSecond ?? PER_SECOND,
    2 * (options.requestsPerSecond ?? PER_SECOND),
  );
  // Whoever guesses tokens is slowed down long before the guesses are worth anything.
  const guesses = new RateLimit(clock, 1, 20);

  app.use(async (context, next) => {
    const ended = metrics.begin();
    context.set('operation', 'other');
    await next();
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) context.header(name, value);
    ended(context.get('operation'), context.res.status);
  });
  app.use(async (context, next) => {
    assertOwnOrigin(context.req.raw.headers, hosts);
    await next();
  });
  app.onError((error, context) => errorAnswer(context, error, options.onFault));
  app.notFound((context) => errorAnswer(context, noSuchAddress(context.req.path)));

  app.get('/healthz', async (context) => {
    context.set('operation', 'healthz');
    const healthy = await health.isHealthy();
    return context.json({ status: healthy ? 'ok' : 'failing' }, healthy ? 200 : 503);
  });
  app.get('/auth', (context) => {
    context.set('operation', 'auth');
    const value = principals?.exchange(context.req.query('code') ?? '');
    if (value !== undefined) return loginAnswer(value);
    // Who has a right code is never held out by those who guess: behind one address nothing else tells them apart.
    guesses.take('auth');
    throw unauthenticated('The code of this link was used before, or is too old.');
  });

  // From here on somebody in particular asks.
  app.use(async (context, next) => {
    const { headers } = context.req.raw;
    const known = principals
      ? principals.of(headers.get('authorization') ?? undefined, cookieOf(headers.get('cookie')))
      : NOBODY_IN_PARTICULAR;
    if (!known) {
      guesses.take('token');
      throw unauthenticated('The request carries no token, or one that is not known.');
    }
    rate.take(known.name);
    context.set('principal', known);
    await next();
  });
  app.get('/openapi.json', (context) => context.json(openApi(version)));
  app.get('/metrics', async (context) => {
    context.set('operation', 'metrics');
    assertUnbound(context.get('principal').caller, '/metrics');
    const { total } = await backstory.sessions.stats({ operator: true });
    const gauges = { backstory_sessions: total.sessions, backstory_messages: total.messages };
    return context.text(metrics.text(gauges), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  });
  app.all('/mcp', async (context) => {
    context.set('operation', 'mcp');
    if (!options.mcp) throw noSuchAddress('/mcp');
    const { caller } = context.get('principal');
    const memory = await memoryOf(context.get('principal'));
    return options.mcp(context.req.raw, boundTools(backstory, caller, memory === undefined ? {} : { memory }));
  });
  app.get('/api/v1/events', async (context) => {
    context.set('operation', 'events');
    // Whoever asks for the head alone reads no stream, and would never end one.
    if (context.req.method === 'HEAD') return context.body(null, 200, { 'content-type': 'text/event-stream' });
    const { name, caller } = context.get('principal');
    const memory = memorySeenBy(caller, await memoryOf(context.get('principal')));
    const told = (error: unknown): object => toldError(error, options.onFault);
    return events.stream(context, backstory, { name, caller, memory }, told);
  });
  app.all('/api/v1/:operation', async (context) => {
    const operation = named(context.req.param('operation'));
    context.set('operation', operation.name);
    const { caller } = context.get('principal');
    const bound = caller.operator ? Math.max(maxBytes, MAX_OPERATOR_BYTES) : maxBytes;
    const input = await inputOf(context, operation, bound);
    const memory = await memoryOf(context.get('principal'));
    const fixed = memory === undefined ? {} : { memory };
    const { signal } = context.req.raw;
    const run = (): Promise<unknown> => execute(operation, backstory, caller, input, { signal, ...fixed });
    const result = await (operation.readOnly ? turns.take(run) : run());
    return context.json(result as object);
  });
  return app;

  // One per principal: a context keeps what waits to be written.
  function memoryOf(principal: Principal): Promise<MemoryContext | undefined> {
    const known = contexts.get(principal);
    const made = known ?? (principal.memory === undefined ? undefined : backstory.episodes.context(principal.memory));
    if (made === undefined) return Promise.resolve(undefined);
    contexts.set(principal, made);
    // A context that could not be made is asked for again.
    made.catch(() => contexts.delete(principal));
    return made;
  }
}

async function inputOf(context: Context<Asked>, operation: Operation, maxBytes: number): Promise<unknown> {
  const { method } = context.req;
  if (method === 'POST') return readBody(context.req.raw, maxBytes);
  if (READS.includes(method) && operation.readOnly)
    return inputOfQuery(operation, new URL(context.req.url).searchParams);
  const allowed = operation.readOnly ? 'GET, HEAD, POST' : 'POST';
  throw new BackstoryError(
    'method_not_allowed',
    `${operation.name} does not take ${method.slice(0, 20)}.`,
    `Use ${allowed}.`,
    { details: { allow: allowed } },
  );
}

function named(name: string): Operation {
  if (OPERATIONS.some((operation) => operation.name === name && !operation.local))
    return withoutLocal(operationNamed(name));
  throw noSuchAddress(`/api/v1/${name}`);
}

function noSuchAddress(path: string): BackstoryError {
  return new BackstoryError(
    'not_found',
    `There is nothing at ${JSON.stringify(path.slice(0, 80))}.`,
    'GET /openapi.json lists the addresses.',
  );
}

function unauthenticated(message: string): BackstoryError {
  return new BackstoryError(
    'unauthenticated',
    message,
    'Send Authorization: Bearer TOKEN, or open the link that backstory serve prints.',
  );
}

function errorAnswer(context: Context<Asked>, error: unknown, onFault?: (error: unknown) => void): Response {
  // Whoever asked is gone: nobody reads what is said to it.
  if (context.req.raw.signal.aborted) return new Response(null, { status: 499 });
  const shown = toldError(error, onFault);
  const headers: Record<string, string> = {};
  if (shown.code === 'rate_limited') headers['retry-after'] = String(shown.details?.retryAfter ?? 1);
  if (shown.code === 'method_not_allowed') headers.allow = String(shown.details?.allow);
  if (shown.code === 'unauthenticated') headers['www-authenticate'] = 'Bearer';
  return context.json({ error: shown }, ERROR_CODES[shown.code].http as 400, headers);
}
