// The Model Context Protocol over HTTP: one server per request, bound to whom the request was authenticated as (SUR-31).
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Tool } from '../api/tools.ts';
import { type McpOptions, mcpServer } from './server.ts';

/** Answers requests at one address. Authentication, Host and Origin are its caller's business. */
export interface McpOverHttp {
  answer(request: Request, tools: readonly Tool[]): Promise<Response>;
  close(): Promise<void>;
}

// The SDK tells of requests that are wrong as of its own faults; whoever sent one was answered, and fills no log with stacks.
const OF_THE_CLIENT =
  /^(?:Rejected |Unsupported Media Type|Not Acceptable|Method not allowed|Bad Request|Invalid Request|Payload Too Large)/;

/** `maxBytes`: of a request's body, else 413. */
export function mcpOverHttp(options: McpOptions & { readonly maxBytes: number }): McpOverHttp {
  const handler = createMcpHandler(
    ({ authInfo }) => mcpServer((authInfo?.extra?.tools ?? []) as readonly Tool[], options),
    {
      maxRequestBodySize: options.maxBytes,
      onerror: (error) => {
        if (!OF_THE_CLIENT.test(error.message)) options.onFault?.(error);
      },
    },
  );
  return {
    // What was authenticated travels beside the request: the tools are bound to it.
    answer: (request, tools) =>
      handler.fetch(request, { authInfo: { token: '', clientId: '', scopes: [], extra: { tools } } }),
    close: () => handler.close(),
  };
}
