// An agent on LangGraph.js that looks its past up. node langgraph.mjs "rollback plan"
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { openBackstory } from 'backstory';
import { nextStep } from './scripted-model.mjs';

const question = process.argv[2] ?? 'rollback plan';
const backstory = await openBackstory();

/** Tools in LangGraph's words. Who asks is bound here, and never an argument of a model (SUR-11). */
function langTools(caller, names) {
  return backstory.tools(caller, names).map(({ name, description, inputSchema, execute }) => {
    return tool(async (input) => JSON.stringify(await execute(input)), { name, description, schema: inputSchema });
  });
}

const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', scripted)
  .addNode('tools', new ToolNode(langTools({ agentId: 'desk' }, ['sessions_search', 'sessions_history'])))
  .addEdge(START, 'model')
  .addConditionalEdges('model', toolsCondition, ['tools', END])
  .addEdge('tools', 'model')
  .compile();

const { messages } = await graph.invoke({ messages: [new HumanMessage(question)] });
process.stdout.write(`${messages.at(-1).text}\n`);
await backstory.close();

/** Where a chat model with `bindTools` would stand. */
function scripted({ messages }) {
  const results = messages.filter((message) => message.getType() === 'tool').map(({ text }) => JSON.parse(text));
  const { call, say } = nextStep(question, results);
  if (call === undefined) return { messages: [new AIMessage(say)] };
  const toolCall = { type: 'tool_call', id: `call-${results.length}`, name: call.name, args: call.input };
  return { messages: [new AIMessage({ content: '', tool_calls: [toolCall] })] };
}
