// Namespaces: dimensions and values as one string, and back without loss (EPI-11, EPI-12, EPI-16). Decides no access.
import { DIMENSIONS, type Dimension, type Scope } from '../config/index.ts';
import { sha256 } from '../model/episode-ids.ts';
import { BackstoryError, nearest } from '../model/errors.ts';

const MAX_VALUE_BYTES = 256;
// What a value cannot hold as it is: the two separators, the escape, and control characters.
const ESCAPED = /[%|=\p{Cc}]/gu;
const ESCAPE = /%([0-9A-F]{2})/g;
const LONE_SURROGATE = /\p{Cs}/u;

/** `key=value` joined with `|`, in the order of DIMENSIONS. Throws `namespace_invalid`, naming the dimension. */
export function formatNamespace(scope: Scope): string {
  const parts = DIMENSIONS.flatMap((dimension) => {
    const value = scope[dimension];
    return value === undefined ? [] : [`${dimension}=${encodeValue(dimension, value)}`];
  });
  if (parts.length === 0) throw invalid('', 'it names no dimension');
  return parts.join('|');
}

/** The dimensions of a namespace. Throws `namespace_invalid`, naming the part (EPI-12). */
export function parseNamespace(namespace: string): Scope {
  const scope: { [dimension in Dimension]?: string } = {};
  let last = -1;
  if (typeof namespace !== 'string') throw invalid('', 'it is no text');
  for (const part of namespace.split('|')) {
    const at = part.indexOf('=');
    const name = at < 0 ? part : part.slice(0, at);
    const index = (DIMENSIONS as readonly string[]).indexOf(name);
    if (at < 0 || index < 0) throw invalid(part, `it is none of ${DIMENSIONS.join(', ')} with a value`);
    const dimension = DIMENSIONS[index]!;
    if (index === last || scope[dimension] !== undefined) throw invalid(part, 'the dimension stands there twice');
    if (index < last) throw invalid(part, `the dimensions stand in the order ${DIMENSIONS.join(', ')}`);
    last = index;
    scope[dimension] = decodeValue(part, part.slice(at + 1));
  }
  return scope;
}

/** True for the namespace itself and for those that add dimensions to it (EPI-16). Throws for an empty or bad prefix. */
export function isWithinPrefix(namespace: string, prefix: string): boolean {
  parseNamespace(prefix);
  return namespace === prefix || namespace.startsWith(`${prefix}|`);
}

/** A value as the host means it: NFC, so that two spellings are one. */
export function normalValue(value: string): string {
  return value.normalize('NFC');
}

/** A scope given by a host: only dimensions and strings. Throws `invalid_argument`, naming the nearest (EPI-13). */
export function checkScope(scope: object, option = 'scope'): Scope {
  for (const [key, value] of Object.entries(scope)) {
    if (!(DIMENSIONS as readonly string[]).includes(key)) {
      const near = nearest(key, DIMENSIONS);
      throw new BackstoryError(
        'invalid_argument',
        `${option} has ${JSON.stringify(key)}, which is no dimension.`,
        `${near === undefined ? '' : `Did you mean ${JSON.stringify(near)}? `}Dimensions are ${DIMENSIONS.join(', ')}.`,
        {
          details: { option: `${option}.${key}`, known: DIMENSIONS, ...(near === undefined ? {} : { nearest: near }) },
        },
      );
    }
    if (value !== undefined && value !== null && typeof value !== 'string') {
      throw new BackstoryError(
        'invalid_argument',
        `${option}.${key} is no text.`,
        'Give the value as a string, from verified identity.',
        { details: { option: `${option}.${key}` } },
      );
    }
  }
  return scope as Scope;
}

/** A route as the host names it: one leading slash, none at the end; dynamic segments are literal (EPI-13). */
export function normalRoute(route: string): string {
  const path = route.replace(/^\/+/, '').replace(/\/+$/, '');
  return `/${path}`;
}

/** What an erasure may have been asked for that reaches a record: digests to look barriers up by (EPI-135). */
export function barriersOf(namespace: string, threadId?: string, runId?: string): string[] {
  const scope = parseNamespace(namespace);
  const parts = namespace.split('|');
  const people = (['tenant', 'user', 'agent'] as const).filter((name) => scope[name] !== undefined);
  const subjects = Array.from({ length: 2 ** people.length - 1 }, (_, index) =>
    Object.fromEntries(people.filter((_name, bit) => ((index + 1) >> bit) & 1).map((name) => [name, scope[name]!])),
  );
  return [
    barrierDigest({ namespace }),
    ...parts.map((_, index) => barrierDigest({ namespace: parts.slice(0, index + 1).join('|'), withinPrefix: true })),
    ...subjects.map((subject) => barrierDigest({ subject })),
    ...(threadId === undefined ? [] : [barrierDigest({ thread: threadId })]),
    ...(runId === undefined ? [] : [barrierDigest({ run: runId })]),
  ];
}

/** The selector of an erasure, as far as barriers go. */
export type BarrierSelector =
  | { readonly namespace: string; readonly withinPrefix?: boolean }
  | { readonly subject: Scope }
  | { readonly thread: string }
  | { readonly run: string };

/** 32 hex digits that tell a selector again without keeping it (EPI-135). Ids as stored (`storedId`). */
export function barrierDigest(selector: BarrierSelector): string {
  const name =
    'namespace' in selector
      ? [selector.withinPrefix ? 'prefix' : 'namespace', selector.namespace]
      : 'subject' in selector
        ? ['subject', ...DIMENSIONS.map((dimension) => selector.subject[dimension] ?? null)]
        : 'thread' in selector
          ? ['thread', selector.thread]
          : ['run', selector.run];
  return sha256(JSON.stringify(name)).slice(0, 32);
}

function encodeValue(dimension: Dimension, given: string): string {
  const part = `${dimension}=${given}`;
  if (given === '') throw invalid(part, 'its value is empty');
  if (LONE_SURROGATE.test(given)) throw invalid(part, 'its value has half a surrogate pair');
  const value = normalValue(given).replace(ESCAPED, percent);
  if (Buffer.byteLength(value) > MAX_VALUE_BYTES) throw invalid(part, `its value is over ${MAX_VALUE_BYTES} bytes`);
  return value;
}

function decodeValue(part: string, written: string): string {
  if (written === '') throw invalid(part, 'its value is empty');
  if (LONE_SURROGATE.test(written)) throw invalid(part, 'its value has half a surrogate pair');
  const bytes = Buffer.from(written.replace(ESCAPE, ''), 'utf8');
  if (bytes.includes('%')) throw invalid(part, 'an escape is not % and two upper-case hex digits');
  const value = fromEscapes(written);
  // Only one spelling of a value is a namespace: what needs no escape has none, and it is in NFC.
  const again = value === undefined ? undefined : normalValue(value).replace(ESCAPED, percent);
  if (value === undefined || again !== written)
    throw invalid(part, 'its value is not written as a namespace writes it');
  if (Buffer.byteLength(written) > MAX_VALUE_BYTES) throw invalid(part, `its value is over ${MAX_VALUE_BYTES} bytes`);
  return value;
}

function fromEscapes(written: string): string | undefined {
  const bytes: Buffer[] = [];
  let from = 0;
  for (const match of written.matchAll(ESCAPE)) {
    bytes.push(Buffer.from(written.slice(from, match.index), 'utf8'), Buffer.from(match[1]!, 'hex'));
    from = match.index + match[0].length;
  }
  bytes.push(Buffer.from(written.slice(from), 'utf8'));
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(bytes));
  } catch {
    return undefined;
  }
}

function percent(character: string): string {
  return [...Buffer.from(character, 'utf8')]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

function invalid(part: string, why: string): BackstoryError {
  const shown = JSON.stringify(part.length <= 120 ? part : `${part.slice(0, 119)}…`);
  return new BackstoryError(
    'namespace_invalid',
    part === '' ? `The namespace is not valid: ${why}.` : `The part ${shown} of the namespace is not valid: ${why}.`,
    'A namespace is key=value joined with |, such as workspace=app|route=/support.',
    { details: { part } },
  );
}
