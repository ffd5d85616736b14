// What an agent writes itself: checked by its developer's schema, redacted, then held, added or put in place of what it
// replaces, as the mode of writing says (EPI-24, EPI-101 … EPI-107).
import type { WritesMode } from '../config/index.ts';
import type { Clock, NewId } from '../model/clock.ts';
import { cutText, type MemoryRecord, RECORD_BOUNDS } from '../model/episode.ts';
import { sha256, storedId } from '../model/episode-ids.ts';
import { BackstoryError } from '../model/errors.ts';
import { formatInstant } from '../model/time.ts';
import type { Masker } from '../redact/masker.ts';
import type { MemoryStore, MemoryWriting, NewRecord, StoredRecord } from '../store/memory.ts';
import type { AskChange } from './context.ts';
import { identityKeys, type MemoryDefinition } from './define.ts';
import { activeFact, digestOf, identityOf, isSameData, refresh, supersede } from './facts.ts';
import { redactorOf, searchedText } from './record-text.ts';
import { checkRemember, type RememberArguments } from './remember-input.ts';
import { tracesOf } from './run-write.ts';

export interface RememberContext {
  readonly namespace: string;
  readonly definition: MemoryDefinition;
  readonly writes: WritesMode;
  readonly ask: AskChange | undefined;
  readonly threadId: string | undefined;
  readonly runId: string | undefined;
  /** The model's tool, or a person at the command line (EPI-105). */
  readonly source: 'tool' | 'user';
  readonly store: MemoryStore;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly masker: Masker;
  /** Settings of `memory.authored`. */
  readonly ttlMs: number | null;
  readonly cap: number | null;
  readonly runCap: number | null;
  /** Counts values that were hidden. */
  readonly masked: (count: number) => void;
}

export type RememberStatus = 'stored' | 'candidate' | 'updated' | 'superseded' | 'kept' | 'known' | 'rejected';

export interface RememberResult {
  readonly status: RememberStatus;
  /** One sentence for the model (EPI-103). */
  readonly text: string;
  /** Absent when nothing is kept. */
  readonly id?: string;
}

/** `toolCallId`: the same one in the same namespace stores once and gets the first answer (EPI-104). */
export interface CallOptions {
  readonly toolCallId?: string;
}

/**
 * Stores, or says why not. Throws `writes_off`, `invalid_argument` for arguments that are not the tool's, and what the
 * store throws; what the schema refuses is an answer (`rejected`).
 */
export async function rememberRecord(
  context: RememberContext,
  given: unknown,
  { toolCallId }: CallOptions = {},
): Promise<RememberResult> {
  if (context.writes === 'off') throw writesOff();
  const checked = await checkRemember(given, context.definition);
  if ('rejected' in checked) return { status: 'rejected', text: checked.rejected };
  const redact = redactorOf(context.masker);
  const made = recordFrom(context, checked, redact);
  if (typeof made === 'string') return { status: 'rejected', text: made };
  context.masked(redact.masked);
  const callId = toolCallId === undefined ? undefined : sha256(toolCallId).slice(0, 32);
  // The host is asked outside the transaction, which must not wait for a person; then the answer counts for this old one.
  let answer: { readonly old: string; readonly allows: boolean } | undefined;
  let holds = false;
  for (;;) {
    const { writes } = holds ? { writes: 'candidate' as const } : context;
    const result = await context.store.write((writing) => apply(writing, { ...context, writes }, made, callId, answer));
    if (!('old' in result)) return result;
    const decided = await decision(context, made, result.old);
    // Nobody decided: a person reviews it (EPI-106).
    if (decided === undefined) holds = true;
    answer = { old: result.old.record.id, allows: decided ?? false };
  }
}

export function writesOff(): BackstoryError {
  return new BackstoryError(
    'writes_off',
    'Nothing can be remembered here: the setting memory.writes is off.',
    'Set memory.writes to candidate, auto or ask.',
    { details: { setting: 'memory.writes' } },
  );
}

type Made = NewRecord & { readonly identity?: string; readonly about?: Readonly<Record<string, unknown>> };

/** Too large is refused, not cut (EPI-101). */
function recordFrom(
  context: RememberContext,
  given: RememberArguments,
  redact: ReturnType<typeof redactorOf>,
): Made | string {
  const { definition, clock, newId, masker, ttlMs } = context;
  const now = clock.now();
  const written = formatInstant(now);
  const data = redact.data(given.data);
  const json = JSON.stringify(data);
  if (Buffer.byteLength(json) > RECORD_BOUNDS.dataBytes)
    return tooLarge('data', `${RECORD_BOUNDS.dataBytes} bytes of JSON`);
  const content = given.content === undefined ? json : redact.text(given.content);
  // The JSON of data is no text of the model's: as content it is cut, where it alone would be too long.
  if (given.content !== undefined && content.length > RECORD_BOUNDS.content) {
    return tooLarge('content', `${RECORD_BOUNDS.content} characters`);
  }
  const tags = [...new Set((given.tags ?? []).map((tag) => redact.text(tag, RECORD_BOUNDS.tag)))];
  const ids = {
    ...(context.threadId === undefined ? {} : { threadId: storedId(redact.text(context.threadId)) }),
    ...(context.runId === undefined ? {} : { runId: storedId(redact.text(context.runId)) }),
  };
  const record: MemoryRecord = {
    id: `mem_${newId()}`,
    namespace: context.namespace,
    kind: definition.kind,
    status: 'active',
    content: cutText(content, RECORD_BOUNDS.content),
    data,
    source: { type: context.source, id: 'remember', ...ids },
    confidence: given.confidence ?? 1,
    tags,
    createdAt: written,
    updatedAt: written,
    effectiveAt: written,
    ...(ttlMs === null ? {} : { expiresAt: formatInstant(now + ttlMs) }),
  };
  const about = definition.kind === 'semantic' ? identityOf(data, identityKeys(definition)) : undefined;
  return {
    record,
    text: searchedText(record, masker),
    traces: tracesOf(ids.threadId, ids.runId),
    ...(about === undefined ? {} : { identity: digestOf(about), about }),
  };
}

/** One transaction. `{ old }`: the host decides whether this one is replaced. */
async function apply(
  writing: MemoryWriting,
  context: RememberContext,
  made: Made,
  callId: string | undefined,
  answer: { readonly old: string; readonly allows: boolean } | undefined,
): Promise<RememberResult | { readonly old: StoredRecord }> {
  const { record } = made;
  const known = await writing.namespace(record.namespace);
  if (callId !== undefined && known !== undefined) {
    const before = await writing.call(known.no, callId);
    if (before !== undefined) return JSON.parse(before) as RememberResult;
  }
  const now = Date.parse(record.createdAt);
  const result =
    made.identity === undefined
      ? await append(writing, context, made)
      : await fact(writing, context, made, answer, now);
  if ('old' in result) return result;
  const namespace = await writing.namespace(record.namespace);
  if (namespace !== undefined) {
    await writing.prune(namespace.no, {
      now,
      ...(context.cap === null ? {} : { authoredCap: context.cap }),
      ...(context.runCap === null ? {} : { cap: context.runCap }),
    });
    if (callId !== undefined && result.id !== undefined) {
      await writing.setCall(namespace.no, callId, result.id, JSON.stringify(result));
    }
  }
  return result;
}

async function append(writing: MemoryWriting, { writes }: RememberContext, made: Made): Promise<RememberResult> {
  return writes === 'candidate' ? hold(writing, made) : add(writing, made);
}

/** The table of EPI-106. */
async function fact(
  writing: MemoryWriting,
  { writes }: RememberContext,
  made: Made,
  answer: { readonly old: string; readonly allows: boolean } | undefined,
  now: number,
): Promise<RememberResult | { readonly old: StoredRecord }> {
  const { record, identity = '', text } = made;
  const old = await activeFact(writing, record.namespace, identity, now);
  if (old === undefined) return writes === 'candidate' ? hold(writing, made) : add(writing, made);
  const { id } = old.record;
  if (isSameData(old.record, record)) {
    if (writes === 'candidate') return { status: 'known', text: `Already known ${id}.`, id };
    await refresh(writing, old, record, text, now);
    return { status: 'updated', text: `Updated memory ${id}.`, id };
  }
  if (writes === 'candidate') return hold(writing, made);
  if (writes === 'ask') {
    // Another one took its place while the host was asked: the question is put again.
    if (answer?.old !== id) return { old };
    if (!answer.allows) return { status: 'kept', text: `Kept ${id}; the change was denied.`, id };
  }
  await supersede(writing, old, made, now);
  return { status: 'superseded', text: `Superseded ${id} with ${record.id}.`, id: record.id };
}

async function add(writing: MemoryWriting, made: Made): Promise<RememberResult> {
  await writing.insert(made);
  return { status: 'stored', text: `Stored memory ${made.record.id}.`, id: made.record.id };
}

async function hold(writing: MemoryWriting, made: Made): Promise<RememberResult> {
  await writing.insert({ ...made, record: { ...made.record, status: 'candidate' } });
  const { id } = made.record;
  return { status: 'candidate', text: `Stored memory candidate ${id}, waiting for review.`, id };
}

/** Undefined: nobody to ask, or what was asked failed; then a person reviews it (EPI-106). */
async function decision(
  { ask, namespace }: RememberContext,
  made: Made,
  old: StoredRecord,
): Promise<boolean | undefined> {
  if (ask === undefined) return undefined;
  try {
    const answer = await ask({ namespace, identity: made.about ?? {}, old: old.record, new: made.record });
    return answer === 'allow' ? true : answer === 'deny' ? false : undefined;
  } catch {
    return undefined;
  }
}

function tooLarge(what: string, bound: string): string {
  return `Rejected: ${what}: it is over ${bound}. Remember less, or in several records.`;
}
