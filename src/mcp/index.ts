/**
 * MCP: the tools by which an agent uses the service, over HTTP at `/mcp`. Each tool calls the service function that the
 * route of the same act calls, so trust, ceilings, redaction and audit are those of HTTP.
 * `protocol.service.ts` alone knows the protocol. Not here: what the tools do (the other rooms).
 */
export { mcpRoutes } from './mcp.routes.ts'
export { createOffer } from './tools.service.ts'
