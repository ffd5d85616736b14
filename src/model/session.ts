// The nouns of a transcript as callers see them: sessions, windows, messages, blocks, hits (sessions.md §1, §5, §6).

export const SESSION_KINDS = [
  'main',
  'subagent',
  'acp',
  'cron',
  'hook',
  'imported',
  'direct',
  'group',
  'other',
] as const;
/** SES-3. */
export type SessionKind = (typeof SESSION_KINDS)[number];

export type Role = 'user' | 'assistant' | 'system' | 'tool';

/** What a searched text is: said by one of the two, or given back by a tool, or thought (SES-45, SES-70). */
export const SEARCHED_ROLES = ['user', 'assistant', 'tool', 'thinking'] as const;
export type SearchedRole = (typeof SEARCHED_ROLES)[number];

/** What a reader of files knows about an imported session (SRC-29). */
export interface Origin {
  readonly source: string;
  readonly root?: string;
  /** First recorded working directory. Text only: never opened (SRC-7). */
  readonly project?: string;
  readonly projects?: readonly string[];
  /** The folder's name when no working directory was recorded; never decoded into a path (SRC-8). */
  readonly slug?: string;
  readonly gitBranch?: string;
  readonly model?: string;
  readonly version?: string;
  readonly file?: string;
  readonly archived?: true;
  readonly automation?: true;
  readonly nativeId?: string;
  readonly nativeKey?: string;
  readonly forkedFrom?: string;
  /** Milliseconds since 1970 when the host's file was first found missing (SRC-50). */
  readonly hostGone?: number;
  /** Its file was gone before it was read: only typed prompts are left of it (SRC-100, SRC-120). */
  readonly promptsOnly?: true;
}

/** Where a value stands in a host's file, so that it need not be copied (SRC-21). `digest`: first 16 hex digits of SHA-256. */
export type Pointer =
  | {
      readonly file: number;
      readonly offset: number;
      readonly length: number;
      readonly path: readonly (string | number)[];
      readonly digest: string;
    }
  | {
      readonly file: number;
      readonly table: string;
      readonly row: number | string;
      readonly path: readonly (string | number)[];
      readonly digest: string;
    };

/** A block's JSON as its host wrote it, or where it lies apart from the message's row: its place there (SES-13). */
export type HostJson = string | number;

/**
 * A block as it is stored. Values of tools and reasoning may be pointers into the host's file (sources.md §3), or the
 * block that a host appended, whole; of a text block that has more fields, those.
 */
export type StoredBlock =
  | { readonly type: 'text'; readonly text: string; readonly host?: string }
  | { readonly type: 'reasoning'; readonly pointer?: Pointer; readonly text?: string; readonly host?: HostJson }
  | {
      readonly type: 'tool_call';
      readonly id: string;
      readonly name: string;
      readonly input?: string;
      readonly pointer?: Pointer;
      readonly host?: HostJson;
    }
  | {
      readonly type: 'tool_result';
      readonly id: string;
      readonly pointer?: Pointer;
      readonly text?: string;
      readonly host?: HostJson;
    }
  | {
      readonly type: 'image' | 'file';
      readonly mediaType?: string;
      readonly bytes?: number;
      readonly host?: HostJson;
    }
  | { readonly type: 'other'; readonly name: string; readonly host?: HostJson }
  /** What a marker of ours holds: the reason of a reset, the data of a custom entry. */
  | { readonly type: 'data'; readonly host: HostJson };

/** A cut of one block: how much was shown of how much, and how to fetch the rest (SES-112, SES-113). */
export type Cut =
  | {
      readonly shown: number;
      readonly total: number;
      readonly next?: { readonly block: number; readonly from: number };
    }
  | { readonly reason: 'binary' | 'source_gone' | 'source_changed' | 'source_outside' };

/** A block as history shows it (SES-111, SES-112). */
export interface ShownBlock {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly mediaType?: string;
  readonly bytes?: number;
  readonly cut?: Cut;
  readonly redacted?: true;
}

/** One displayed entry of a page of history (SES-101). */
export interface HistoryEntry {
  readonly type: 'message' | 'reset' | 'rewind' | 'switch' | 'compaction' | 'custom' | 'erased';
  readonly sessionId: string;
  readonly messageId: string;
  readonly role?: Role;
  readonly timestamp: string;
  readonly atGuessed?: true;
  /** Who said it, in a group; the name masked (SES-140). */
  readonly author?: { readonly id: string; readonly name?: string };
  /** Of a reset (SES-50). */
  readonly reason?: string;
  /** On the branch, but a compaction replaced it in the model's context (sources.md §4). */
  readonly shadowed?: true;
  readonly blocks: readonly ShownBlock[];
}

/** One match. Its three ids reopen it (SES-71, SES-72). */
export interface Hit {
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly messageId: string;
  readonly timestamp: string;
  readonly role: SearchedRole;
  readonly excerpt: string;
  /** Where the excerpt begins in the message's masked text, in characters; absent: 0. */
  readonly excerptFrom?: number;
  readonly ranges: readonly (readonly [number, number])[];
  readonly score: number;
  readonly missing?: readonly string[];
  readonly agentId: string;
  readonly kind: SessionKind;
  readonly title?: string;
  readonly source?: string;
  readonly project?: string;
  readonly archived?: true;
  readonly redacted?: true;
  readonly stale?: true;
  readonly inCurrentView: boolean;
  readonly alsoIn?: { readonly sessionKeys: readonly string[]; readonly count: number };
}

/** One row of a list of sessions (SES-130). */
export interface SessionRow {
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly kind: SessionKind;
  readonly title?: string;
  readonly createdAt: string;
  readonly lastAt: string;
  /** Messages on the active branch. */
  readonly messages: number;
  readonly archived: boolean;
  readonly stale: boolean;
  readonly spawnedBy?: string;
  readonly origin?: Origin;
}
