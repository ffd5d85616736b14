// A memory to ask: an in-memory or on-disk store, records written straight into it, and the context that recall is given.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RecallContext, type RecallResult, recallRecords } from '../../../src/episodes/recall.ts';
import type { RecallOptions } from '../../../src/episodes/recall-options.ts';
import { searchedText } from '../../../src/episodes/record-text.ts';
import type { JsonObject, MemoryRecord, Outcome } from '../../../src/model/episode.ts';
import { runRecordId, traceOf } from '../../../src/model/episode-ids.ts';
import { Masker } from '../../../src/redact/masker.ts';
import type { MemoryStore, MemoryStores, NewRecord } from '../../../src/store/memory.ts';
import { openSqliteMemories } from '../../../src/store/sqlite/memory-set.ts';

export const NAMESPACE = 'workspace=app|route=/a';
export const NOW: number = Date.parse('2026-08-10T18:00:00.000Z');
export const HOUR = 3_600_000;
export const DAY: number = 24 * HOUR;

export interface RunSpec {
  readonly id?: string;
  /** Event time; default: now. */
  readonly at?: number | string;
  readonly outcome?: Outcome;
  readonly tools?: readonly string[];
  readonly threadId?: string;
  readonly runId?: string;
  readonly data?: JsonObject;
  readonly tags?: readonly string[];
  readonly namespace?: string;
  readonly status?: MemoryRecord['status'];
  readonly kind?: MemoryRecord['kind'];
  readonly confidence?: number;
  readonly expiresAt?: number | null;
  readonly source?: MemoryRecord['source'];
  readonly content?: string;
  readonly createdAt?: number;
  readonly derivedFrom?: readonly string[];
}

export interface Memory {
  /** The clock that the context reads; tests move it. */
  now: number;
  timeZone: string;
  readonly stores: MemoryStores;
  readonly store: MemoryStore;
  readonly folder: string | undefined;
  context(changes?: Partial<RecallContext>): RecallContext;
  /** A run's record, as the recorder would write it. Returns its id. */
  run(input: string, spec?: RunSpec): Promise<string>;
  runs(inputs: readonly (readonly [input: string, spec?: RunSpec])[]): Promise<string[]>;
  /** What remember would write. */
  event(content: string, spec?: RunSpec): Promise<string>;
  recall(options?: RecallOptions, changes?: Partial<RecallContext>): Promise<RecallResult>;
  /** Contents found, in order. */
  contents(options?: RecallOptions): Promise<string[]>;
  close(): Promise<void>;
}

let made = 0;

export async function makeMemory(kind: 'memory' | 'disk' = 'memory'): Promise<Memory> {
  const folder = kind === 'disk' ? mkdtempSync(join(tmpdir(), 'recall-')) : undefined;
  const stores = openSqliteMemories(folder === undefined ? {} : { folder });
  const store = (await stores.open('main', { create: true }))!;
  const insert = async (records: readonly NewRecord[]): Promise<void> => {
    await store.write(async (writing) => {
      for (const record of records) {
        if (!(await writing.insert(record))) throw new Error(`the id ${record.record.id} is taken`);
      }
    });
  };
  const memory: Memory = {
    now: NOW,
    timeZone: 'UTC',
    stores,
    store,
    folder,
    context: (changes = {}) => ({
      agentId: 'main',
      namespace: NAMESPACE,
      store,
      clock: { now: () => memory.now, elapsed: () => performance.now() },
      timeZone: memory.timeZone,
      settings: {
        limit: 8,
        collapse: false,
        recencyHalfLifeMs: 14 * DAY,
        recencyWeight: 0.25,
        confidenceWeight: 0.1,
      },
      cursorKey: () => new Uint8Array(32),
      ...changes,
    }),
    async runs(inputs) {
      const records = inputs.map(([input, spec]) => runRecord(input, memory.now, spec));
      await insert(records);
      return records.map(({ record }) => record.id);
    },
    run: async (input, spec) => (await memory.runs([[input, spec ?? {}]]))[0]!,
    async event(content, spec = {}) {
      const { outcome: _, data = { event: content }, ...rest } = spec;
      const record = runRecord(content, memory.now, {
        source: { type: 'tool', id: 'remember' },
        content,
        expiresAt: null,
        ...rest,
        data,
      });
      await insert([record]);
      return record.record.id;
    },
    recall: (options = {}, changes = {}) => recallRecords(memory.context(changes), options),
    contents: async (options = {}) => (await memory.recall(options)).records.map(({ content }) => content),
    async close() {
      await stores.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
  return memory;
}

function runRecord(input: string, now: number, spec: RunSpec = {}): NewRecord {
  const { outcome = 'ok', tools = [], threadId, runId, namespace = NAMESPACE, kind = 'episodic' } = spec;
  const at = typeof spec.at === 'string' ? Date.parse(spec.at) : (spec.at ?? now);
  const isRun = spec.source === undefined;
  const made = isRun
    ? {
        input,
        outcome,
        toolsUsed: [...tools],
        durationMs: 1400,
        ...(threadId === undefined ? {} : { threadId }),
        ...(runId === undefined ? {} : { runId }),
        ...(outcome === 'error' ? { errorClass: 'Error', errorMessage: 'failed' } : {}),
      }
    : {};
  const data: JsonObject = { ...made, ...spec.data };
  const createdAt = spec.createdAt ?? Math.max(at, now);
  const expiresAt = spec.expiresAt === undefined ? at + 30 * DAY : spec.expiresAt;
  const record: MemoryRecord = {
    id: spec.id ?? (runId === undefined ? newId() : runRecordId(namespace, runId, 1)),
    namespace,
    kind,
    status: spec.status ?? 'active',
    content: spec.content ?? `run ${outcome}: ${input} (${tools.length} tools, 1.4s)`,
    data,
    source: spec.source ?? { type: 'run', id: runId ?? threadId ?? new Date(at).toISOString() },
    confidence: spec.confidence ?? 1,
    tags: spec.tags ?? [],
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(createdAt).toISOString(),
    effectiveAt: new Date(at).toISOString(),
    ...(expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    ...(spec.derivedFrom === undefined ? {} : { derivedFrom: spec.derivedFrom }),
  };
  const traces = [
    ...(threadId === undefined ? [] : [traceOf('thread', threadId)]),
    ...(runId === undefined ? [] : [traceOf('run', runId)]),
  ];
  return { record, text: searchedText(record, Masker.credentials()), traces };
}

function newId(): string {
  return `ep_${String(++made).padStart(8, '0')}`;
}
