import { describe, expect, test } from 'vitest';
import { ChatRetrievalContext, type RetrievalResult } from '../../src/model/retrieval.ts';
import { ChatKnowledgeBinding, Knowledge, RetrievalEngine } from '../../src/retrieval/index.ts';

class Agent {}
class Declaring {}
Knowledge({ sourceName: 'agent-files', topK: 7 })(Declaring);
class Inheriting extends Declaring {}

const coverage: RetrievalResult['coverage'] = {
  complete: true,
  truncated: false,
  ranked: { considered: 0, complete: true },
  indexing: { done: 0, total: 0 },
  skipped: [],
  skippedTotal: 0,
  warnings: [],
  files: 0,
  reasons: [],
};

class Recording implements RetrievalEngine.Retriever {
  readonly asked: ChatRetrievalContext[] = [];

  async retrieve(_query: string, context: ChatRetrievalContext): Promise<RetrievalResult> {
    this.asked.push(context);
    return { evidence: [], coverage };
  }
}

const { declared, undeclared } = ChatKnowledgeBinding;

describe('bindings', () => {
  test('R-37, RUN-34: an owner is the same object and the same string, unit by unit', () => {
    const agent = new Agent();
    const binding = undeclared(agent, 'Alice', 'files', 5, new Recording());
    expect(binding.isOwnedBy(agent, 'Alice')).toBe(true);
    expect(binding.isOwnedBy(Object.assign(new Agent(), agent), 'Alice')).toBe(false);
    expect(binding.isOwnedBy(new Proxy(agent, {}), 'Alice')).toBe(false);
    for (const id of ['alice', 'Alice ', 'Alice2', 'Alic', '', 'Ａlice', 'Alice\u0301', undefined]) {
      expect(binding.isOwnedBy(agent, id), String(id)).toBe(false);
    }
  });

  test.each([
    ['an empty owner id', () => undeclared(new Agent(), '', 'files', 5, new Recording())],
    ['an empty source name', () => undeclared(new Agent(), 'Alice', '', 5, new Recording())],
    ['an owner that is no object', () => undeclared('Alice' as never, 'Alice', 'files', 5, new Recording())],
    ['no owner', () => undeclared(null as never, 'Alice', 'files', 5, new Recording())],
    ['a BigInt for an owner id', () => undeclared(new Agent(), 1n as never, 'files', 5, new Recording())],
    ['a BigInt for a source name', () => undeclared(new Agent(), 'Alice', 1n as never, 5, new Recording())],
    ['no retriever', () => undeclared(new Agent(), 'Alice', 'files', 5, null as never)],
    ['no binding', () => new RetrievalEngine().bind(null as never)],
    ['no declaration', () => Knowledge(null as never)],
    ['knowledge of no class', () => Knowledge({ sourceName: 'x', topK: 1 })(null as never)],
    ['topK −1', () => undeclared(new Agent(), 'Alice', 'files', -1, new Recording())],
    ['topK 1001', () => undeclared(new Agent(), 'Alice', 'files', 1_001, new Recording())],
    ['a declared topK of 1.5', () => Knowledge({ sourceName: 'x', topK: 1.5 })],
  ])('RUN-34, RUN-63: %s is invalid_argument', (_, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });

  test('R-38, RUN-32: undeclared with a name the class declares is knowledge_declared, naming both', () => {
    for (const agent of [new Declaring(), new Inheriting()]) {
      expect(() => undeclared(agent, 'Alice', 'agent-files', 5, new Recording())).toThrow(
        expect.objectContaining({
          code: 'knowledge_declared',
          message: expect.stringContaining('agent-files'),
          hint: expect.stringContaining('agent-files'),
        }),
      );
    }
    expect(undeclared(new Declaring(), 'Alice', 'other', 5, new Recording()).topK).toBe(5);
  });

  test('R-38, RUN-33: declared takes topK from the class, subclasses too; an undeclared name lists the declared ones', () => {
    expect(declared(new Declaring(), 'Alice', 'agent-files', new Recording()).topK).toBe(7);
    expect(declared(new Inheriting(), 'Alice', 'agent-files', new Recording()).topK).toBe(7);
    expect(() => declared(new Declaring(), 'Alice', 'nothing', new Recording())).toThrow(
      expect.objectContaining({ code: 'knowledge_unknown', hint: expect.stringContaining('agent-files') }),
    );
    expect(() => declared(new Agent(), 'Alice', 'agent-files', new Recording())).toThrow(
      expect.objectContaining({ code: 'knowledge_unknown' }),
    );
  });

  test('RUN-33: a declaration is of its class and subclasses alone; a subclass may ask for another number', () => {
    class Other extends Declaring {}
    Knowledge({ sourceName: 'agent-files', topK: 2 })(Other);
    expect(declared(new Other(), 'Alice', 'agent-files', new Recording()).topK).toBe(2);
    expect(declared(new Declaring(), 'Alice', 'agent-files', new Recording()).topK).toBe(7);
  });
});

describe('RetrievalEngine', () => {
  test('RUN-34: two bindings of one owner with one source name: the second bind is invalid_argument', () => {
    const engine = new RetrievalEngine();
    const agent = new Agent();
    const binding = undeclared(agent, 'Alice', 'files', 5, new Recording());
    engine.bind(binding);
    expect(() => engine.bind(undeclared(agent, 'Alice', 'files', 5, new Recording()))).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining('files') }),
    );
    engine.bind(undeclared(agent, 'alice', 'files', 5, new Recording()));
    engine.bind(undeclared(new Agent(), 'Alice', 'files', 5, new Recording()));
    expect(engine.bindingsOf(agent, 'Alice')).toEqual([binding]);
    expect(engine.unbind(binding)).toBe(true);
    expect(engine.unbind(binding)).toBe(false);
    expect(engine.bindingsOf(agent, 'Alice')).toEqual([]);
  });

  test('RUN-35: only the caller’s bindings are asked, with owner and topK of the binding; a smaller topK wins', async () => {
    const engine = new RetrievalEngine();
    const agent = new Agent();
    const [own, second, other] = [new Recording(), new Recording(), new Recording()];
    engine.bind(undeclared(agent, 'Alice', 'a', 5, own));
    engine.bind(undeclared(agent, 'Bob', 'a', 5, other));
    engine.bind(undeclared(new Agent(), 'Alice', 'a', 5, other));
    engine.bind(undeclared(agent, 'Alice', 'b', 3, second));
    const filters = { [ChatRetrievalContext.CURRENT_EPISODE_FILTER]: 'episode-3' };
    const given = { ownerId: 'Bob', turnMessage: 'deploy', conversationId: 'conv-1', metadataFilters: filters };
    const answers = await engine.retrieve(agent, 'Alice', 'deploy', new ChatRetrievalContext({ ...given, topK: 4 }));
    expect(answers.map(({ sourceName }) => sourceName)).toEqual(['a', 'b']);
    expect(other.asked).toEqual([]);
    expect(own.asked).toEqual([new ChatRetrievalContext({ ...given, ownerId: 'Alice', topK: 4 })]);
    expect(second.asked).toEqual([new ChatRetrievalContext({ ...given, ownerId: 'Alice', topK: 3 })]);
  });

  test('RUN-36: a retriever that throws does not lose the others', async () => {
    const engine = new RetrievalEngine();
    const agent = new Agent();
    const failure = new Error('no disk');
    engine.bind(undeclared(agent, 'Alice', 'broken', 5, { retrieve: () => Promise.reject(failure) }));
    engine.bind(
      undeclared(agent, 'Alice', 'throwing', 5, {
        retrieve: () => {
          throw failure;
        },
      }),
    );
    engine.bind(undeclared(agent, 'Alice', 'whole', 5, new Recording()));
    const answers = await engine.retrieve(agent, 'Alice', 'deploy', new ChatRetrievalContext());
    expect(answers).toEqual([
      { sourceName: 'broken', evidence: [], error: failure },
      { sourceName: 'throwing', evidence: [], error: failure },
      { sourceName: 'whole', evidence: [], coverage },
    ]);
  });

  test('an aborted signal rejects with its reason, and the context is frozen', async () => {
    const engine = new RetrievalEngine();
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(engine.retrieve(new Agent(), 'Alice', 'x', new ChatRetrievalContext(), { signal })).rejects.toThrow(
      'enough',
    );
    const context = new ChatRetrievalContext({ metadataFilters: { a: 1 } });
    expect(Object.isFrozen(context) && Object.isFrozen(context.metadataFilters)).toBe(true);
  });
});
