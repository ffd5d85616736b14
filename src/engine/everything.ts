// One question over all kinds of history: which faces are asked, and what each is given (SUR-60).
import type { Caller } from '../access/caller.ts';
import { BackstoryError } from '../model/errors.ts';
import { resolveTime, resolveWindow } from '../model/time.ts';
import { type EverythingResult, searchEverything } from '../retrieval/everything.ts';
import { checkNames, checkObject, invalidArgument } from '../sessions/page-checks.ts';
import type { EngineCore } from './core.ts';
import type { MemoryContext } from './memory-context.ts';
import type { RunsFace } from './runs.ts';
import type { SessionsFace } from './sessions.ts';

export interface EverythingParams {
  /** 1 to 4 096 characters; read alike for all kinds: every word must occur. */
  readonly query: string;
  readonly since?: string;
  readonly until?: string;
  /** 10 of 1–25; the library and operators 1–500. */
  readonly limit?: number;
  /** Only sessions of these agents. */
  readonly agents?: readonly string[];
  /** Also the files of this run, where RUN-77 allows it. */
  readonly run?: {
    readonly folder: string;
    readonly agent: string;
    readonly episode?: number;
    readonly conversation?: string;
  };
  /** How long the answer may wait for files to be read, in ms. */
  readonly waitMs?: number;
}

/** What no caller gives: the host's own. */
export interface EverythingOptions {
  /** Episodes of this context are asked too. */
  readonly memory?: MemoryContext;
  readonly signal?: AbortSignal;
  /** Also run folders outside the setting `runs.folders`: the command line's and the host's choice alone. */
  readonly anyRunFolder?: boolean;
}

const LIMIT = 10;
const NAMES = ['query', 'since', 'until', 'limit', 'agents', 'run', 'waitMs'];
const RUN_FIELDS = ['folder', 'agent', 'episode', 'conversation'];

export type SearchEverything = (
  caller: Caller,
  params: EverythingParams,
  options?: EverythingOptions,
) => Promise<EverythingResult>;

export function everything(core: EngineCore, sessions: SessionsFace, runs: RunsFace): SearchEverything {
  return async (caller, params, { memory, signal, anyRunFolder } = {}) => {
    core.assertOpen('search');
    checkNames(params, NAMES);
    if (typeof params.query !== 'string') {
      throw invalidArgument('query is not a text.', 'Give query the words to look for.', { parameter: 'query' });
    }
    const { query, agents, run, waitMs, limit = LIMIT } = params;
    checkRun(run);
    const at = { now: core.clock.now(), timeZone: core.config.timeZone };
    const { since, until } = params;
    const times = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
    const window = resolveWindow(times, at);
    const asked = { query, ...times, ...(agents ? { agents } : {}), ...(waitMs === undefined ? {} : { waitMs }) };
    const aborts = signal === undefined ? {} : { signal };
    return searchEverything(
      {
        sessions: (most, exact) => sessions.search(caller, { ...asked, limit: most, exact }),
        ...(memory?.namespace === undefined
          ? {}
          : { episodes: (most: number) => memory.recall({ query, ...times, limit: most }) }),
        ...(run === undefined
          ? {}
          : {
              run: (most: number) =>
                runs.search({ ...run, query, topK: most }, { ...aborts, ...(anyRunFolder ? { anyFolder: true } : {}) }),
            }),
      },
      { query, limit, ...window, instantOf: (time) => resolveTime(time, 'time', at), masker: core.masker },
    );
  };
}

function checkRun(run: EverythingParams['run']): void {
  if (run === undefined) return;
  checkObject(run, 'run');
  const unknown = Object.keys(run).find((name) => !RUN_FIELDS.includes(name));
  if (unknown === undefined && typeof run.folder === 'string' && typeof run.agent === 'string') return;
  throw new BackstoryError(
    'invalid_argument',
    unknown === undefined ? 'run lacks folder or agent.' : `run has no field ${JSON.stringify(unknown.slice(0, 80))}.`,
    'Give run as { folder, agent, episode?, conversation? }.',
    { details: { parameter: 'run' } },
  );
}
