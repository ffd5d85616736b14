// What every face of an open engine stands on: settings, clock, maskers, stores, and whether it is still open.
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Caller } from '../access/caller.ts';
import type { VisibilityPolicy } from '../access/policy.ts';
import {
  CALL_SCOPES,
  type CallScope,
  conditionIn,
  descendantsIn,
  type Scope,
  scopeFor,
  withoutDescendants,
  withReach,
} from '../access/scope.ts';
import { type BackstoryConfig, type ResolvedConfig, readConfig } from '../config/index.ts';
import type { Logger } from '../episodes/health.ts';
import { type Clock, type NewId, systemClock, systemNewId } from '../model/clock.ts';
import { BackstoryError, isBackstoryError } from '../model/errors.ts';
import { failClosed } from '../redact/fail-closed.ts';
import type { Masker } from '../redact/masker.ts';
import { maskerFor } from '../redact/settings.ts';
import { checkOneOf } from '../sessions/page-checks.ts';
import type { PagedContext } from '../sessions/page-context.ts';
import { preparerOf } from '../sessions/prepare.ts';
import type { HostEnv, Source } from '../sources/contract.ts';
import { builtInSources } from '../sources/index.ts';
import type { AgentStore, StoreSet } from '../store/contract.ts';
import { makeFolder } from '../store/sqlite/database.ts';
import { openSqliteStores } from '../store/sqlite/store-set.ts';
import { TOKENIZER_ID } from '../text/index.ts';

/** The settings of COM-40, taken flat, and what a host may replace. */
export interface BackstoryOptions extends BackstoryConfig {
  readonly clock?: Clock;
  readonly newId?: NewId;
  /** Environment, home folder and platform that sources are looked for in; default: this process's. */
  readonly host?: HostEnv;
  /** Where lines for people go; default: standard error. */
  readonly logger?: Logger;
  /** Folder of the host's project: its name is the default workspace, its routes keep definitions (EPI-13). Default: the working folder. */
  readonly project?: string;
}

const MASKER_FAILED =
  'A rule of masking.rules failed: texts it failed for are left out (masker_failed). Mend the rule, and sync again.';

const STANDARD_ERROR: Logger = { warn: (message) => void process.stderr.write(`${message}\n`) };

/** Where a home keeps its sessions. */
export function placeOfStores({ home, busyTimeoutMs }: Pick<ResolvedConfig, 'home' | 'busyTimeoutMs'>): {
  readonly folder: string;
  readonly catalogue: string;
  readonly busyTimeoutMs: number;
} {
  return { folder: join(home, 'agents'), catalogue: join(home, 'catalogue.db'), busyTimeoutMs };
}

export class EngineCore {
  readonly config: ResolvedConfig;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly host: HostEnv;
  readonly logger: Logger;
  readonly project: string;
  readonly sources: readonly Source[];
  readonly stores: StoreSet;
  readonly masker: Masker;
  readonly prepare: ReturnType<typeof preparerOf>;
  readonly fingerprint: string;
  /** Who sees what: as configured, until the host sets another (VIS-15). */
  visibility: VisibilityPolicy;
  /** Whether this process holds an incognito session of this key; the host face says. */
  isIncognito: (key: string) => boolean = () => false;
  closed = false;
  #maskerIsBroken = false;
  #cursorKey: Uint8Array | undefined;

  constructor(options: BackstoryOptions) {
    const { clock = systemClock, newId = systemNewId, host, logger, project, ...settings } = options;
    this.clock = clock;
    this.newId = newId;
    this.host = host ?? { env: process.env, home: homedir(), platform: process.platform };
    this.logger = logger ?? STANDARD_ERROR;
    this.project = project ?? process.cwd();
    const readers = (settings.sources?.readers ?? []) as readonly Source[];
    this.sources = [...builtInSources, ...readers];
    const names = this.sources.map(({ name }) => name);
    this.config = readConfig({ options: settings, env: this.host.env, home: this.host.home }, { sources: names });
    this.visibility = this.config.visibility;
    this.masker = failClosed(maskerFor(this.config.masking), () => this.#maskerFailed());
    this.prepare = preparerOf(this.masker);
    this.fingerprint = `${TOKENIZER_ID} ${this.masker.fingerprint}`;
    this.stores = openSqliteStores(placeOfStores(this.config));
  }

  // Once: a rule that fails for one text fails for many.
  #maskerFailed(): void {
    if (!this.#maskerIsBroken) this.logger.warn(`backstory: masker_failed: ${MASKER_FAILED}`);
    this.#maskerIsBroken = true;
  }

  /** Sentences for the coverage of every answer. */
  get warnings(): readonly string[] {
    return this.#maskerIsBroken ? [MASKER_FAILED] : [];
  }

  /** From the next call on; a call that runs goes on with the one it began with (VIS-15). Throws `config_invalid`. */
  setVisibility(visibility: NonNullable<BackstoryConfig['visibility']>): void {
    this.assertOpen('setVisibility');
    this.visibility = readConfig({ options: { visibility } }).visibility;
  }

  assertOpen(method: string): void {
    if (!this.closed) return;
    throw new BackstoryError('closed', `The engine was closed before ${method}().`, 'Open it again.');
  }

  /** What a read of sessions needs besides the stores: the caller's scope, decided first, by one policy (VIS-15). */
  async reading(caller: Caller, call?: CallScope): Promise<Omit<PagedContext, 'stores' | 'failed'>> {
    checkOneOf('scope', call, CALL_SCOPES);
    const { projectAliases } = this.config.sources;
    const decided = scopeFor(caller, this.visibility, call);
    const { sessionKey } = caller;
    // Only its own process knows that a session without a reserved name is incognito (SES-15).
    const scope = sessionKey !== undefined && this.isIncognito(sessionKey) ? withoutDescendants(decided) : decided;
    return {
      caller,
      scope: withReach(scope, await this.stores.reach(descendantsIn(scope))),
      masker: this.masker,
      warnings: () => this.warnings,
      clock: this.clock,
      timeZone: this.config.timeZone,
      cursorKey: () => this.cursorKey(),
      projectsOf: (project) => projectsNamed(project, projectAliases),
      openStore: (agentId) => this.stores.open(agentId),
    };
  }

  /**
   * The stores that may hold something in scope, and of these `only` some agents' (VIS-43). One that cannot be opened is
   * left out and named; the rest answers (SES-75).
   */
  async openAll(scope: Scope, only?: readonly string[]): Promise<Pick<PagedContext, 'stores' | 'failed'>> {
    const stores: AgentStore[] = [];
    const failed: { agentId: string; reason: string }[] = [];
    // What is no list is refused where the parameters are read.
    const named = Array.isArray(only) ? only : undefined;
    for (const agentId of await this.stores.agents()) {
      if (named !== undefined && !named.includes(agentId)) continue;
      if (conditionIn(scope, agentId).kind === 'nothing') continue;
      try {
        const store = await this.stores.open(agentId);
        if (store) stores.push(store);
      } catch (error) {
        if (!isBackstoryError(error)) throw error;
        failed.push({ agentId, reason: error.code });
      }
    }
    return { stores, failed };
  }

  // Signs cursors: random, made once per home, readable by its owner only. Where it cannot be kept (a full disk, a home that
  // may only be read) it is this process's own: its cursors end with it, and no search fails for want of a key.
  cursorKey(): Uint8Array {
    this.#cursorKey ??= keptKey(this.config.home) ?? randomBytes(KEY_BYTES);
    return this.#cursorKey;
  }
}

const KEY_BYTES = 32;

function keptKey(home: string): Uint8Array | undefined {
  const path = join(home, 'cursor.key');
  const beside = `${path}.${process.pid}`;
  const read = (): Uint8Array | undefined => {
    const key = existsSync(path) ? readFileSync(path) : undefined;
    return key?.length === KEY_BYTES ? key : undefined;
  };
  try {
    const known = read();
    if (known !== undefined) return known;
    makeFolder(home);
    // One that was cut off, by a kill or a full disk, would sign for anybody: it is made anew, whole or not at all.
    writeFileSync(beside, randomBytes(KEY_BYTES), { mode: 0o600 });
    if (existsSync(path)) renameSync(beside, path);
    // The first of several processes stays.
    else linkSync(beside, path);
  } catch {
    // Another process was faster, or nothing can be written: seen below.
  }
  try {
    rmSync(beside, { force: true });
    return read();
  } catch {
    return undefined;
  }
}

// What an alias names is the same folder, recorded before and after it moved (SRC-29).
function projectsNamed(project: string, aliases: Readonly<Record<string, string>>): readonly string[] {
  const names = new Set([project]);
  for (const [from, to] of Object.entries(aliases)) {
    if (to === project) names.add(from);
    if (from === project) names.add(to);
  }
  return [...names];
}
