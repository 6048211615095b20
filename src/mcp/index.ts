/**
 * MCP: the tools by which an agent uses the service, over HTTP at `/mcp`. A tool calls the same service function as the route
 * that does the same, so trust, ceilings, redaction and audit are the same.
 * `tools/` has the tools and their answers; `protocol.service.ts` alone knows the protocol.
 * Not here: what the tools do (the other rooms).
 */
export { mcpRoutes } from './mcp.routes.ts'
export { createToolset } from './tools/tools.service.ts'
