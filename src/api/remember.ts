// Operation: write a record into memory (episodes.md, remember).
import type { RememberInput, RememberResult } from './face.ts';
import { memoryOf } from './memory-parameters.ts';
import { defineOperation, type Operation } from './operation.ts';

export const remember: Operation<RememberInput, RememberResult> = defineOperation<RememberInput, RememberResult>({
  name: 'remember',
  summary: 'Remember something for later runs.',
  description:
    'Writes one record into the memory context of the call, in the shape that its definition asks for. An event is ' +
    'always a record of its own; a fact replaces the one about the same thing.',
  who: 'anyone',
  readOnly: false,
  spec: 'episodes.md, remember',
  parameters: {
    data: { type: 'data', secret: true, required: true, summary: 'What is remembered, as the definition asks for.' },
    content: { type: 'text', secret: true, summary: 'One sentence that recall shows.', standard: 'the data as JSON' },
    tags: { type: 'texts', maxItems: 16, summary: 'Words to find it by.' },
    confidence: { type: 'number', min: 0, max: 1, standard: '1', summary: 'How sure it is.' },
  },
  examples: [{ title: 'An event', input: { data: { event: 'refunded' }, tags: ['billing'] } }],
  run: (_backstory, caller, input, options) =>
    memoryOf(options).remember(input, { by: caller.operator === true ? 'user' : 'tool' }),
});
