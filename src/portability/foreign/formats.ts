import type { Reader } from './items.ts'
import { readBasicMemory } from './readers/basic-memory.ts'
import { readChatgpt } from './readers/chatgpt.ts'
import { readClaude } from './readers/claude.ts'
import { readClaudeCode } from './readers/claude-code.ts'
import { readCodex } from './readers/codex.ts'
import { readGraphiti } from './readers/graphiti.ts'
import { readHindsight } from './readers/hindsight.ts'
import { readLanggraph } from './readers/langgraph.ts'
import { readLetta } from './readers/letta.ts'
import { readMcpMemory } from './readers/mcp-memory.ts'
import { readMem0 } from './readers/mem0.ts'
import { readOpenmemory } from './readers/openmemory.ts'
import { readTexts } from './readers/texts.ts'
import { readZep } from './readers/zep.ts'

/** The formats of other programs, and how each is read. */
export const readers = {
  mem0: readMem0,
  'mcp-memory': readMcpMemory,
  chatgpt: readChatgpt,
  claude: readClaude,
  'claude-code': readClaudeCode,
  codex: readCodex,
  letta: readLetta,
  langgraph: readLanggraph,
  openmemory: readOpenmemory,
  graphiti: readGraphiti,
  hindsight: readHindsight,
  'basic-memory': readBasicMemory,
  zep: readZep,
  texts: readTexts,
} satisfies Readonly<Record<string, Reader>>

export type ForeignFormat = keyof typeof readers
export const foreignFormats = Object.keys(readers) as ForeignFormat[]
