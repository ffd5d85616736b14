// The Model Context Protocol for programs that embed it: `backstory/mcp`.
export { type McpOverHttp, mcpOverHttp } from './http.ts';
export { type McpOptions, mcpServer } from './server.ts';
export { serveOverStdio } from './stdio.ts';
