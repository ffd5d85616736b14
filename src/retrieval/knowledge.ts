// Which sources of knowledge a class of agents declares: a standard class decorator, also callable as a function
// (RUN-33). Knows no retriever.
import { BackstoryError } from '../model/errors.ts';
import { checkedTopK } from '../model/retrieval.ts';
import { shownValue } from '../runs/agent-name.ts';

export interface KnowledgeDeclaration {
  readonly sourceName: string;
  /** Pieces of evidence for a turn, 0–1 000. */
  readonly topK: number;
}

// biome-ignore lint/suspicious/noExplicitAny: any class, whatever its constructor takes
export type AgentClass = abstract new (...args: any[]) => object;

/** Own declarations of a class. Held weakly: a class that is gone takes them along. */
const declared = new WeakMap<object, Map<string, KnowledgeDeclaration>>();

/**
 * Declares a source for a class and its subclasses: `@Knowledge({ sourceName, topK })`, or `Knowledge({ … })(AgentClass)`.
 * The same name again replaces it, so a subclass may ask for more or fewer pieces.
 */
export function Knowledge(
  declaration: KnowledgeDeclaration,
): <Class extends AgentClass>(agentClass: Class, context?: ClassDecoratorContext<Class>) => void {
  const { sourceName, topK } = declaration ?? {};
  const kept = Object.freeze({ sourceName: checkedSourceName(sourceName), topK: checkedTopK(topK) });
  return (agentClass) => {
    if (typeof agentClass !== 'function')
      throw new BackstoryError('invalid_argument', 'Knowledge was given no class.', 'Use it on a class of agents.');
    const own = declared.get(agentClass) ?? new Map<string, KnowledgeDeclaration>();
    declared.set(agentClass, own);
    own.set(kept.sourceName, kept);
  };
}

/** What the class of an agent declares, its own and inherited, nearest first. */
export function declarationsOf(owner: object): ReadonlyMap<string, KnowledgeDeclaration> {
  const found = new Map<string, KnowledgeDeclaration>();
  let agentClass: unknown = (owner as { constructor?: unknown }).constructor;
  while (typeof agentClass === 'function') {
    for (const [name, declaration] of declared.get(agentClass) ?? []) {
      if (!found.has(name)) found.set(name, declaration);
    }
    agentClass = Object.getPrototypeOf(agentClass);
  }
  return found;
}

/** Throws `invalid_argument` for a name that is empty or no string (RUN-34). */
export function checkedSourceName(name: unknown): string {
  if (typeof name === 'string' && name !== '') return name;
  throw new BackstoryError(
    'invalid_argument',
    `The source name ${shownValue(name)} is none.`,
    'Give a source a name, such as agent-files.',
  );
}
