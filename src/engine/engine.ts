// openBackstory(): wires the faces of an engine together. Only this folder names the SQLite backend.
import type { Caller } from '../access/caller.ts';
import { RetrievalEngine } from '../retrieval/index.ts';
import { type ArchiveFace, archiveFace } from './archive.ts';
import { type BackstoryOptions, EngineCore } from './core.ts';
import { type DoctorParams, type DoctorReport, doctor, type Patient } from './doctor.ts';
import { trySessions } from './doctor-trial.ts';
import { everything, type SearchEverything } from './everything.ts';
import { Host, type HostFace } from './host.ts';
import { type EpisodesFace, Memory } from './memory.ts';
import { type MemoryWatchFace, memoryWatch } from './memory-watch.ts';
import { Runs, type RunsFace } from './runs.ts';
import { type SessionsFace, sessionsFace } from './sessions.ts';
import { Sources, type SourcesFace } from './sources.ts';

export type { BackstoryOptions } from './core.ts';

/** An open engine. Two on one home, in one process or in several, are safe (SUR-10). */
export interface Backstory extends ArchiveFace {
  /** One question over sessions, episodes and run files, each within its own scope (SUR-60). */
  readonly search: SearchEverything;
  readonly sessions: HostFace & SessionsFace;
  readonly sources: SourcesFace;
  readonly episodes: EpisodesFace & MemoryWatchFace;
  readonly runs: RunsFace;
  /** Sources of knowledge bound to agents, asked together (run-files.md §7). */
  readonly retrieval: RetrievalEngine;
  /** Looks at every store, and tries everything in a scratch home (SUR-70). For operators. */
  doctor(caller: Caller, params?: DoctorParams): Promise<DoctorReport>;
  /** Other rules of who sees what, from the next call on; checked at once (VIS-11, VIS-15). */
  setVisibility(visibility: NonNullable<BackstoryOptions['visibility']>): void;
  /** What runs ends first. Called again it is the same closing. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens an engine; no store is opened before it is needed. Throws `config_invalid` for any bad setting (COM-42). */
export async function openBackstory(options: BackstoryOptions = {}): Promise<Backstory> {
  const core = new EngineCore(options);
  const sources: Sources = new Sources(core, () => host.reconcileAll());
  const host: Host = new Host(core, () => sources.reopener());
  const memory = new Memory(core);
  const runs = new Runs(core);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    core.closed = true;
    closing ??= closeAll([sources, host, memory, runs, core.stores]);
    return closing;
  };
  if (core.config.sessions.reconcileOnOpen) host.reconcileAll();
  const sessions = { ...host.face(), ...sessionsFace(core, sources, host) };
  const patient: Patient = {
    sources: sources.face(),
    reindex: (agentId) => sources.reindex(agentId),
    // Which route is meant is for a context to say: a look at the whole names none.
    memory: async () => (await memory.face().doctor()).findings.filter(({ code }) => code !== 'no_scope'),
    trial: async (home) => {
      const host = { env: {}, home, platform: core.host.platform };
      const other = await openBackstory({ ...options, home, host, sources: { syncOnSearch: false } });
      try {
        await trySessions(other.sessions, `w${core.newId().replaceAll('-', '')}`);
      } finally {
        await other.close();
      }
    },
  };
  return {
    ...archiveFace(core, host.context.stores, memory.stores),
    doctor: (caller, params) => doctor(core, caller, patient, params),
    search: everything(core, sessions, runs.face()),
    sessions,
    sources: sources.face(),
    episodes: { ...memory.face(), ...memoryWatch(core, memory.stores) },
    runs: runs.face(),
    retrieval: new RetrievalEngine(),
    setVisibility: (visibility) => core.setVisibility(visibility),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** In this order, each whatever became of those before it. Throws the first of their errors. */
async function closeAll(parts: readonly { close(): void | Promise<void> }[]): Promise<void> {
  const failed: unknown[] = [];
  for (const part of parts) {
    try {
      await part.close();
    } catch (error) {
      failed.push(error);
    }
  }
  if (failed.length > 0) throw failed[0];
}
