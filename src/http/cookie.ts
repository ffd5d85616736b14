// The cookie of a page: set for a code that was used once, sent back by the browser to this origin only (SUR-40).
import { COOKIE } from './principals.ts';

const VALUE = new RegExp(`(?:^|;)\\s*${COOKIE}=([A-Za-z0-9_-]{20,100})\\s*(?:;|$)`);
const TWELVE_HOURS = 43_200;

/** The value of our cookie among those of a request. */
export function cookieOf(header: string | null): string | undefined {
  return header === null ? undefined : VALUE.exec(header)?.[1];
}

/** To the page, with the cookie; the code leaves the address. */
export function loginAnswer(value: string): Response {
  const cookie = `${COOKIE}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${TWELVE_HOURS}`;
  return new Response(null, { status: 303, headers: { location: '/', 'set-cookie': cookie } });
}
