// Which memory a caller's own context leaves it (COM-50, EPI-17): an operator that acts for a person, or whose host fixed a
// context, has that context and no other; any other operator has all.
import { BackstoryError } from '../model/errors.ts';
import type { Caller, MemoryContext } from './face.ts';

/** An agent's namespace, exactly: not those that add dimensions to it. */
export interface OwnMemory {
  readonly agent: string;
  readonly namespace: string;
}

/** Undefined: none at all. */
export function memorySeenBy(caller: Caller, memory: MemoryContext | undefined): OwnMemory | 'all' | undefined {
  if (memory?.namespace !== undefined) return { agent: memory.agent, namespace: memory.namespace };
  const isWhole = caller.operator === true && caller.person === undefined && memory === undefined;
  return isWhole ? 'all' : undefined;
}

/** Throws `operator_required` for who has not all memory: `what` reaches more than one context. */
export function assertAllMemory(what: string, caller: Caller, memory: MemoryContext | undefined): void {
  if (memorySeenBy(caller, memory) !== 'all') throw notBound(what);
}

interface Named {
  readonly agent?: string;
  readonly namespace?: string;
}

/**
 * The input of an operator's operation on memory, within what the caller has. Throws `operator_required` for one that has
 * none, or names another.
 */
export function ofOwnMemory<Input extends Named>(
  what: string,
  caller: Caller,
  memory: MemoryContext | undefined,
  input: Input,
): Input & { readonly exactly?: true } {
  const seen = memorySeenBy(caller, memory);
  if (seen === 'all') return input;
  const isOther = (name: 'agent' | 'namespace'): boolean => input[name] !== undefined && input[name] !== seen?.[name];
  if (seen === undefined || isOther('agent') || isOther('namespace')) throw notBound(what);
  return { ...input, ...seen, exactly: true };
}

function notBound(what: string): BackstoryError {
  return new BackstoryError(
    'operator_required',
    `${what} beyond a memory context is for operators that are bound to none and act for no person.`,
    'Leave agent and namespace out, or call it as an operator that is not bound.',
  );
}
