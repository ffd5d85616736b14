// The Model Context Protocol over standard input and output: nothing else is ever written there (SUR-31).
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Tool } from '../api/tools.ts';
import { type McpOptions, mcpServer } from './server.ts';

/** Serves until standard input ends. */
export async function serveOverStdio(tools: readonly Tool[], options: McpOptions): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
  const served = serveStdio(() => mcpServer(tools, options), {
    onerror: (error) => options.onFault?.(error),
  });
  await ended;
  await served.close();
}
