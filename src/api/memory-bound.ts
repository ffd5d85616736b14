// Which memory a caller's own context leaves it (COM-50, EPI-17): an operator that acts for a person, or whose host fixed a
// context, has that context and no other; any other operator has all.
import type { Caller, MemoryContext } from './face.ts';

/** An agent's namespace, exactly: not those that add dimensions to it. */
export interface OwnMemory {
  readonly agent: string;
  readonly namespace: string;
}

/** `all`, one namespace, or undefined: none. */
export function memorySeenBy(caller: Caller, memory: MemoryContext | undefined): OwnMemory | 'all' | undefined {
  if (memory?.namespace !== undefined) return { agent: memory.agent, namespace: memory.namespace };
  const isWhole = caller.operator === true && caller.person === undefined && memory === undefined;
  return isWhole ? 'all' : undefined;
}
