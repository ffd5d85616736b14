// Any host with an MCP client, and `backstory mcp` as its server. node mcp-client.mjs "rollback plan"
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { nextStep } from './scripted-model.mjs';

// Who asks is a flag of the server, and never an argument of a model (SUR-31).
const SERVER = ['npx', 'backstory', 'mcp', '--agent', 'desk'];
const [question = 'rollback plan', ...server] = process.argv.slice(2);
const [command, ...args] = server.length === 0 ? SERVER : server;

const client = new Client({ name: 'example', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));

const results = [];
let step = nextStep(question, results);
while (step.call !== undefined) {
  const { structuredContent } = await client.callTool({ name: step.call.name, arguments: step.call.input });
  results.push(structuredContent);
  step = nextStep(question, results);
}
process.stdout.write(`${step.say}\n`);
await client.close();
