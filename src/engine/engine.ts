// openBackstory(): wires the faces of an engine together. Only this folder names the SQLite backend.
import { RetrievalEngine } from '../retrieval/index.ts';
import { type BackstoryOptions, EngineCore } from './core.ts';
import { everything, type SearchEverything } from './everything.ts';
import { Host, type HostFace } from './host.ts';
import { type EpisodesFace, Memory } from './memory.ts';
import { Runs, type RunsFace } from './runs.ts';
import { type SessionsFace, sessionsFace } from './sessions.ts';
import { Sources, type SourcesFace } from './sources.ts';

export type { BackstoryOptions } from './core.ts';

/** An open engine. Two on one home, in one process or in several, are safe (SUR-10). */
export interface Backstory {
  /** One question over sessions, episodes and run files, each within its own scope (SUR-60). */
  readonly search: SearchEverything;
  readonly sessions: HostFace & SessionsFace;
  readonly sources: SourcesFace;
  readonly episodes: EpisodesFace;
  readonly runs: RunsFace;
  /** Sources of knowledge bound to agents, asked together (run-files.md §7). */
  readonly retrieval: RetrievalEngine;
  /** Other rules of who sees what, from the next call on; checked at once (VIS-11, VIS-15). */
  setVisibility(visibility: NonNullable<BackstoryOptions['visibility']>): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens an engine; no store is opened before it is needed. Throws `config_invalid` for any bad setting (COM-42). */
export async function openBackstory(options: BackstoryOptions = {}): Promise<Backstory> {
  const core = new EngineCore(options);
  const sources = new Sources(core);
  const host = new Host(core);
  const memory = new Memory(core);
  const runs = new Runs(core);
  const close = async (): Promise<void> => {
    if (core.closed) return;
    core.closed = true;
    await sources.close();
    await host.close();
    await memory.close();
    await runs.close();
    await core.stores.close();
  };
  const sessions = { ...host.face(), ...sessionsFace(core, sources, host) };
  return {
    search: everything(core, sessions, runs.face()),
    sessions,
    sources: sources.face(),
    episodes: memory.face(),
    runs: runs.face(),
    retrieval: new RetrievalEngine(),
    setVisibility: (visibility) => core.setVisibility(visibility),
    close,
    [Symbol.asyncDispose]: close,
  };
}
