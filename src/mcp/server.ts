// Tools over the Model Context Protocol: what a client lists and calls, whatever carries the messages (SUR-30, SUR-31).
import { Server } from '@modelcontextprotocol/server';
import { resultJsonSchema } from '../api/results.ts';
import { toldError } from '../api/told-error.ts';
import type { Tool } from '../api/tools.ts';
import { oneNamed } from '../model/named.ts';

export interface McpOptions {
  readonly version: string;
  /** Told of what failed within the server: a client is only told that something did. */
  readonly onFault?: (error: unknown) => void;
}

const INSTRUCTIONS =
  'Past conversations of AI agents, found by their exact words. Search, then pass the session key, session id and ' +
  'message id of a hit to sessions_history to read around it.';

/** A server for one connection or one request; the tools are bound to the caller already. */
export function mcpServer(tools: readonly Tool[], { version, onFault }: McpOptions): Server {
  const server = new Server(
    { name: 'backstory', title: 'Backstory', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: tools.map(({ name, description, inputSchema, readOnly, textOf }) => ({
      name,
      description,
      inputSchema: inputSchema as { type: 'object' },
      ...(textOf ? {} : { outputSchema: resultJsonSchema(name) as { type: 'object' } }),
      annotations: { readOnlyHint: readOnly, openWorldHint: false, ...(readOnly ? {} : { destructiveHint: false }) },
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    try {
      const tool = oneNamed('tool', tools, params.name);
      const result = await tool.execute(params.arguments ?? {}, { signal: mcpReq.signal });
      const text = tool.textOf?.(result) ?? JSON.stringify(result);
      return { content: [{ type: 'text', text }], structuredContent: result as object as never };
    } catch (error) {
      // As every surface says it (COM-20). In the text alone: structured content is of the result's schema.
      const text = JSON.stringify({ error: toldError(error, onFault) });
      return { isError: true, content: [{ type: 'text', text }] };
    }
  });
  return server;
}
