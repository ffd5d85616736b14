// Who asks over HTTP: bearer tokens, and the cookie that a page gets for a code used once (SUR-40). Nothing is kept but
// digests, and every comparison takes the same time whether it is right or wrong.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Caller, checkedCaller, operator } from '../access/caller.ts';
import type { ContextOptions } from '../episodes/context.ts';
import type { Clock } from '../model/clock.ts';
import { BackstoryError, isBackstoryError } from '../model/errors.ts';

/** What a token stands for. */
export interface Principal {
  /** For the rate limit and the metrics; no secret. */
  readonly name: string;
  readonly caller: Caller;
  /** Whose memory it may recall and write: agent, route and dimensions (EPI-13). */
  readonly memory?: ContextOptions;
}

/** One line of a token file. */
interface TokenEntry {
  readonly token: string;
  readonly caller: Caller;
  readonly memory?: ContextOptions;
}

export const COOKIE = 'backstory';
const CODE_LIVES_MS = 300_000;
const COOKIE_LIVES_MS = 43_200_000;
const MAX_COOKIES = 1_000;
/** Shorter ones can be guessed. */
const MIN_TOKEN_CHARS = 16;
/** RFC 6750's characters. */
const TOKEN = /^[A-Za-z0-9._~+/=-]{1,512}$/;
const MEMORY_FIELDS = ['agent', 'route', 'workspace', 'tenant', 'user'];

export class Principals {
  readonly #clock: Clock;
  readonly #tokens: { readonly digest: Buffer; readonly principal: Principal }[] = [];
  readonly #codes = new Map<string, number>();
  readonly #cookies = new Map<string, { readonly digest: Buffer; readonly until: number }>();
  /** The operator's own token, made at each start. */
  readonly operatorToken: string = randomBytes(32).toString('base64url');
  readonly #operator: Principal = { name: 'operator', caller: operator() };

  constructor(clock: Clock, entries: readonly TokenEntry[]) {
    this.#clock = clock;
    this.#add(this.operatorToken, this.#operator);
    for (const [index, { token, ...entry }] of entries.entries()) {
      this.#add(token, { name: `token-${index + 1}`, ...entry });
    }
  }

  /** A code for one link, good once and for five minutes. */
  newCode(): string {
    const code = randomBytes(24).toString('base64url');
    this.#codes.set(digestOf(code).toString('hex'), this.#clock.elapsed() + CODE_LIVES_MS);
    return code;
  }

  /** The value of a cookie for a code that was not used yet; undefined for any other. */
  exchange(code: string): string | undefined {
    const name = digestOf(code).toString('hex');
    const until = this.#codes.get(name);
    this.#codes.delete(name);
    if (until === undefined || until < this.#clock.elapsed()) return undefined;
    const value = randomBytes(32).toString('base64url');
    const oldest = this.#cookies.keys().next().value;
    if (this.#cookies.size >= MAX_COOKIES && oldest !== undefined) this.#cookies.delete(oldest);
    const digest = digestOf(value);
    this.#cookies.set(digest.toString('hex'), { digest, until: this.#clock.elapsed() + COOKIE_LIVES_MS });
    return value;
  }

  /** Whom the headers of a request prove it to be from. */
  of(authorization: string | undefined, cookie: string | undefined): Principal | undefined {
    const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (bearer !== undefined && TOKEN.test(bearer)) return this.#ofToken(bearer);
    return cookie !== undefined && this.#isCookie(cookie) ? this.#operator : undefined;
  }

  #add(token: string, principal: Principal): void {
    this.#tokens.push({ digest: digestOf(token), principal });
  }

  // All of them are compared, whichever is the right one.
  #ofToken(token: string): Principal | undefined {
    const digest = digestOf(token);
    let found: Principal | undefined;
    for (const one of this.#tokens) if (timingSafeEqual(digest, one.digest)) found = one.principal;
    return found;
  }

  #isCookie(value: string): boolean {
    const digest = digestOf(value);
    const now = this.#clock.elapsed();
    let found = false;
    for (const [name, one] of this.#cookies) {
      if (one.until < now) this.#cookies.delete(name);
      else if (timingSafeEqual(digest, one.digest)) found = true;
    }
    return found;
  }
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/**
 * Tokens of a file: `{ "tokens": [{ "token", "agentId", "sessionKey"?, "sandboxed"?, "person"?, "operator"?,
 * "memory"? }] }`. Throws `config_invalid` that names the entry, never the token.
 */
export function readTokenFile(path: string): TokenEntry[] {
  const invalid = (what: string, cause?: unknown): BackstoryError =>
    new BackstoryError(
      'config_invalid',
      `The token file ${path} is not valid: ${what}.`,
      'It is JSON: { "tokens": [{ "token": "at least 16 characters", "agentId": "main" }] }, readable by you alone.',
      { cause },
    );
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw invalid(code === undefined ? 'it is no JSON' : `it cannot be read (${code})`, cause);
  }
  const tokens = (read as { tokens?: unknown } | null)?.tokens;
  if (!Array.isArray(tokens)) throw invalid('it has no list "tokens"');
  const seen = new Set<string>();
  // What the engine makes of it is checked when it is first used: a scope may be missing dimensions.
  const memoryOf = (memory: unknown, { agentId }: Caller, where: string): ContextOptions => {
    if (typeof memory !== 'object' || memory === null || Array.isArray(memory)) {
      throw invalid(`memory of ${where} is no object`);
    }
    const other = Object.keys(memory).find((name) => !MEMORY_FIELDS.includes(name));
    if (other !== undefined) throw invalid(`memory of ${where} has no field ${JSON.stringify(other.slice(0, 40))}`);
    const { route, agent, ...scope } = memory as Record<string, string>;
    const whose = agent ?? agentId;
    return { ...(whose === undefined ? {} : { agent: whose }), ...(route === undefined ? {} : { route }), scope };
  };
  return tokens.map((entry: unknown, index): TokenEntry => {
    const where = `entry ${index + 1}`;
    if (typeof entry !== 'object' || entry === null) throw invalid(`${where} is no object`);
    const { token, memory, ...caller } = entry as Record<string, unknown>;
    if (typeof token !== 'string' || token.length < MIN_TOKEN_CHARS) {
      throw invalid(`the token of ${where} is no text of at least ${MIN_TOKEN_CHARS} characters`);
    }
    if (!TOKEN.test(token)) throw invalid(`the token of ${where} has a character that no header carries, or over 512`);
    if (seen.has(token)) throw invalid(`the token of ${where} stands there twice`);
    seen.add(token);
    try {
      const checked = checkedCaller(caller as Caller);
      if (memory === undefined) return { token, caller: checked };
      return { token, caller: checked, memory: memoryOf(memory, checked, where) };
    } catch (error) {
      if (!isBackstoryError(error)) throw error;
      throw invalid(`${where}: ${error.message}`, error);
    }
  });
}
