// Commands that serve others until they are stopped: over HTTP, and over the Model Context Protocol (SUR-22).
import type { Command } from './command.ts';
import { DIMENSIONS } from './commands-memory.ts';
import { RUN } from './commands-runs.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Serve the HTTP API and MCP over HTTP on this machine.',
  description:
    'Prints a link that logs a browser in, once. Programs send the token that it keeps in serve.json of the home, readable ' +
    'by you alone, and makes anew at each start; --token-file maps further tokens to callers.',
  operands: { shown: '', min: 0, max: 0 },
  flags: [
    { name: 'port', value: 'N', summary: 'The port; 0 takes any free one.', standard: '4519' },
    { name: 'host', value: 'ADDRESS', summary: 'The address to listen on.', standard: '127.0.0.1' },
    {
      name: 'allow-host',
      value: 'NAME',
      repeats: true,
      summary: 'A further name that requests may be sent to, such as that of a proxy in front.',
    },
    { name: 'token-file', value: 'F', summary: 'JSON that maps bearer tokens to callers; see docs/http.md.' },
    {
      name: 'no-auth',
      summary: 'Ask for no token. On loopback only: every program of this machine is then an operator.',
    },
    { name: 'open', summary: 'Open the link in a browser.' },
  ],
  examples: [
    { title: 'On the usual port, in a browser', command: 'backstory serve --open' },
    { title: 'Any free port, with tokens of your own', command: 'backstory serve --port 0 --token-file tokens.json' },
  ],
  load: () => import('./commands/serve.ts'),
};

export const mcp: Command = {
  name: 'mcp',
  summary: 'Serve tools over the Model Context Protocol on standard input and output, to one client.',
  description:
    'The caller is fixed here, and no tool can change it. Nothing that deletes is a tool. Add it to a client with the ' +
    'command `backstory mcp`; see docs/mcp.md. The tool runs_search is there with --run.',
  operands: { shown: '', min: 0, max: 0 },
  flags: [
    { name: 'agent', value: 'A', summary: 'The agent that asks.', standard: 'main' },
    { name: 'session', value: 'KEY', summary: 'The session it speaks in.' },
    { name: 'sandboxed', summary: 'It runs in a sandbox: what it did not start itself is hidden.' },
    { name: 'person', value: 'P', summary: 'The person it acts for: only sessions of that person are seen.' },
    { name: 'namespace', value: 'NS', summary: 'The memory it may recall and write, whole; in place of dimensions.' },
    ...DIMENSIONS,
    ...RUN,
  ],
  examples: [
    { title: 'For the agent main', command: 'backstory mcp' },
    { title: 'With the memory of one route', command: 'backstory mcp --agent desk --route /support' },
    { title: 'For a sandboxed session', command: 'backstory mcp --agent desk --session agent:desk:main --sandboxed' },
  ],
  load: () => import('./commands/mcp.ts'),
};
