// The Model Context Protocol over standard input and output: nothing else is ever written there (SUR-31).
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Tool } from '../api/tools.ts';
import { type McpOptions, mcpServer } from './server.ts';
import { checkedLines } from './stdio-lines.ts';

/** Serves until standard input ends. */
export async function serveOverStdio(tools: readonly Tool[], options: McpOptions): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
  const lines = process.stdin.pipe(checkedLines((line) => void process.stdout.write(line)));
  const served = serveStdio(() => mcpServer(tools, options), {
    transport: new StdioServerTransport(lines, process.stdout),
    onerror: (error) => options.onFault?.(error),
  });
  await ended;
  await served.close();
}
