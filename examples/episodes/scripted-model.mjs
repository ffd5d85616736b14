// A model without a network: asks memory first; where nothing is known of a refund, it makes one and remembers it.
import { MockLanguageModelV3 } from 'ai/test';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const finish = (reason) => ({ unified: reason, raw: reason });
const call = (toolCallId, toolName, input) => ({
  content: [{ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) }],
  finishReason: finish('tool-calls'),
  usage,
  warnings: [],
});
const say = (text) => ({ content: [{ type: 'text', text }], finishReason: finish('stop'), usage, warnings: [] });

export function scriptedModel() {
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const results = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []));
      const last = results.at(-1);
      if (last === undefined) return call('c1', 'recall', { query: 'refunded', kind: 'episodic', since: '-30d' });
      const text = String(last.output.value);
      if (last.toolName === 'remember') return say('I refunded T-1 just now and made a note of it.');
      if (text.includes('refunded')) return say(`Yes, I remember: ${text.split('\n')[1]}`);
      return call('c2', 'remember', { data: { event: 'refunded', ticketId: 'T-1' }, tags: ['refund'] });
    },
  });
}
