// What is refused before anything of a request is read: other hosts and origins, and too much of it (SUR-40).
import { networkInterfaces } from 'node:os';
import type { Clock } from '../model/clock.ts';
import { BackstoryError } from '../model/errors.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** The names that a request's Host may have: what it was bound to, never what an attacker's page resolves to it. */
export function allowedHosts(bound: string, more: readonly string[] = []): ReadonlySet<string> {
  const names = new Set([...LOOPBACK, ...more.map((name) => name.toLowerCase())]);
  const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address);
  if (bound === '0.0.0.0' || bound === '::') {
    for (const one of Object.values(networkInterfaces()).flat()) if (one) names.add(bracketed(one.address));
  } else names.add(bracketed(bound.toLowerCase()));
  return names;
}

/**
 * Throws `host_refused` for a Host that is not ours, which is what a DNS rebinding attack sends, and for a page of another
 * origin.
 */
export function assertOwnOrigin(headers: Headers, hosts: ReadonlySet<string>): void {
  const host = headers.get('host') ?? '';
  const name = host.toLowerCase().replace(/:\d{1,5}$/, '');
  if (!hosts.has(name)) {
    throw refused(`The request is for host ${JSON.stringify(host.slice(0, 80))}, which this server is not.`);
  }
  const origin = headers.get('origin');
  if (origin !== null && origin !== `http://${host}` && origin !== `https://${host}`) {
    throw refused(`The request comes from a page of ${JSON.stringify(origin.slice(0, 80))}.`);
  }
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') {
    throw refused('The request comes from a page of another site.');
  }
}

function refused(message: string): BackstoryError {
  return new BackstoryError(
    'host_refused',
    message,
    'Open the address that backstory serve printed; behind a proxy, name its host with --allow-host.',
  );
}

/** A bucket of requests per name, filled steadily. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(clock: Clock, perSecond: number, burst: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = burst;
  }

  /** Throws `rate_limited` when a name asked more than its share. */
  take(name: string): void {
    const now = this.#clock.elapsed();
    const bucket = this.#buckets.get(name) ?? { left: this.#burst, at: now };
    bucket.left = Math.min(this.#burst, bucket.left + ((now - bucket.at) / 1000) * this.#perSecond);
    bucket.at = now;
    this.#buckets.delete(name);
    this.#buckets.set(name, bucket);
    if (this.#buckets.size > MAX_BUCKETS) this.#buckets.delete(this.#buckets.keys().next().value!);
    if (bucket.left < 1) {
      const seconds = Math.ceil((1 - bucket.left) / this.#perSecond);
      throw new BackstoryError(
        'rate_limited',
        `More than ${this.#perSecond} requests a second.`,
        `Ask again in ${seconds} s.`,
        { details: { retryAfter: seconds } },
      );
    }
    bucket.left--;
  }
}

const MAX_BUCKETS = 10_000;

/** Sent with every answer: nothing of another origin may run, frame or read it. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-store',
};
