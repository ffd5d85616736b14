// A memory context as a host holds it: recorder, recall, timeline, remember, and tools for the model with all of that
// bound in (SUR-11). Where the scope is missing, reads throw and tools say so; nothing broader is used (EPI-14).
import type { ResolvedMemory } from '../config/index.ts';
import { tellUnavailable } from '../episodes/answer-text.ts';
import { type ResolvedContext, scopeUnresolved } from '../episodes/context.ts';
import { eventDefinition, type MemoryDefinition } from '../episodes/define.ts';
import type { Logger } from '../episodes/health.ts';
import { type RecallContext, type RecallResult, recallRecords } from '../episodes/recall.ts';
import type { RecallOptions } from '../episodes/recall-options.ts';
import { RECALL_TOOL, RECALL_TOOL_SCHEMA, type RecallToolResult, runRecallTool } from '../episodes/recall-tool.ts';
import { makeRecorder, type Recorder } from '../episodes/recorder.ts';
import type { Recording } from '../episodes/recording.ts';
import { type CallOptions, type RememberResult, rememberRecord, writesOff } from '../episodes/remember.ts';
import { type RememberArguments, rememberSchema } from '../episodes/remember-input.ts';
import { memoryTimeline, type TimelineOptions, type TimelineResult } from '../episodes/timeline.ts';
import type { Clock, NewId } from '../model/clock.ts';
import { isBackstoryError } from '../model/errors.ts';
import type { Masker } from '../redact/masker.ts';
import type { MemoryStore } from '../store/memory.ts';

export interface MemoryContext {
  readonly agent: string;
  /** Absent: unavailable, since a declared dimension has no value. */
  readonly namespace?: string;
  readonly recorder: Recorder;
  /** What happened, and when (EPI-70). Throws `scope_unresolved` and argument errors. */
  recall(options?: RecallOptions): Promise<RecallResult>;
  /** Exact counts (EPI-95). */
  timeline(options?: TimelineOptions): Promise<TimelineResult>;
  /** Stores what the definition's schema takes; without a definition `{ event }`. Throws `writes_off`, `scope_unresolved`. */
  remember(
    args: Partial<RememberArguments>,
    call?: CallOptions & { readonly by?: 'tool' | 'user' },
  ): Promise<RememberResult>;
  /** For the model. `remember` is there when a definition is and writes are not off. */
  tools(): MemoryTools;
}

export interface MemoryTools {
  readonly recall: MemoryTool<RecallToolResult>;
  readonly remember?: MemoryTool<RememberToolResult>;
}

/** A tool in no framework's words. `execute` never throws. */
export interface MemoryTool<Result> {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  execute(args: unknown, call?: CallOptions): Promise<Result>;
}

export type RememberToolResult =
  | RememberResult
  | { readonly status: 'unavailable'; readonly text: string; readonly code: string }
  | {
      readonly status: 'error';
      readonly text: string;
      readonly code: string;
      readonly message: string;
      readonly hint: string;
    };

export interface MemoryParts {
  readonly settings: ResolvedMemory;
  readonly timeZone: string;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly masker: Masker;
  readonly logger: Logger;
  readonly cursorKey: () => Uint8Array;
  readonly recording: Recording;
  readonly openStore: (create: boolean) => Promise<MemoryStore | undefined>;
  readonly assertOpen: (method: string) => void;
}

export function memoryContext(resolved: ResolvedContext, parts: MemoryParts): MemoryContext {
  const { namespace, agentId, missing } = resolved;
  const { settings, clock, newId, masker, timeZone, recording } = parts;

  const reading = async (method: string): Promise<RecallContext> => {
    parts.assertOpen(`memory.${method}`);
    if (namespace === undefined) throw scopeUnresolved(missing);
    const store = await parts.openStore(false);
    return { agentId, namespace, store, clock, timeZone, settings: settings.recall, cursorKey: parts.cursorKey };
  };

  const remember: MemoryContext['remember'] = async (args, given) => {
    const { by = 'tool', ...call } = given ?? {};
    parts.assertOpen('memory.remember');
    if (namespace === undefined) throw scopeUnresolved(missing);
    if (settings.writes === 'off') throw writesOff();
    const store = await parts.openStore(true);
    return rememberRecord(
      {
        namespace,
        definition: resolved.definition ?? eventDefinition(settings.scope),
        writes: settings.writes,
        ask: resolved.ask,
        threadId: resolved.threadId,
        runId: resolved.runId,
        source: by,
        store: store!,
        clock,
        newId,
        masker,
        ttlMs: settings.authored.ttlMs,
        cap: settings.authored.cap,
        runCap: settings.episodes.cap,
        masked: (count) => recording.health.add('masked', count),
      },
      args,
      call,
    );
  };

  return {
    agent: agentId,
    ...(namespace === undefined ? {} : { namespace }),
    recorder: makeRecorder({
      namespace,
      settings,
      clock,
      newId,
      timeZone,
      masker,
      recording,
      openStore: () => parts.openStore(false),
    }),
    recall: async (options = {}) => recallRecords(await reading('recall'), options),
    timeline: async (options = {}) => memoryTimeline(await reading('timeline'), options),
    remember,
    tools: () => ({
      recall: {
        ...RECALL_TOOL,
        inputSchema: RECALL_TOOL_SCHEMA,
        execute: (args) => runRecallTool(() => reading('recall'), args),
      },
      ...(resolved.definition === undefined || settings.writes === 'off'
        ? {}
        : { remember: rememberTool(resolved.definition, remember) }),
    }),
  };
}

function rememberTool(
  definition: MemoryDefinition,
  remember: MemoryContext['remember'],
): MemoryTool<RememberToolResult> {
  return {
    name: 'remember',
    description: definition.description ?? DESCRIPTIONS[definition.kind],
    inputSchema: rememberSchema(definition),
    async execute(args, call) {
      try {
        return await remember(
          args as Partial<RememberArguments>,
          call?.toolCallId === undefined ? {} : { toolCallId: call.toolCallId },
        );
      } catch (error) {
        return failureOf(error);
      }
    },
  };
}

function failureOf(error: unknown): RememberToolResult {
  if (!isBackstoryError(error)) {
    return { status: 'unavailable', text: tellUnavailable({ code: 'internal' }), code: 'internal' };
  }
  const { code, message, hint, details } = error;
  if (code === 'scope_unresolved') {
    return {
      status: 'unavailable',
      text: tellUnavailable({ dimensions: details?.dimensions as readonly string[] }),
      code,
    };
  }
  if (code === 'closed' || code.startsWith('store_')) {
    return { status: 'unavailable', text: tellUnavailable({ code }), code };
  }
  return { status: 'error', text: `${message} ${hint}`, code, message, hint };
}

const DESCRIPTIONS: Readonly<Record<MemoryDefinition['kind'], string>> = {
  episodic: 'Remembers an event for later runs. Every call is a record of its own; nothing is replaced.',
  semantic: 'Remembers a fact for later runs. A fact about the same thing replaces the one before it.',
  reflection: 'Remembers an insight for later runs.',
};
