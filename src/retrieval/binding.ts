// A source of knowledge bound to one agent: who owns it, exactly, and how many pieces it gives (RUN-32 – RUN-34).
import { BackstoryError } from '../model/errors.ts';
import { checkedTopK, type Retriever } from '../model/retrieval.ts';
import { shownValue } from '../runs/agent-name.ts';
import { checkedSourceName, declarationsOf } from './knowledge.ts';

interface Bound {
  readonly owner: object;
  readonly ownerId: string;
  readonly sourceName: string;
  readonly topK: number;
  readonly retriever: Retriever;
}

export class ChatKnowledgeBinding {
  readonly owner: object;
  readonly ownerId: string;
  readonly sourceName: string;
  readonly topK: number;
  readonly retriever: Retriever;

  private constructor(bound: Bound) {
    if (typeof (bound.retriever as Partial<Retriever> | null | undefined)?.retrieve !== 'function') {
      throw new BackstoryError(
        'invalid_argument',
        `The source ${shownValue(bound.sourceName)} was given no retriever.`,
        'Give an object with retrieve(query, context, options), such as an IncrementalTextFilesRetriever.',
      );
    }
    this.owner = bound.owner;
    this.ownerId = bound.ownerId;
    this.sourceName = bound.sourceName;
    this.topK = bound.topK;
    this.retriever = bound.retriever;
    Object.freeze(this);
  }

  /** A source that `Knowledge` declares on the owner's class; `topK` is that of the declaration. Throws `knowledge_unknown`. */
  static declared(owner: object, ownerId: string, sourceName: string, retriever: Retriever): ChatKnowledgeBinding {
    checkOwner(owner, ownerId);
    const declarations = declarationsOf(owner);
    const declaration = declarations.get(checkedSourceName(sourceName));
    if (declaration) return new ChatKnowledgeBinding({ owner, ownerId, sourceName, topK: declaration.topK, retriever });
    const names = [...declarations.keys()];
    throw new BackstoryError(
      'knowledge_unknown',
      `The agent's class declares no knowledge ${JSON.stringify(sourceName.slice(0, 200))}.`,
      names.length === 0
        ? 'It declares none: use @Knowledge on the class, or ChatKnowledgeBinding.undeclared.'
        : `It declares ${names.join(', ')}. For any other source use ChatKnowledgeBinding.undeclared.`,
      { details: { sourceName, declared: names } },
    );
  }

  /** A source that nothing declares. Throws `knowledge_declared` when the owner's class does. */
  static undeclared(
    owner: object,
    ownerId: string,
    sourceName: string,
    topK: number,
    retriever: Retriever,
  ): ChatKnowledgeBinding {
    checkOwner(owner, ownerId);
    const declarations = declarationsOf(owner);
    if (!declarations.has(checkedSourceName(sourceName))) {
      return new ChatKnowledgeBinding({ owner, ownerId, sourceName, topK: checkedTopK(topK), retriever });
    }
    const names = [...declarations.keys()];
    throw new BackstoryError(
      'knowledge_declared',
      `The agent's class declares the knowledge ${JSON.stringify(sourceName.slice(0, 200))}.`,
      `Bind it with ChatKnowledgeBinding.declared; the class declares ${names.join(', ')}.`,
      { details: { sourceName, declared: names } },
    );
  }

  /** The same object and the same string, unit by unit: `Alice` owns nothing of `alice`, `Alice2` or `Alice ` (RUN-34). */
  isOwnedBy(owner: unknown, ownerId: unknown): boolean {
    return owner === this.owner && ownerId === this.ownerId;
  }
}

function checkOwner(owner: unknown, ownerId: unknown): void {
  const isObject = (typeof owner === 'object' && owner !== null) || typeof owner === 'function';
  if (isObject && typeof ownerId === 'string' && ownerId !== '') return;
  throw new BackstoryError(
    'invalid_argument',
    isObject ? `The owner's id ${shownValue(ownerId)} is none.` : 'The owner is no object.',
    'Bind a source to the agent object and the name that its files bear.',
  );
}
