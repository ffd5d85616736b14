// The Model Context Protocol over HTTP: one server per request, bound to whom the request was authenticated as (SUR-31).
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Tool } from '../api/tools.ts';
import { type McpOptions, mcpServer } from './server.ts';

/** Answers requests at one address. Authentication, Host and Origin are its caller's business. */
export interface McpOverHttp {
  answer(request: Request, tools: readonly Tool[]): Promise<Response>;
  close(): Promise<void>;
}

/** `maxBytes`: of a request's body, else 413. */
export function mcpOverHttp(options: McpOptions & { readonly maxBytes: number }): McpOverHttp {
  const handler = createMcpHandler(
    ({ authInfo }) => mcpServer((authInfo?.extra?.tools ?? []) as readonly Tool[], options),
    {
      maxRequestBodySize: options.maxBytes,
      onerror: (error) => options.onFault?.(error),
    },
  );
  return {
    // What was authenticated travels beside the request: the tools are bound to it.
    answer: (request, tools) =>
      handler.fetch(request, { authInfo: { token: '', clientId: '', scopes: [], extra: { tools } } }),
    close: () => handler.close(),
  };
}
