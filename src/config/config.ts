// The shape of the configuration: what a host passes and what a config file exports (COM-40). Holds no rule and no default.
import type { MaskingConfig, ResolvedMasking } from './masking.ts';
import type { MemoryConfig, ResolvedMemory } from './memory.ts';

/** A root besides the found ones (SRC-10). */
export interface RootSetting {
  readonly source: string;
  readonly path: string;
  readonly agent?: string;
}

/** What is never read, and deleted where it had been (SRC-52). Times are expressions of COM-10. */
export interface ExcludeSetting {
  readonly source?: string;
  readonly project?: string;
  readonly path?: string;
  readonly session?: string;
  readonly since?: string;
  readonly until?: string;
}

/** A reader of a third party, as far as it can be told here (SRC-6); the folder of sources has the whole contract. */
export interface ReaderSetting {
  readonly name: string;
}

/** Who may see which agent's sessions (VIS-12): a direction, or a string that both agents match some of. */
export type AllowSetting = string | { readonly from: string; readonly to: string; readonly mutual?: boolean };

/** Who sees which sessions (VIS-10). What is absent has its default, or inherits. */
export interface VisibilitySetting {
  readonly visibility?: 'all' | 'agent' | 'tree' | 'self';
  readonly agentToAgent?: { readonly enabled?: boolean; readonly allow?: readonly AllowSetting[] };
  readonly sandbox?: { readonly sessions?: 'spawned' | 'all' };
  readonly people?: 'narrow' | 'require';
}

/** For `satisfies`. Everything may be left out. */
export interface BackstoryConfig {
  readonly home?: string;
  readonly timeZone?: string;
  readonly busyTimeoutMs?: number;
  readonly masking?: MaskingConfig;
  readonly memory?: MemoryConfig;
  /** Rules for all callers, and those of requesting agents, by id or pattern (VIS-13). */
  readonly visibility?: VisibilitySetting & { readonly agents?: Readonly<Record<string, VisibilitySetting>> };
  readonly sessions?: {
    readonly maskAtRest?: boolean;
    readonly index?: { readonly extra?: readonly ('tools' | 'thinking')[] };
    readonly reconcileOnOpen?: boolean;
  };
  readonly runs?: { readonly folders?: readonly string[] };
  readonly sources?: {
    readonly roots?: readonly RootSetting[];
    readonly exclude?: readonly ExcludeSetting[];
    readonly projectAliases?: Readonly<Record<string, string>>;
    readonly toolInputChars?: number;
    readonly parse?: 'fast' | 'full';
    readonly syncOnSearch?: boolean;
    readonly onHostDelete?: 'keep' | 'erase';
    readonly formats?: Readonly<Record<string, { readonly enabled?: boolean; readonly roots?: readonly string[] }>>;
    readonly readers?: readonly ReaderSetting[];
  };
}

/** The same with every default filled in. */
export interface ResolvedConfig extends Omit<BackstoryConfig, 'masking' | 'memory'> {
  readonly home: string;
  readonly timeZone: string;
  readonly busyTimeoutMs: number;
  readonly masking: ResolvedMasking;
  readonly memory: ResolvedMemory;
  /** As given: each absent field has the default of VIS-10. */
  readonly visibility: NonNullable<BackstoryConfig['visibility']>;
  readonly sessions: {
    readonly maskAtRest: boolean;
    readonly index: { readonly extra: readonly ('tools' | 'thinking')[] };
    readonly reconcileOnOpen: boolean;
  };
  readonly runs: { readonly folders: readonly string[] };
  readonly sources: {
    readonly roots: readonly RootSetting[];
    readonly exclude: readonly ExcludeSetting[];
    readonly projectAliases: Readonly<Record<string, string>>;
    readonly toolInputChars: number;
    readonly parse: 'fast' | 'full';
    readonly syncOnSearch: boolean;
    readonly onHostDelete: 'keep' | 'erase';
    readonly formats: Readonly<Record<string, { readonly enabled: boolean; readonly roots: readonly string[] }>>;
    readonly readers: readonly ReaderSetting[];
  };
}
