// What an append may be asked, checked whole before anything is written (SES-21 … SES-29, SES-157).
import { BackstoryError } from '../model/errors.ts';
import { isMessageId } from '../model/ids.ts';
import { checkedMessage, jsonOf, type Message, measuredBytes } from '../model/session-message.ts';
import { checkedProperties, type SessionProperties } from './append-session.ts';
import type { AskedItem } from './append-stored.ts';
import { type Conditions, checkConditionNames, checkedKey, type HostContext } from './host.ts';
import { checkFlag, checkNames, checkOneOf, checkText, invalidArgument } from './page-checks.ts';

interface AppendOptions extends Conditions {
  readonly key: string;
  /** Properties of the session: the first write fixes some of them (SES-4). */
  readonly session?: SessionProperties;
  /** Default: the leaf. */
  readonly parentId?: string;
  readonly onStaleParent?: 'rebase' | 'branch' | 'reject';
  /** On no branch: not in history, not searched (SES-29). */
  readonly aside?: boolean;
  /** `later`: rows now, index by reconciliation (SES-157). */
  readonly index?: 'now' | 'later';
}

/** Exactly one of `message` and `custom`. */
export interface AppendParams extends AppendOptions {
  readonly message?: Message;
  readonly custom?: CustomEntry;
  /** 1–200 characters: the same key writes one message, however often it is sent (SES-23). */
  readonly idempotencyKey?: string;
}

/** Data of the host's own, at most 64 KiB of JSON (SES-6). */
export interface CustomEntry {
  readonly id?: string;
  readonly data: unknown;
  /** History shows it. */
  readonly display?: boolean;
}

export interface AppendManyParams extends AppendOptions {
  readonly messages: readonly (Message & { readonly idempotencyKey?: string })[];
}

export interface Asked extends Conditions {
  readonly key: string;
  readonly items: readonly AskedItem[];
  readonly session: SessionProperties;
  readonly parentId?: string;
  readonly onStaleParent: 'rebase' | 'branch' | 'reject';
  readonly aside: boolean;
  readonly index: 'now' | 'later';
}

const OPTIONS = ['key', 'session', 'sessionId', 'expectedLeaf', 'parentId', 'onStaleParent', 'aside', 'index'];
const MAX_MESSAGES = 10_000;
const MAX_BATCH_BYTES = 64 * 1024 * 1024;
const MAX_CUSTOM_BYTES = 64 * 1024;

export function askedOne(_context: HostContext, params: AppendParams): Asked {
  checkNames(params, [...OPTIONS, 'message', 'custom', 'idempotencyKey']);
  const { message, custom, idempotencyKey } = params;
  if ((message === undefined) === (custom === undefined)) {
    throw invalidArgument(
      message === undefined ? 'Neither message nor custom was given.' : 'message and custom were both given.',
      'Give message, or custom.',
      { parameter: 'message' },
    );
  }
  checkKey('idempotencyKey', idempotencyKey);
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  const item: AskedItem =
    message === undefined
      ? { path: 'custom', custom: checkedCustom(custom!), ...key }
      : { path: 'message', message: checkedMessage(message, 'message'), ...key };
  return { ...askedOptions(params), items: [item] };
}

export function askedMany(_context: HostContext, params: AppendManyParams): Asked {
  checkNames(params, [...OPTIONS, 'messages']);
  const { messages } = params;
  if (!Array.isArray(messages) || messages.length === 0) {
    throw invalidArgument('messages is not a list of at least one message.', 'Give messages a list.', {
      parameter: 'messages',
    });
  }
  if (messages.length > MAX_MESSAGES) throw batchTooLarge(`${messages.length} messages`, `${MAX_MESSAGES}`);
  let bytes = 0;
  const items = messages.map((message, index): AskedItem => {
    const path = `messages[${index}]`;
    const checked = checkedMessage(message, path);
    checkKey(`${path}.idempotencyKey`, message.idempotencyKey);
    bytes += checked.bytes;
    return {
      path,
      message: checked,
      ...(message.idempotencyKey === undefined ? {} : { idempotencyKey: message.idempotencyKey }),
    };
  });
  // The sum above is never too low; only a batch near the bound is measured.
  if (bytes > MAX_BATCH_BYTES) {
    const measured = items.reduce((sum, item) => sum + measuredBytes(item.message!), 0);
    if (measured > MAX_BATCH_BYTES) throw batchTooLarge(`${measured} bytes as JSON`, `${MAX_BATCH_BYTES}`);
  }
  return { ...askedOptions(params), items };
}

function askedOptions(params: AppendOptions): Omit<Asked, 'items'> {
  const { key, session, sessionId, expectedLeaf, parentId } = params;
  const { onStaleParent = 'rebase', aside = false, index = 'now' } = params;
  checkedKey(key);
  checkConditionNames(params);
  checkText('parentId', parentId);
  checkOneOf('onStaleParent', onStaleParent, ['rebase', 'branch', 'reject']);
  checkOneOf('index', index, ['now', 'later']);
  checkFlag('aside', aside);
  return {
    key,
    session: session === undefined ? {} : checkedProperties(session),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(expectedLeaf === undefined ? {} : { expectedLeaf }),
    ...(parentId === undefined ? {} : { parentId }),
    onStaleParent,
    aside,
    index,
  };
}

function checkKey(name: string, value: unknown): void {
  if (value === undefined || (typeof value === 'string' && value.length >= 1 && value.length <= 200)) return;
  throw invalidArgument(`${name} is not 1 to 200 characters.`, `Give ${name} 1 to 200 characters, or leave it out.`, {
    parameter: name,
  });
}

function checkedCustom(custom: CustomEntry): NonNullable<AskedItem['custom']> {
  if (typeof custom !== 'object' || custom === null) {
    throw invalidArgument('custom is not an object.', 'Give custom as { data, display }.', { parameter: 'custom' });
  }
  checkNames(custom, ['id', 'data', 'display']);
  const { id, data, display = false } = custom;
  checkFlag('custom.display', display);
  if (id !== undefined && !(typeof id === 'string' && isMessageId(id))) {
    throw invalidArgument('custom.id is no id.', 'Give custom.id 1 to 128 characters without control characters.', {
      parameter: 'custom.id',
    });
  }
  const value = jsonOf(data, 'custom.data');
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > MAX_CUSTOM_BYTES) {
    throw invalidArgument(
      `custom.data is ${bytes} bytes as JSON, over ${MAX_CUSTOM_BYTES}.`,
      'Store large data elsewhere, and keep a reference in custom.data.',
      { parameter: 'custom.data', bytes, limit: MAX_CUSTOM_BYTES },
    );
  }
  return { data: value, display, ...(id === undefined ? {} : { id }) };
}

function batchTooLarge(what: string, limit: string): BackstoryError {
  return new BackstoryError(
    'batch_too_large',
    `A batch of ${what} is over ${limit}.`,
    'Append it in several batches.',
    {
      details: { limit: Number(limit) },
    },
  );
}
