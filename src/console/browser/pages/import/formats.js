/** The formats of `POST /v1/import`. @type {readonly { value: string, label: string }[]} */
export const formats = [
  { value: '', label: 'found in the file' },
  { value: 'membrane', label: 'Membrane' },
  { value: 'mem0', label: 'mem0' },
  { value: 'openmemory', label: 'OpenMemory' },
  { value: 'mcp-memory', label: 'MCP memory server' },
  { value: 'chatgpt', label: 'ChatGPT' },
  { value: 'claude', label: 'Claude' },
  { value: 'claude-code', label: 'Claude Code' },
  { value: 'codex', label: 'Codex' },
  { value: 'letta', label: 'Letta' },
  { value: 'langgraph', label: 'LangGraph' },
  { value: 'graphiti', label: 'Graphiti' },
  { value: 'hindsight', label: 'Hindsight' },
  { value: 'basic-memory', label: 'Basic Memory' },
  { value: 'zep', label: 'Zep' },
  { value: 'texts', label: 'Texts of any program' },
]

/** @type {readonly (readonly [RegExp, string])[]} */
const types = [
  [/\.(?:ndjson|jsonl)$/i, 'application/x-ndjson'],
  [/\.zip$/i, 'application/zip'],
  [/\.(?:md|markdown)$/i, 'text/markdown'],
  [/\.(?:db|sqlite3?)$/i, 'application/vnd.sqlite3'],
  [/\.json$/i, 'application/json'],
]

/**
 * The media type by the name of a file: a browser does not know lines of JSON, and the service refuses text/plain.
 * @param {string} name
 * @param {string} format
 */
export function chooseMediaType(name, format) {
  if (format === 'membrane') return 'application/x-ndjson'
  return types.find(([pattern]) => pattern.test(name))?.[1] ?? 'application/octet-stream'
}
