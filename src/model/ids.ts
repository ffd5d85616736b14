// Agent ids, session keys and session ids: their grammar, and how a product's own ids become ours (SES-2, SRC-10, SRC-11).
import { createHash } from 'node:crypto';
import { BackstoryError, shownValue } from './errors.ts';
import type { SessionKind } from './session.ts';

const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const AGENT_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;
// What no key segment may hold: the separator, white space, control and format characters, lone surrogates (SES-2).
const NOT_IN_SEGMENT = /[:\s\p{Cc}\p{Cf}\p{Cs}]/u;
const MAX_KEY_BYTES = 512;

export function isAgentId(value: string): boolean {
  return AGENT_ID.test(value);
}

/** The agent id of a session key. Throws `key_invalid`, naming the key and its first offending segment (SES-2). */
export function agentOfKey(key: string): string {
  const segments = key.split(':');
  const bad = (what: string): never => {
    throw new BackstoryError(
      'key_invalid',
      `Session key ${JSON.stringify(key.slice(0, 200))} is not valid: ${what}.`,
      'A session key is agent:<agent id>:<1 to 16 segments>, without spaces or control characters, at most 512 bytes.',
    );
  };
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) bad(`it is ${Buffer.byteLength(key)} bytes long`);
  if (segments[0] !== 'agent') bad(`it begins with ${JSON.stringify(segments[0] ?? '')}, not with "agent"`);
  const agentId = segments[1] ?? '';
  if (!isAgentId(agentId)) bad(`${JSON.stringify(agentId)} is no agent id`);
  const rest = segments.slice(2);
  if (rest.length < 1 || rest.length > 16) bad(`it has ${rest.length} segments after the agent id`);
  for (const segment of rest) {
    if (segment.length < 1 || segment.length > 255 || NOT_IN_SEGMENT.test(segment)) {
      bad(`segment ${JSON.stringify(segment.slice(0, 80))} is not allowed`);
    }
  }
  return agentId;
}

/** The kind that a key alone decides; the first that matches (SES-3). */
export function kindOfKey(key: string): SessionKind {
  const [first, ...others] = key.split(':').slice(2);
  if (first === 'main' && others.length === 0) return 'main';
  if (first === 'subagent' || first === 'acp' || first === 'cron' || first === 'hook') return first;
  const segments = [first, ...others];
  if (segments.includes('direct') || segments.includes('dm')) return 'direct';
  return segments.some((one) => one === 'group' || one === 'channel' || one === 'room') ? 'group' : 'other';
}

/** A key whose session is incognito whatever else is said (SES-15). */
export function isReservedKey(key: string): boolean {
  const rest = key.toLowerCase().split(':').slice(2);
  return rest[0] === 'incognito' || (rest.length === 2 && rest[1]!.startsWith('incognito-'));
}

/** A session id as a host may give it (SES-5). */
export function isSessionId(value: string): boolean {
  return SESSION_ID.test(value);
}

/** A message id as a host may give it (SES-11). */
export function isMessageId(value: string): boolean {
  return value.length >= 1 && value.length <= 128 && !/\p{Cc}|\p{Cs}/u.test(value);
}

/** A product's name for an agent as an agent id: other characters become `-` (SRC-10). */
export function agentIdFrom(native: string): string {
  const id = native
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 64);
  return id === '' ? `agent-${shortDigest(native)}` : id;
}

/** The agent id for a native name whose plain form another name already took: `-` and six hex digits follow (SRC-10). */
export function agentIdApart(native: string): string {
  return `${agentIdFrom(native).slice(0, 57)}-${shortDigest(native)}`;
}

/** Session key of an imported session, or of a part of it (SRC-11). */
export function importedKey(agentId: string, native: string, part?: string): string {
  const key = `agent:${agentId}:${keySegment(native)}`;
  return part === undefined ? key : `${key}:agent:${keySegment(part)}`;
}

/** Session id of the one window of an imported session, or of a part of it (SRC-11). */
export function importedSessionId(native: string, part?: string): string {
  const id = part === undefined ? native : `${native}.${part}`;
  const written = id.replace(/_/g, '__').replace(/[^A-Za-z0-9._-]/gu, (character) => percent(character, '_'));
  const safe = /^[A-Za-z0-9]/.test(written) ? written : `x${written}`;
  return safe.length <= 128 ? safe : `${safe.slice(0, 111)}-${sha256(id).slice(0, 16)}`;
}

/** One key segment from any text: what a segment cannot hold is written as `%XX` of its UTF-8 bytes, `%` too (SRC-11). */
export function keySegment(native: string): string {
  let written = '';
  for (const character of native) {
    const code = character.codePointAt(0) ?? 0;
    const plain = code < 0x80 && character !== '%' && !NOT_IN_SEGMENT.test(character);
    written += plain ? character : percent(character, '%');
  }
  if (written === '') return '%00';
  return written.length <= 255 ? written : `${written.slice(0, 238)}-${sha256(native).slice(0, 16)}`;
}

/** The text that `keySegment` wrote (SRC-11: round trip). */
export function fromKeySegment(segment: string): string {
  const bytes: number[] = [];
  for (let index = 0; index < segment.length; index++) {
    if (segment[index] === '%') {
      bytes.push(Number.parseInt(segment.slice(index + 1, index + 3), 16));
      index += 2;
    } else {
      bytes.push(segment.charCodeAt(index));
    }
  }
  return Buffer.from(bytes).toString('utf8');
}

function percent(character: string, mark: string): string {
  let written = '';
  for (const byte of Buffer.from(character, 'utf8')) written += mark + byte.toString(16).toUpperCase().padStart(2, '0');
  return written;
}

function shortDigest(text: string): string {
  return sha256(text).slice(0, 6);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Throws `invalid_argument`: an agent's id is the name of a file, or a key. */
export function assertAgentId(agentId: unknown): asserts agentId is string {
  if (typeof agentId === 'string' && isAgentId(agentId)) return;
  throw new BackstoryError(
    'invalid_argument',
    `agent ${shownValue(agentId, 80)} is no agent id.`,
    'An agent id is 1 to 64 of a–z, 0–9, - and _.',
    { details: { parameter: 'agent' } },
  );
}
