// The public API, pinned by literals: what stands here is what users build on.
import { describe, expect, it } from 'vitest';
import * as backstory from '../../src/index.ts';

describe('the package', () => {
  it('SUR-10: exports these names and no others', () => {
    expect(Object.keys(backstory).sort()).toEqual([
      'AgentRecordFormat',
      'AgentRecordWriter',
      'BackstoryError',
      'ChatKnowledgeBinding',
      'ChatRetrievalContext',
      'ERROR_CODES',
      'IncrementalTextFilesRetriever',
      'Knowledge',
      'MAX_PIECE_CHARS',
      'Masker',
      'OPERATIONS',
      'PathRedactor',
      'Reading',
      'RecordParser',
      'RetrievalEngine',
      'RunScope',
      'defineMemory',
      'execute',
      'formatNamespace',
      'isBackstoryError',
      'openBackstory',
      'operationNamed',
      'operator',
      'parseNamespace',
      'pinoStream',
      'winstonTransport',
    ]);
  });

  it('SUR-10: an engine opens without a file, closes with its scope, and names what was called after', async () => {
    const kept: backstory.Backstory[] = [];
    {
      await using engine = await backstory.openBackstory({ home: '/nowhere/at/all', host: NOBODY });
      expect((await engine.sessions.list(backstory.operator())).sessions).toEqual([]);
      kept.push(engine);
    }
    await expect(kept[0]!.sessions.stats(backstory.operator())).rejects.toMatchObject({ code: 'closed' });
  });
});

const NOBODY = { env: {}, home: '/nowhere', platform: 'linux' } as const;
