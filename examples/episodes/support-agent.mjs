// A support agent on the AI SDK with episodic memory: every run is recorded, the model may recall and remember.
// node support-agent.mjs "question" — the model here is the SDK's own mock, so that it runs without a key.
import { generateText, jsonSchema, stepCountIs, tool } from 'ai';
import { defineMemory, openBackstory } from 'backstory';
import { z } from 'zod';
import { scriptedModel } from './scripted-model.mjs';

const question = process.argv[2] ?? 'Was ticket T-1 refunded?';

const backstory = await openBackstory({
  memory: { workspace: 'support-desk', writes: 'auto', episodes: { enabled: true } },
});

const memory = await backstory.episodes.context({
  agent: 'main',
  route: '/support',
  scope: { tenant: 'acme' }, // from the signed-in user, never from the model
  definition: defineMemory({
    kind: 'episodic',
    scope: ['workspace', 'route', 'tenant'],
    schema: z.object({ event: z.string(), ticketId: z.string() }),
    description: 'Remembers what was done about a ticket.',
  }),
});

/** Tools of a memory context in the AI SDK's words; the scope stays with the host. */
function aiTools(tools) {
  const entries = Object.entries(tools).map(([name, { description, inputSchema, execute }]) => {
    const run = async (args, { toolCallId }) => (await execute(args, { toolCallId })).text;
    return [name, tool({ description, inputSchema: jsonSchema(inputSchema), execute: run })];
  });
  return Object.fromEntries(entries);
}

/** Each call is reported as it happens, so that a run that fails still has its tools. */
function reported(tools, run) {
  const wrap = ([name, each]) => [name, { ...each, execute: (...args) => run.tool(name, () => each.execute(...args)) }];
  return Object.fromEntries(Object.entries(tools).map(wrap));
}

const answer = await memory.recorder.run({ input: question, threadId: 'thread-1' }, async (run) => {
  const result = await generateText({
    model: scriptedModel(),
    prompt: question,
    tools: reported(aiTools(memory.tools()), run),
    stopWhen: stepCountIs(5),
  });
  return result.text;
});

process.stdout.write(`${answer}\n`);
await backstory.close();
