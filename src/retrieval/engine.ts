// Asks the sources that are bound to an agent, and no others, for the evidence of a turn (RUN-34 – RUN-36).
import { BackstoryError } from '../model/errors.ts';
import {
  ChatRetrievalContext,
  type Evidence,
  type Retriever as ModelRetriever,
  type RunCoverage,
} from '../model/retrieval.ts';
import { ChatKnowledgeBinding } from './binding.ts';

/** What one source answered. `error` in place of evidence when it failed. */
export interface SourceAnswer {
  readonly sourceName: string;
  readonly evidence: readonly Evidence[];
  readonly coverage?: RunCoverage;
  readonly error?: unknown;
}

export class RetrievalEngine {
  readonly #bindings: ChatKnowledgeBinding[] = [];

  /** Throws `invalid_argument` for a second source of one name and owner. */
  bind(binding: ChatKnowledgeBinding): void {
    if (!(binding instanceof ChatKnowledgeBinding)) {
      throw new BackstoryError(
        'invalid_argument',
        'Only a ChatKnowledgeBinding can be bound.',
        'Make one with ChatKnowledgeBinding.declared or ChatKnowledgeBinding.undeclared.',
      );
    }
    const { owner, ownerId, sourceName } = binding;
    if (this.bindingsOf(owner, ownerId).some((other) => other.sourceName === sourceName)) {
      throw new BackstoryError(
        'invalid_argument',
        `The source ${JSON.stringify(sourceName.slice(0, 200))} is bound to this owner already.`,
        'Unbind it first, or give the other one another name.',
      );
    }
    this.#bindings.push(binding);
  }

  /** False when it was not bound. */
  unbind(binding: ChatKnowledgeBinding): boolean {
    const index = this.#bindings.indexOf(binding);
    if (index >= 0) this.#bindings.splice(index, 1);
    return index >= 0;
  }

  /** In the order they were bound. */
  bindingsOf(owner: object, ownerId: string): readonly ChatKnowledgeBinding[] {
    return this.#bindings.filter((binding) => binding.isOwnedBy(owner, ownerId));
  }

  /**
   * One answer per binding of the caller, in the order bound; one that fails does not lose the others. Rejects with the
   * signal's reason when aborted.
   */
  async retrieve(
    owner: object,
    ownerId: string,
    query: string,
    context: ChatRetrievalContext = new ChatRetrievalContext(),
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<SourceAnswer[]> {
    options.signal?.throwIfAborted();
    const bindings = this.bindingsOf(owner, ownerId);
    const answers = await Promise.all(bindings.map((binding) => answerOf(binding, query, context, options)));
    options.signal?.throwIfAborted();
    return answers;
  }
}

/** The interface a source implements, under the name that hosts use; types alone. */
export declare namespace RetrievalEngine {
  export type Retriever = ModelRetriever;
}

// Owner and number of pieces are the binding's, whatever the context says; a smaller number wins (RUN-35).
async function answerOf(
  binding: ChatKnowledgeBinding,
  query: string,
  context: ChatRetrievalContext,
  options: { readonly signal?: AbortSignal },
): Promise<SourceAnswer> {
  const { sourceName, ownerId, topK, retriever } = binding;
  try {
    const own = new ChatRetrievalContext({
      ownerId,
      turnMessage: context.turnMessage,
      conversationId: context.conversationId,
      metadataFilters: context.metadataFilters,
      topK: Math.min(topK, context.topK ?? topK),
    });
    const { evidence, coverage } = await retriever.retrieve(query, own, options);
    return { sourceName, evidence, coverage };
  } catch (error) {
    return { sourceName, evidence: [], error };
  }
}
