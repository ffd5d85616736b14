// The engine as a library gives it: with the operations as tools for a model besides (SUR-11). The engine itself knows no
// operation.
import { type BackstoryOptions, type Backstory as Engine, openBackstory as openEngine } from '../engine/engine.ts';
import type { Caller } from './face.ts';
import { type Tool, toolsOf } from './tools.ts';

/** An open engine. Two on one home, in one process or in several, are safe (SUR-10). */
export interface Backstory extends Engine {
  /**
   * Tools for an agent host, bound to a caller that no model can change; all of them, or those of these names. Throws
   * `caller_invalid`, and `invalid_argument` for a name there is no tool of.
   */
  tools(caller: Caller, names?: readonly string[]): Tool[];
}

/** Opens an engine; no store is opened before it is needed. Throws `config_invalid` for any bad setting (COM-42). */
export async function openBackstory(options: BackstoryOptions = {}): Promise<Backstory> {
  const engine = await openEngine(options);
  return { ...engine, tools: (caller, names) => toolsOf(engine, caller, names) };
}
