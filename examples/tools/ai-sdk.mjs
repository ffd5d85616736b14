// An agent on the AI SDK that looks its past up. node ai-sdk.mjs "rollback plan"
import { generateText, jsonSchema, stepCountIs, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { openBackstory } from 'backstory';
import { nextStep } from './scripted-model.mjs';

const question = process.argv[2] ?? 'rollback plan';
const backstory = await openBackstory();

/** Tools in the AI SDK's words. Who asks is bound here, and never an argument of a model (SUR-11). */
function aiTools(caller, names) {
  const entries = backstory.tools(caller, names).map(({ name, description, inputSchema, execute }) => {
    return [name, tool({ description, inputSchema: jsonSchema(inputSchema), execute: (input) => execute(input) })];
  });
  return Object.fromEntries(entries);
}

const { text } = await generateText({
  model: scripted(question),
  prompt: question,
  tools: aiTools({ agentId: 'desk' }, ['sessions_search', 'sessions_history']),
  stopWhen: stepCountIs(5),
});
process.stdout.write(`${text}\n`);
await backstory.close();

/** The SDK's own mock, with our script. */
function scripted(question) {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  return new MockLanguageModelV3({
    async doGenerate({ prompt }) {
      const results = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []));
      const step = nextStep(
        question,
        results.map(({ output }) => output.value),
      );
      const finish = step.call === undefined ? 'stop' : 'tool-calls';
      const content =
        step.call === undefined
          ? { type: 'text', text: step.say }
          : {
              type: 'tool-call',
              toolCallId: `call-${results.length}`,
              toolName: step.call.name,
              input: JSON.stringify(step.call.input),
            };
      return { content: [content], finishReason: { unified: finish, raw: finish }, usage, warnings: [] };
    },
  });
}
