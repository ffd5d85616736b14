// What a reader of one format must do: bytes on disk → entries, and nothing else (SRC-1). Knows no store and no format.
import type { BigIntStats } from 'node:fs';
import type { Clock } from '../model/clock.ts';
import type { Skipped, SkipReason } from '../model/coverage.ts';
import type { Pointer } from '../model/session.ts';

/** The machine as a reader sees it; `process.env` is never read by one (sources.md §1). */
export interface HostEnv {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/** One format at one root. `root` is a real path (SRC-9); `links`: further real roots reached by links directly below it. */
export interface Instance {
  readonly source: string;
  readonly root: string;
  readonly agentId: string;
  readonly how: 'default' | 'environment' | 'given';
}

/** A root that was looked for: an instance, or why there is none (SRC-3, SRC-4). */
export type Found =
  | { readonly instance: Instance }
  | {
      readonly source: string;
      readonly root: string;
      readonly problem: 'root_not_found' | 'root_unreadable' | 'present_but_unread' | 'no_reader';
      /** `default`: only looked for, nobody named it. */
      readonly how: Instance['how'];
      readonly detail?: string;
    };

export interface SessionRef {
  readonly native: string;
  /** A subagent's part (SRC-12, SRC-14). */
  readonly part?: string;
}

/** A file that holds, or may hold, entries. Found by `readdir` and `lstat` only. */
export interface PlannedFile {
  /** Below the instance's root, `/` as separator: the file's identity (sources.md §2). */
  readonly path: string;
  readonly absolute: string;
  /** Real folder it lies in, when a link directly below the instance's root led there (SRC-9). */
  readonly linked?: string;
  readonly stat: BigIntStats;
  readonly session: SessionRef;
  /** Kept by its product as closed or thrown away (SRC-120, SRC-140). */
  readonly archived?: true;
  /** Another rank than a plain file of the same session: the smaller wins (SRC-17). Default 0. */
  readonly rank?: number;
  /** Tells the format's own reader which of its layouts this is. */
  readonly layout: string;
  /**
   * Holds what is left of sessions whose own file is gone (SRC-100, SRC-120): nothing of it goes to a session that was
   * read from a file of its own, now or earlier. `besides`: native ids of sessions that have one now.
   */
  readonly remainder?: { readonly besides: ReadonlySet<string> };
}

export interface Plan {
  readonly files: readonly PlannedFile[];
  readonly skipped: readonly (Skipped & { readonly reason: SkipReason | string })[];
  /** False when a folder could not be listed: then nothing may be taken as deleted by the host (SRC-50). */
  readonly whole: boolean;
}

export type EntryKind =
  | 'prompt'
  | 'answer'
  | 'tool-call'
  | 'tool-result'
  | 'thinking'
  | 'summary'
  | 'injected'
  | 'image';

/**
 * One block of one message. Consecutive entries of one session with the same `id` are the blocks of one message, in
 * order; the same id again, later, replaces that message in place (SRC-24, SRC-161).
 */
export interface SourceEntry {
  readonly session: SessionRef;
  /** The native id, else the digest of SRC-13. Unique in its session. */
  readonly id: string;
  readonly kind: EntryKind;
  /** The native parent as recorded; absent for a root or where the format has none. */
  readonly parent?: string;
  /** Milliseconds since 1970 (SRC-28). */
  readonly at: number;
  readonly atGuessed?: true;
  /**
   * Equal in every file that holds a copy of this message (SRC-15, SRC-106, SRC-125). Absent: it is never a copy. A
   * digest of SRC-13 alone is not one: two sessions may begin with the same words.
   */
  readonly copyId?: string;
  /** Whole text of prompts, answers and summaries (SRC-20); of the rest only what `sources.toolInputChars` allows. */
  readonly text?: string;
  readonly tool?: { readonly id: string; readonly name: string; readonly input?: string };
  readonly media?: { readonly type: 'image' | 'file'; readonly mediaType?: string; readonly bytes: number };
  /** `file` is 0: who stores it puts the number of the file's row there. */
  readonly pointer: Pointer;
  /** Stored, but on no branch (OpenClaw's `appendMode: "side"`). */
  readonly aside?: true;
}

/**
 * What moves or ends a branch. The rule that reads them is the format's mode (SRC-31). `offset`: where its record stands
 * in the file, so that one that is read twice (a last line before and after its newline) counts once.
 */
export type Marker =
  | { readonly type: 'rolled-back'; readonly turns: number; readonly offset: number; readonly at: number }
  | { readonly type: 'rewound-to'; readonly id: string; readonly offset: number; readonly at: number }
  | { readonly type: 'leaf'; readonly target: string }
  | { readonly type: 'compacted' }
  | {
      readonly type: 'reset';
      readonly id: string;
      readonly parent?: string;
      readonly at: number;
      readonly reason?: string;
      readonly firstKept?: string;
    };

/** Attributes of a session (SRC-29). Of titles the best rank wins (0 before 1), within a rank the last. */
export interface SessionFacts {
  readonly cwd?: string;
  readonly slug?: string;
  readonly gitBranch?: string;
  readonly model?: string;
  readonly version?: string;
  readonly title?: { readonly text: string; readonly rank: number };
  readonly automation?: true;
  /** Put away by its product. */
  readonly archived?: true;
  readonly nativeKey?: string;
  readonly forkedFrom?: string;
  /** The parent's session, for a part or a spawned session (SRC-12). */
  readonly spawnedBy?: SessionRef;
  readonly author?: { readonly id: string; readonly name?: string };
}

/** Where a reader puts what it read. Calls are in the order of the file. */
export interface EntrySink {
  entry(entry: SourceEntry): void;
  /** A record without content of ours that the tree runs through: its id and its parent. */
  link(session: SessionRef, id: string, parent: string | undefined): void;
  mark(session: SessionRef, marker: Marker): void;
  facts(session: SessionRef, facts: SessionFacts): void;
  /** Takes back an entry that turned out to be a repetition (SRC-101 queued commands, SRC-121). */
  retract(session: SessionRef, id: string): void;
  /** Counts by name: `glued`, `torn`, `malformed`, `odd_shape`, `bad_utf8`, `text_cut`, `type:<unknown type>` … */
  count(what: string, line?: number): void;
  /** The file is read from its start: what is not given again is no longer in it (SRC-45). */
  restart(): void;
  /** One safe point (FILE-20): everything since the last one, and the state to go on from, belong together. */
  commit(state: Uint8Array): void | Promise<void>;
  /** Forget everything since the last commit. */
  rollback(): void;
}

export interface ReadOptions {
  /** What the last commit gave, if any. */
  readonly state: Uint8Array | undefined;
  /** `full` parses every line: the slow path (SRC-63). */
  readonly parse: 'fast' | 'full';
  /** Characters of a tool's arguments to keep, 0–16 384. */
  readonly toolInputChars: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Opens another product's database, read-only (SRC-46). */
  readonly openDatabase: (path: string) => ForeignDatabase;
  /** For a file of many sessions: false for one that a rule excludes (SRC-52). */
  readonly mayRead?: (session: {
    readonly session: string;
    readonly project?: string;
    readonly path?: string;
    readonly lastAt?: number;
  }) => boolean;
  /** Called as bytes pass by, for progress. */
  readonly onBytes?: (bytes: number) => void;
}

export interface ForeignDatabase {
  all(sql: string, ...params: readonly unknown[]): Record<string, unknown>[];
  close(): void;
}

export type ReadOutcome =
  | { readonly kind: 'same' | 'read' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'skipped'; readonly reason: SkipReason; readonly detail?: string };

/** Why a pointer could not be reopened (SRC-21). */
export type Reopened =
  | { readonly value: unknown }
  | { readonly reason: 'source_gone' | 'source_changed' | 'source_outside' };

export interface Source {
  readonly name: string;
  /** The product's name for people. */
  readonly title: string;
  /** Raised when the same bytes give other entries: files are read again (SRC-43). */
  readonly version: number;
  readonly agentId: string;
  readonly branches: 'strict' | 'prompts' | 'marked' | 'linear';
  /** Roots that exist or were named by the environment; given roots are checked the same way. */
  discover(host: HostEnv, given: readonly { readonly path: string; readonly agent?: string }[]): Promise<Found[]>;
  /** `readdir` and `lstat` only: no session file is opened. */
  plan(instance: Instance): Promise<Plan>;
  read(instance: Instance, file: PlannedFile, options: ReadOptions, out: EntrySink): Promise<ReadOutcome>;
  /** The value a pointer names, read from a file whose real path is below `roots` (SRC-21, SRC-22). */
  reopen(
    absolute: string,
    pointer: Pointer,
    roots: readonly string[],
    openDatabase: ReadOptions['openDatabase'],
  ): Promise<Reopened>;
  /** The words of the command that continues a session in its own agent (SRC-58); absent: it has none. */
  resume?(session: SessionRef): readonly string[] | undefined;
  /** Where a single transcript of this file name stands below a root; undefined for a name that is none (SES-156). */
  transcriptPath?(name: string): string | undefined;
  /** Days after which the product deletes its own files, if it does (SRC-51). */
  keepsDays?(instance: Instance): Promise<number | undefined>;
}
